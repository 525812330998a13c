# What the files in cases/ share; each sources it, names its peer, holds its cases and ends with `finish`.
#
#   needs PROGRAM...         ends the file where a program is not installed
#   installed PROGRAM        whether it is; says so where it is not, which is a failure where GARNER_TESTS_COMPLETE is set
#   it SENTENCE FUNCTION     runs FUNCTION in a subshell, under `set -e` and in a new $HOME, and prints a line
#   is WHAT EXPECTED ACTUAL  ends the case where they differ
#   has WHAT PART TEXT       ends the case where TEXT does not contain PART
#   garner ...               the program that is tested
#   start_nginx DIRECTIVES SERVERS
#                            nginx on free ports with $work/files, over http ($plain), https ($secure), and https with a
#                            certificate for other.test ($misnamed)
#   asked COUNT              what nginx was asked in this case, or since `forget`: a line a request (see log_format), when
#                            there are so many, and all of them
#
# $work is a directory that goes with the file; $work/authority.pem is whom to trust for $secure.

peer=$(basename "$0")
work=$(mktemp -d "${TMPDIR:-/tmp}/garner-interop-XXXXXX")
trap 'stop_nginx; rm -rf "$work"' EXIT
# nginx's workers run as another user where this is root's shell.
chmod 755 "$work"
mkdir "$work/files"

complete=${GARNER_TESTS_COMPLETE:-}
export LC_ALL=C.UTF-8
unset ${!GARNER_@} http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY \
  SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE CURL_HOME
PATH=$PATH:/usr/sbin:/sbin

first_wrong=
first_log=
count=0

garner() { "$GARNER" "$@"; }

needs() {
  local program
  for program in "$@"; do installed "$program" || finish; done
}

installed() {
  command -v "$1" > /dev/null && return 0
  if [[ -z $complete ]]; then
    echo "absent  $peer: $1 is not installed"
  else
    echo "WRONG   $peer: $1 is not installed"
    [[ -n $first_wrong ]] || { first_wrong="$1 is not installed"; first_log=/dev/null; }
  fi
  return 1
}

it() {
  local sentence=$1 status=0
  shift
  count=$((count + 1))
  local home=$work/home-$count log=$work/log-$count
  mkdir "$home"
  [[ ! -e $work/access.log ]] || forget
  # `set -e` counts for nothing in a condition.
  set +e
  (
    set -euo pipefail
    cd "$home"
    export HOME=$home XDG_CACHE_HOME=$home/cache XDG_CONFIG_HOME=$home/config
    "$@"
  ) > "$log" 2>&1
  status=$?
  set -e
  if [[ $status -eq 0 ]]; then
    echo "ok      $peer: $sentence"
  else
    echo "WRONG   $peer: $sentence"
    [[ -n $first_wrong ]] || { first_wrong=$sentence; first_log=$log; }
  fi
}

is() {
  [[ $2 == "$3" ]] && return 0
  printf '%s\n  expected: %s\n  got:      %s\n' "$1" "$2" "$3"
  return 1
}

has() {
  [[ $3 == *"$2"* ]] && return 0
  printf '%s\n  expected in it: %s\n  got:            %s\n' "$1" "$2" "$3"
  return 1
}

# The exit status of a command, whose output does not matter.
status_of() {
  local status=0
  "$@" > /dev/null 2>&1 || status=$?
  echo "$status"
}

finish() {
  [[ -n $first_wrong ]] || exit 0
  echo "the first that was wrong: $first_wrong"
  sed 's/^/  | /' "$first_log" | tail -40
  exit 1
}

# MARK: nginx

nginx_process=
plain=
secure=
misnamed=

# shellcheck source=Scripts/free-port.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../Scripts/free-port.sh"

# A throw-away authority, and what it says of localhost, of a name that is not this machine's, and of a client.
make_certificates() {
  [[ ! -e $work/authority.pem ]] || return 0
  local new=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
  openssl req -x509 "${new[@]}" -days 2 -subj '/CN=garner interoperability' \
    -keyout "$work/authority.key" -out "$work/authority.pem" 2> /dev/null
  certify origin localhost 'DNS:localhost,IP:127.0.0.1'
  certify other other.test 'DNS:other.test'
  certify client client 'DNS:client.test'
}

