# Prints a port that nobody listens on at the moment; sourced by scripts that start servers. Linux gives ports from
# 32768 on to connections, so they are left out.
free_port() {
  local port
  while true; do
    port=$((20000 + RANDOM % 12768))
    (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null || { echo "$port"; return; }
  done
}
