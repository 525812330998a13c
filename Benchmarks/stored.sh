# shellcheck shell=bash
# A response that is stored without a network, in a directory of its own; sourced by scripts that count the costs of a
# hit. Needs $work, and garner in it.

url=http://example.org/small

# Prints an archive of one response, as nginx answers. The stored content, and its time, are the same in every run.
write_archive() {
  local head response
  head=$(printf '%s\r\n' 'HTTP/1.1 200 OK' 'Server: nginx/1.22.1' 'Date: Sat, 21 Nov 2026 12:00:00 GMT' \
    'Content-Type: application/octet-stream' 'Content-Length: 1024' 'Last-Modified: Sat, 21 Nov 2026 11:00:00 GMT' \
    'ETag: "6741c6b0-400"' 'Cache-Control: max-age=2147483648' 'Accept-Ranges: bytes')
  response=$head$'\n\r\n'$(printf '%01024d' 0)
  printf '%s\r\n' 'WARC/1.1' 'WARC-Type: response' 'WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>' \
    'WARC-Date: 2026-11-21T12:00:00Z' "WARC-Target-URI: $url" 'Content-Type: application/http; msgtype=response' \
    "Content-Length: ${#response}" '' "$response" ''
}

# Runs a program in an environment that is the same everywhere, with its output in a pipe. Signals get their default
# action: each one that nohup, or a shell for a background process, has ignored would cost a system call.
run() {
  env -i --default-signal HOME="$work" "$@" | cat > /dev/null
}

store_response() {
  write_archive > "$work/archive"
  run "$work/garner" cache import "$work/archive" 2> "$work/said"
  # The first use records in the store that there was one.
  run "$work/garner" -s "$url"
}