certify() {
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$2" -addext "subjectAltName=$3" \
    -keyout "$work/$1.key" -out "$work/$1.csr" 2> /dev/null
  openssl x509 -req -in "$work/$1.csr" -CA "$work/authority.pem" -CAkey "$work/authority.key" -CAcreateserial \
    -days 2 -copy_extensions copy -out "$work/$1.pem" 2> /dev/null
  chmod 644 "$work/$1.key"
}

# $1: further directives of the server, if any; $2: further servers.
start_nginx() {
  needs nginx openssl curl
  make_certificates
  local attempt
  for attempt in 1 2 3 4 5; do
    try_nginx "${1:-}" "${2:-}" && return 0
  done
  cat "$work/nginx.start" "$work/nginx.log" >&2
  exit 1
}

try_nginx() {
  local http_port https_port misnamed_port
  http_port=$(free_port)
  https_port=$(free_port)
  misnamed_port=$(free_port)
  plain=http://localhost:$http_port
  secure=https://localhost:$https_port
  misnamed=https://localhost:$misnamed_port
  write_configuration "$http_port" "$https_port" "$misnamed_port" "$1" "$2"
  nginx -p "$work" -c "$work/nginx.conf" 2> "$work/nginx.start" &
  nginx_process=$!
  local tries
  for ((tries = 0; tries < 100; tries++)); do
    # It writes this when it listens.
    [[ ! -s $work/nginx.pid ]] || return 0
    kill -0 "$nginx_process" 2> /dev/null || return 1
    sleep 0.05
  done
  return 1
}

write_configuration() {
  cat > "$work/nginx.conf" << CONFIGURATION
worker_processes 1;
daemon off;
error_log $work/nginx.log;
pid $work/nginx.pid;
events { worker_connections 256; }
http {
  log_format asked '\$request_method \$request_uri \$server_protocol \$status \$body_bytes_sent';
  access_log $work/access.log asked;
  default_type application/octet-stream;
  types { text/plain txt; application/json json; text/html html; }
  client_body_temp_path $work/nginx-body;
  proxy_temp_path $work/nginx-proxy;
  fastcgi_temp_path $work/nginx-fastcgi;
  uwsgi_temp_path $work/nginx-uwsgi;
  scgi_temp_path $work/nginx-scgi;
  client_max_body_size 0;
  server {
    listen 127.0.0.1:$1;
    listen 127.0.0.1:$2 ssl http2;
    ssl_certificate $work/origin.pem;
    ssl_certificate_key $work/origin.key;
    root $work/files;
    $4
  }
  server {
    listen 127.0.0.1:$3 ssl;
    ssl_certificate $work/other.pem;
    ssl_certificate_key $work/other.key;
    root $work/files;
  }
  $5
}
CONFIGURATION
}

stop_nginx() {
  [[ -n $nginx_process ]] || return 0
  kill -TERM "$nginx_process" 2> /dev/null || true
  wait "$nginx_process" 2> /dev/null || true
  nginx_process=
}

# nginx writes the line of a request when the response has gone out, which may be after the client has it. Its one worker
# writes the line of what is asked last behind the others: when that is there, nothing is missing.
asked() {
  local lines=$1 tries last=/asked-last-$BASHPID-$RANDOM
  for ((tries = 0; tries < 100; tries++)); do
    [[ $(told | wc -l) -lt $lines ]] || break
    sleep 0.05
  done
  curl -q -s -o /dev/null "$plain$last"
  for ((tries = 0; tries < 100; tries++)); do
    ! grep -q -F "$last " "$work/access.log" || break
    sleep 0.05
  done
  told
}

# The log, without what has been asked for its sake.
told() { sed '/^GET \/asked-last-/d' "$work/access.log"; }

forget() { : > "$work/access.log"; }
