import FlagTable
import Interface
import Testing

@Suite("Impossible arguments are usage errors")
struct RefusalTests {
  typealias Row = RefusalRow

  static let rows: [Row] = [
    Row("a typing error", ["--hedaer", "a"], "option --hedaer is unknown", hint: "did you mean --header?"),
    Row("an option that curl has", ["--libcurl", "f"], "garner has no option --libcurl (curl has)"),
    Row(
      "an option of curl that has an equivalent", ["--etag-save", "f"],
      "garner has no option --etag-save (curl has)", hint: "the nearest is --refresh"),
    Row("an option that would turn a GET into a POST gets no hint", ["-B", "u"], "garner has no option -B (curl has)"),
    Row(
      "a passphrase for a proxy's key gets no hint", ["--proxy-pass", "x"],
      "garner has no option --proxy-pass (curl has)"),
    Row("a letter of curl's", ["-sQ", "a"], "garner has no option -Q (curl has)"),
    Row("no URL", ["-s"], "URL is missing", hint: "see 'garner --help'"),
    Row("a field with a line feed", ["-H", "A: b\nC: d", "u"], "option -H: the value holds a line feed"),
    Row("a field with a carriage return", ["-HA: b\rC", "u"], "option -H: the value holds a carriage return"),
    Row("a User-Agent with a line feed", ["-A", "a\n", "u"], "option -A: the value holds a line feed"),
    Row("a Referer with a line feed", ["-e", "a\n", "u"], "option -e: the value holds a line feed"),
    Row(
      "a method with a line feed", ["-X", "GET\n", "u"],
      "option -X: a method consists of letters, digits and !#$%&'*+-.^_`|~"),
    Row("an empty method", ["-X", "", "u"], "option -X: a method consists of letters, digits and !#$%&'*+-.^_`|~"),
    Row("a field without colon", ["-H", "Accept", "u"], "option -H: expected 'Name: value', 'Name:' or 'Name;'"),
    Row(
      "a time without an equals sign", ["--stale-if-error", "1h", "u"],
      "option --stale-if-error takes its value with an equals sign: --stale-if-error=1h",
      hint: "if 1h is a URL, put it after --"),
    Row(
      "a mode without an equals sign", ["--offline", "strict", "u"],
      "option --offline takes its value with an equals sign: --offline=strict",
      hint: "if strict is a URL, put it after --"),
    Row(
      "a status without an equals sign", ["--exit-unchanged", "3", "u"],
      "option --exit-unchanged takes its value with an equals sign: --exit-unchanged=3",
      hint: "if 3 is a URL, put it after --"),
    Row("a field without a name", ["-H", ": a", "u"], "option -H: expected 'Name: value', 'Name:' or 'Name;'"),
    Row("a semicolon without a name", ["-H", ";", "u"], "option -H: expected 'Name: value', 'Name:' or 'Name;'"),
    Row("an empty field", ["-H", "", "u"], "option -H: expected 'Name: value', 'Name:' or 'Name;'"),
    Row(
      "a space before the colon", ["-H", "A : b", "u"], "option -H: expected 'Name: value', 'Name:' or 'Name;'"),
    Row("a user without a colon", ["-u", "me", "u"], "option -u: expected USER:PASSWORD; the colon is missing"),
    Row(
      "a token with a line feed", ["--oauth2-bearer", "a\n", "u"], "option --oauth2-bearer: the value holds a line feed"
    ),
    Row(
      "an invalid range", ["-r", "5-3x", "u"],
      "option -r: expected bytes such as 0-499, 500- or -500, or several of these with commas"),
    Row(
      "an address without a port", ["--resolve", "a:127.0.0.1", "u"], "option --resolve: expected HOST:PORT:ADDRESS"),
    Row(
      "an invalid address", ["--resolve", "a:1:b", "u"], "option --resolve: 'b' is not an IPv4 or IPv6 address"),
    Row(
      "an invalid address among several", ["--resolve", "+a:1:127.0.0.1,[::1],1.2.3", "u"],
      "option --resolve: '1.2.3' is not an IPv4 or IPv6 address"),
    Row(
      "an address with too few groups", ["--resolve", "a:1:1:2:3", "u"],
      "option --resolve: '1:2:3' is not an IPv4 or IPv6 address"),
    Row(
      "an address for an invalid port", ["--resolve", "a:b:127.0.0.1", "u"],
      "option --resolve: the port is not a number from 0 to 65535"),
    Row(
      "an address for a port that is too large", ["--resolve", "a:65536:127.0.0.1", "u"],
      "option --resolve: the port is not a number from 0 to 65535"),
    Row(
      "an address for an address", ["--resolve", "[::1]:80:127.0.0.1", "u"],
      "option --resolve: HOST must be a name; --connect-to takes an address"),
    Row("an address for no host", ["--resolve", ":80:127.0.0.1", "u"], "option --resolve: expected HOST:PORT:ADDRESS"),
    Row(
      "a socket whose name is too long", ["--unix-socket", ArgumentText(String(repeating: "a", count: 108)), "u"],
      "option --unix-socket: the name of a socket has at most 107 bytes, and this one has 108"),
    Row(
      "a digest with an invalid digit",
      ["--sha256", ArgumentText(String(repeating: "a", count: 62) + "x0"), "u"],
      "option --sha256: expected 64 hexadecimal digits, but character 63 is not one"),
    Row("a value for a letter that takes none", ["-s4=1", "u"], "option -4 takes no value"),
    Row("a letter beyond ASCII", ["-é", "u"], "option -é is unknown"),
    Row(
      "an endless option", [ArgumentText("--" + String(repeating: "a", count: 100)), "u"],
      "option --\(String(repeating: "a", count: 60))... is unknown"),
    Row(
      "help of the cache", ["cache", "help"],
      "'garner cache' has no command 'help', only ls, show, cat, explain, rm, clear, prune, verify, stats, pin, "
        + "unpin, tag, check, export, import, dir",
      hint: "did you mean 'garner help cache'?"),
    Row(
      "a connection without a port", ["--connect-to", "a:1:b", "u"],
      "option --connect-to: expected HOST:PORT:OTHER:PORT"),
    Row(
      "a connection with an IPv6 address without brackets", ["--connect-to", "a:1:::1:80", "u"],
      "option --connect-to: expected HOST:PORT:OTHER:PORT"),
    Row(
      "a connection to an invalid port", ["--connect-to", "a:1:b:99999", "u"],
      "option --connect-to: the port is not a number from 0 to 65535"),
    Row(
      "a connection from an invalid port", ["--connect-to", "a:b:c:1", "u"],
      "option --connect-to: the port is not a number from 0 to 65535"),
    Row(
      "DNS over HTTPS at a plain http URL", ["--doh-url", "http://d.test/", "u"],
      "option --doh-url: expected a URL such as https://dns.example/dns-query"),
    Row(
      "no scheme", ["--proto", "", "u"],
      "option --proto: expected schemes such as =https or -http, separated by commas"),
    Row(
      "no scheme for redirects", ["--proto-redir", ",", "u"],
      "option --proto-redir: expected schemes such as =https or -http, separated by commas"),
    Row(
      "an unknown scheme", ["--proto", "=htps", "u"],
      "option --proto: expected schemes such as =https or -http, separated by commas"),
    Row(
      "an old version of TLS", ["--tls-max", "1.1", "u"],
      "option --tls-max: TLS before 1.2 is not supported (RFC 8996)"),
    Row("a part without a name", ["-F", "a", "u"], "option -F: expected NAME=CONTENT; the equals sign is missing"),
    Row(
      "an unknown attribute", ["-F", "a=b;c", "u"],
      "option -F: only ;type= and ;filename= may follow a semicolon",
      hint: "--form-string takes text literally"),
    Row(
      "an unknown attribute of a file", ["-F", "a=@b;c", "u"],
      "option -F: only ;type= and ;filename= may follow a semicolon",
      hint: "put a file name that holds a semicolon in quotation marks"),
    Row(
      "parts within parts", ["-F", "=(", "u"], "option -F: nested parts are not supported",
      hint: "--form-string takes text literally"),
    Row("a part of no file", ["-F", "a=@", "u"], "option -F: the name of a file is missing after @"),
    Row(
      "an invalid time", ["-m", "soon", "u"],
      "option -m: expected a time such as 30, 1.5, 30s, 10m, 12h, 7d or 4w, not 'soon'"),
    Row(
      "a negative time to wait", ["--collapse-timeout", "-1", "u"],
      "option --collapse-timeout: expected a time such as 30, 1.5, 30s, 10m, 12h, 7d or 4w, not '-1'"),
    Row("an invalid number of retries", ["--retry", "x", "u"], "option --retry: expected a whole number, not 'x'"),
    Row(
      "a number that is too large", ["--retry", "99999999999999999999", "u"],
      "option --retry: expected a smaller number, not '99999999999999999999'"),
    Row(
      "a size that is too large", ["--limit-rate", "99999999999999999999", "u"],
      "option --limit-rate: expected a smaller size, not '99999999999999999999'"),
    Row(
      "a time that is too long", ["-m", "99999999999999999999", "u"],
      "option -m: expected a time of at most 2147483647 seconds, not '99999999999999999999'"),
    Row("an archive without a name", ["cache", "export", ""], "FILE: the name of a file is empty"),
    Row("an archive to import without a name", ["cache", "import", ""], "FILE: the name of a file is empty"),
    Row("a socket without a name", ["--unix-socket", "", "u"], "option --unix-socket: the name of a socket is empty"),
    Row(
      "a text of a form without an equals sign", ["--form-string", "a", "u"],
      "option --form-string: expected NAME=TEXT; the equals sign is missing"),
    Row(
      "an option of curl that the shell replaces", ["--stderr", "f", "u"],
      "garner has no option --stderr (curl has)", hint: "in a shell, '2> FILE' writes messages to FILE"),
    Row("a header for a proxy", ["--proxy-header", "a: b", "u"], "garner has no option --proxy-header (curl has)"),
    Row("an insecure proxy", ["--proxy-insecure", "u"], "garner has no option --proxy-insecure (curl has)"),
    Row("digest authentication", ["--digest", "u"], "garner has no option --digest (curl has)"),
    Row("HTTP/2 for a proxy", ["--proxy-http2", "u"], "garner has no option --proxy-http2 (curl has)"),
    Row("a key for a proxy", ["--proxy-key", "f", "u"], "garner has no option --proxy-key (curl has)"),
    Row("the negation of an option of wget", ["--no-hsts", "u"], "garner has no option --no-hsts (wget has)"),
    Row(
      "an option for files that exist", ["--skip-existing", "u"], "garner has no option --skip-existing (curl has)",
      hint: "the nearest is --prefer-offline"),
    Row(
      "a SOCKS proxy as an option", ["--socks5", "h", "u"], "garner has no option --socks5 (curl has)",
      hint: "the scheme of --proxy selects it: -x socks5h://HOST:PORT"),
    Row(
      "a limit of requests per time", ["--rate", "2/s", "u"], "garner has no option --rate (curl has)",
      hint: "--parallel-max limits concurrent transfers, and --limit-rate their speed"),
    Row(
      "a variable of curl", ["--expand-url", "u"], "garner has no option --expand-url (curl has)",
      hint: "use the variables of the shell"),
    Row(
      "output forms that contradict each other", ["cache", "ls", "--json", "--jsonl"],
      "option --json: cannot be combined with --jsonl"),
    Row(
      "further output forms that contradict each other", ["cache", "ls", "-0", "--json"],
      "option --null: cannot be combined with --json"),
    Row(
      "an invalid class of statuses", ["cache", "ls", "--status", "9xx"],
      "option --status: expected status codes such as 200,404 or 2xx, not '9xx'"),
    Row(
      "a digest that is too short", ["--sha256", "abc", "u"],
      "option --sha256: expected 64 hexadecimal digits, but there are 3"),
    Row(
      "the digests of several files", ["--sha256", "ab  a\nab  b", "u"],
      "option --sha256: expected one digest, but there are several lines"),
    Row(
      "text in place of a digest", ["--sha256", "SHA256:tool.tgz", "u"],
      "option --sha256: expected 64 hexadecimal digits, not 'SHA256:tool.tgz'"),
    Row(
      "an option in place of JSON", ["cache", "check", "--json", "--offline", "u"],
      "option --json: expected JSON, but got an option"),
    Row(
      "a URL in place of JSON", ["--json", "http://a.test/", "u"], "option --json: expected JSON, but got a URL"),
    Row(
      "integrity metadata of an unknown algorithm", ["--integrity", "md5-AAAA", "u"],
      "option --integrity: expected sha256-, sha384- or sha512- and a digest in Base64, not 'md5-AAAA'"),
    Row("an invalid offset", ["-C", "x", "u"], "option -C: expected a whole number, not 'x'"),
    Row(
      "an invalid rate", ["--limit-rate", "1Q", "u"],
      "option --limit-rate: expected a size such as 4096, 500K, 20M or 2GiB, not '1Q'"),
    Row(
      "an impossible exit status", ["--exit-unchanged=256", "u"],
      "option --exit-unchanged: expected a number from 1 to 255, not '256'"),
    Row(
      "a tag without a key", ["--tag", "=a", "u"], "option --tag: expected KEY=VALUE, such as project=web, not '=a'"),
    Row(
      "a tag without a value", ["--tag", "a", "u"], "option --tag: expected KEY=VALUE, such as project=web, not 'a'"),
    Row(
      "a URL among tags", ["cache", "tag", "u", "http://a.test/?b=c"],
      "expected KEY=VALUE, such as project=web, not 'http://a.test/?b=c'"),
    Row(
      "a tag of two lines", ["--tag", "a=b\nc", "u"],
      "option --tag: a tag is text in UTF-8, without control characters"),
    Row(
      "a stored field that describes the content", ["--store-header", "content-encoding: gzip", "u"],
      "option --store-header: content-encoding describes the content, which is stored as it came"),
    Row(
      "a stripped field that describes the content", ["--strip-header", "Content-Length", "u"],
      "option --strip-header: Content-Length describes the content, which is stored as it came"),
    Row(
      "an invalid name of a field to strip", ["--strip-header", "A B", "u"],
      "option --strip-header: expected the name of a field, not 'A B'"),
    Row(
      "an invalid status to store", ["--store-status", "200,20", "u"],
      "option --store-status: expected status codes such as 200,404 or 2xx, not '200,20'"),
    Row(
      "a hook with a time limit of 0", ["--store-hook-timeout", "0", "u"],
      "option --store-hook-timeout: expected a time above 0, not '0'"),
    Row("a hook with a NUL", ["--store-hook", "a\0", "u"], "option --store-hook: the value holds a NUL byte"),
    Row(
      "an invalid lifetime", ["--ttl", "x", "u"],
      "option --ttl: expected a time such as 30, 1.5, 30s, 10m, 12h, 7d or 4w, not 'x'"),
    Row(
      "a negative number of redirects", ["--max-redirs", "-2", "u"],
      "option --max-redirs: expected -1 or more, not '-2'"),
    Row(
      "a negative ratio", ["--max-ratio", "-1", "u"],
      "option --max-ratio: expected a whole number, not '-1'"),
    Row(
      "an unknown policy", ["--cache-policy", "relaod", "u"],
      "option --cache-policy: expected one of protocol, reload, reload-all, revalidate, cache-else-load, cache-only, "
        + "cache-only-strict, network-first, no-store, not 'relaod'", hint: "did you mean reload?"),
    Row("an unknown offline mode", ["--offline=1", "u"], "option --offline: expected strict, not '1'"),
    Row("an empty key", ["--cache-key", "", "u"], "option --cache-key: the key is empty"),
    Row("a key with a line feed", ["--cache-key", "a\n", "u"], "option --cache-key: the value holds a line feed"),
    Row(
      "an empty name of a parameter", ["--ignore-param=", "u"],
      "option --ignore-param: the name of the parameter is empty"),
    Row(
      "an empty partition", ["--cache-partition=", "u"],
      "option --cache-partition: the name of the partition is empty"),
    Row(
      "an invalid credential field", ["--credential-field", "a b", "u"],
      "option --credential-field: expected the name of a field, not 'a b'"),
    Row(
      "a negotiation field as a credential field", ["--credential-field", "accept", "u"],
      "option --credential-field: accept selects the form of the response, and does not identify the user"),
    Row(
      "an invalid capacity", ["--memory-capacity", "much", "u"],
      "option --memory-capacity: expected a size such as 4096, 500K, 20M or 2GiB, not 'much'"),
    Row(
      "an invalid size", ["--disk-capacity", "much", "u"],
      "option --disk-capacity: expected a size such as 4096, 500K, 20M or 2GiB, not 'much'"),
    Row(
      "a negative size", ["--max-object-size=-1", "u"],
      "option --max-object-size: expected a size such as 4096, 500K, 20M or 2GiB, not '-1'"),
    Row(
      "an unknown network state", ["--reachability", "wlan", "u"],
      "option --reachability: expected one of off, auto, unknown, not-reachable, wwan, wifi, lan, not 'wlan'",
      hint: "did you mean wwan?"),
    Row(
      "a state without a policy", ["--reachability-policy", "wwan", "u"],
      "option --reachability-policy: expected STATE=POLICY, such as wwan=cache-only, not 'wwan'"),
    Row(
      "a policy for an unknown state", ["--reachability-policy", "auto=reload", "u"],
      "option --reachability-policy: expected one of unknown, not-reachable, wwan, wifi, lan, not 'auto'"),
    Row(
      "an unknown policy for a state", ["--reachability-policy", "wifi=cache-onyl", "u"],
      "option --reachability-policy: expected one of protocol, reload, reload-all, revalidate, cache-else-load, "
        + "cache-only, cache-only-strict, network-first, no-store, not 'cache-onyl'",
      hint: "did you mean cache-only?"),
    Row("two URLs for the network command", ["network", "u", "v"], "'garner network' does not take the argument 'v'"),
    Row(
      "cache alone", ["cache"],
      "'garner cache' needs a command: ls, show, cat, explain, rm, clear, prune, verify, stats, pin, unpin, tag, "
        + "check, export, import, dir"),
    Row(
      "cache with a typing error", ["cache", "shwo"],
      "'garner cache' has no command 'shwo', only ls, show, cat, explain, rm, clear, prune, verify, stats, pin, "
        + "unpin, tag, check, export, import, dir",
      hint: "did you mean show?"),
    Row(
      "cache with a command of another name", ["cache", "delete", "u"],
      "'garner cache' has no command 'delete', only ls, show, cat, explain, rm, clear, prune, verify, stats, "
        + "pin, unpin, tag, check, export, import, dir",
      hint: "did you mean rm?"),
    Row(
      "cache with the word get", ["cache", "get", "u"],
      "'garner cache' has no command 'get', only ls, show, cat, explain, rm, clear, prune, verify, stats, pin, "
        + "unpin, tag, check, export, import, dir",
      hint: "did you mean cat?"),
    Row(
      "rm without a pattern", ["cache", "rm", "--if-exists"],
      "'garner cache rm' needs PATTERN or --all", hint: "see 'garner cache rm --help'"),
    Row(
      "tag without a tag", ["cache", "tag", "u"], "'garner cache tag' needs KEY=VALUE or --delete",
      hint: "see 'garner cache tag --help'"),
    Row("a tag without a value", ["cache", "tag", "u", "k"], "expected KEY=VALUE, such as project=web, not 'k'"),
    Row(
      "check without a URL", ["cache", "check", "--offline"], "'garner cache check' needs URL",
      hint: "see 'garner cache check --help'"),
    Row(
      "pin without a pattern", ["cache", "pin"], "'garner cache pin' needs PATTERN",
      hint: "see 'garner cache pin --help'"),
    Row(
      "an unknown field of a format", ["cache", "ls", "--format", "{urk}"],
      "option --format: there is no field 'urk'", hint: "did you mean {url}?"),
    Row(
      "a host with a path", ["cache", "ls", "--host", "a/b"],
      "option --host: expected a host such as example.com, *.example.com or 127.0.0.1:8080, not 'a/b'"),
    Row(
      "an invalid status as a filter", ["cache", "rm", "--status", "4x"],
      "option --status: expected status codes such as 200,404 or 2xx, not '4x'"),
    Row(
      "an unknown shell", ["completions", "csh"], "SHELL: expected one of bash, zsh, fish, not 'csh'",
      hint: "did you mean zsh?"),
    Row(
      "no shell", ["completions"], "'garner completions' needs SHELL",
      hint: "see 'garner completions --help'"),
    Row(
      "an option of cache ls for cache prune", ["cache", "prune", "--newer-than", "1d"],
      "option --newer-than does not belong to 'garner cache prune'", hint: "'garner cache ls' has it"),
    Row(
      "an option of cache ls for a fetch", ["--limit", "3", "u"], "option --limit does not belong to 'garner'",
      hint: "'garner cache ls' has it"),
    Row(
      "a letter before the command that means another option there", ["-n", "cache", "rm", "u"],
      "option -n belongs after the command: garner cache rm -n"),
    Row(
      "an option between the words of a command", ["cache", "-n", "rm", "u"],
      "option -n belongs after the command: garner cache COMMAND -n"),
    Row(
      "an option before a command that does not have it", ["--reachability", "wwan", "cache", "ls"],
      "option --reachability does not belong to 'garner cache ls'"),
    Row(
      "an option of a fetch for a command", ["cache", "ls", "-o", "f"], "option -o does not belong to 'garner cache ls'"
    ),
  ]

