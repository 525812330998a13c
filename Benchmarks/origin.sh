# shellcheck shell=bash
# nginx on this machine, over http and over https with a certificate of a throw-away authority; sourced by bench. What
# lies below /validated/ may be stored, and is to be validated at every use. Needs $work; sets http_port and https_port.

http_port=
https_port=

# shellcheck source=Scripts/free-port.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Scripts/free-port.sh"

# Makes a certificate of the origin, and files of the authorities to trust, all that Debian trusts and ours: a bundle,
# and a hashed directory.
make_authorities() {
  openssl req -quiet -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj '/CN=garner benchmark' \
    -keyout "$work/authority.key" -out "$work/authority.pem" 2> /dev/null ||
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj '/CN=garner benchmark' \
      -keyout "$work/authority.key" -out "$work/authority.pem" 2> /dev/null
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=localhost' \
    -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' \
    -keyout "$work/origin.key" -out "$work/origin.csr" 2> /dev/null
  openssl x509 -req -in "$work/origin.csr" -CA "$work/authority.pem" -CAkey "$work/authority.key" -CAcreateserial \
    -days 2 -copy_extensions copy -out "$work/origin.pem" 2> /dev/null
  cat /etc/ssl/certs/ca-certificates.crt "$work/authority.pem" > "$work/authorities.pem"
  mkdir "$work/authorities"
  cp --dereference /etc/ssl/certs/*.[0-9] "$work/authorities/"
  cp "$work/authority.pem" "$work/authorities/$(openssl x509 -hash -noout -in "$work/authority.pem").0"
}

start_nginx() {
  make_authorities
  http_port=$(free_port)
  https_port=$(free_port)
  cat > "$work/nginx.conf" << CONFIGURATION
worker_processes 1;
daemon off;
error_log $work/nginx.log;
pid $work/nginx.pid;
events { worker_connections 256; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  default_type application/octet-stream;
  client_body_temp_path $work/nginx-body;
  proxy_temp_path $work/nginx-proxy;
  fastcgi_temp_path $work/nginx-fastcgi;
  uwsgi_temp_path $work/nginx-uwsgi;
  scgi_temp_path $work/nginx-scgi;
  add_header Cache-Control max-age=86400;
  server {
    listen 127.0.0.1:$http_port;
    listen 127.0.0.1:$https_port ssl;
    ssl_certificate $work/origin.pem;
    ssl_certificate_key $work/origin.key;
    root $work/files;
    location /validated/ {
      alias $work/files/;
      add_header Cache-Control no-cache;
    }
    # Content is read, and dropped.
    location = /sink {
      client_max_body_size 0;
      return 204;
    }
  }
}
CONFIGURATION
  # Where this shell is root's, nginx's worker runs as another user.
  chmod 755 "$work" "$work/files"
  PATH=$PATH:/usr/sbin nginx -p "$work" -c "$work/nginx.conf" 2> "$work/nginx.start" &
  nginx_process=$!
  curl -q -s --retry 20 --retry-delay 1 --retry-connrefused -o /dev/null "http://127.0.0.1:$http_port/small" ||
    { cat "$work/nginx.start" "$work/nginx.log" >&2; exit 1; }
}

stop_nginx() {
  [[ -n ${nginx_process:-} ]] || return 0
  kill -TERM "$nginx_process" 2> /dev/null || true
  wait "$nginx_process" 2> /dev/null || true
}
