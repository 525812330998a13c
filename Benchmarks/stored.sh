# shellcheck shell=bash
# A response that is stored without a network, in a place of its own; sourced by what counts a hit. Needs $work, and
# garner in it.

url=http://example.org/small

# An archive of one response, as nginx answers: what is stored, and its time, is the same in every run.
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

# A program in an environment that is the same everywhere, its output in a pipe. What nohup ignores, and a shell for what
# it runs in the background, would cost a system call each.
run() {
  env -i --default-signal HOME="$work" "$@" | cat > /dev/null
}

store_response() {
  write_archive > "$work/archive"
  run "$work/garner" cache import "$work/archive" 2> "$work/said"
  # The first use notes that it was one.
  run "$work/garner" -s "$url"
}
