# A port that nobody listens on now; sourced by who starts servers. Linux gives those from 32768 on to connections.
free_port() {
  local port
  while true; do
    port=$((20000 + RANDOM % 12768))
    (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null || { echo "$port"; return; }
  done
}