  static let files: [ArgumentText] = [
    "-o", "-D", "-c", "-E", "-K", "--cacert", "--key", "--netrc-file", "--pinnedpubkey", "--config", "--input-file",
  ]

  @Test("An empty file name is refused, with the option that has it", arguments: files)
  func namelessFile(_ option: ArgumentText) {
    let error = #expect(throws: UsageError.self) { try CommandLineInterface.parse([option, "", "u"]) }
    #expect(error?.message == "option \(option.visible): the name of a file is empty")
  }

  @Test(
    "An empty directory name is refused, with the option that has it",
    arguments: ["--cache-dir", "--output-dir", "--capath"] as [ArgumentText])
  func namelessDirectory(_ option: ArgumentText) {
    let error = #expect(throws: UsageError.self) { try CommandLineInterface.parse([option, "", "u"]) }
    #expect(error?.message == "option \(option.visible): the name of a directory is empty")
  }

  @Test(
    "An empty file name after @ is refused, with the option that has it",
    arguments: [
      ("-H", "@"), ("-d", "@"), ("--data-binary", "@"), ("--json", "@"), ("--data-urlencode", "@"),
      ("--data-urlencode", "n@"), ("--url-query", "@"), ("--url-query", "n@"), ("-w", "@"),
    ] as [(ArgumentText, ArgumentText)])
  func namelessFileBehindAt(_ option: ArgumentText, _ value: ArgumentText) {
    let error = #expect(throws: UsageError.self) { try CommandLineInterface.parse([option, value, "u"]) }
    #expect(error?.message == "option \(option.visible): the name of a file is missing after @")
  }

  @Test("An impossible command line is refused with one line", arguments: rows + topics)
  func refuses(_ row: Row) { row.check() }
}
