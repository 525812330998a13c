import FlagTable

/// The options of other programs that garner does not have.
enum ForeignOptionTables {
  static var all: [ForeignOptions] { [CurlOptions.absent, WgetOptions.absent, AriaOptions.absent] }
}

extension ForeignOptions {
  /// - Parameter options: names with blanks between, each as `name` or `name:letter`, grouped by what replaces them.
  fileprivate init(of owner: String, _ options: [(substitute: ForeignOption.Substitute, names: String)]) {
    var all: [ForeignOption] = []
    for (substitute, names) in options {
      for text in names.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
        let name = text.prefix { $0 != ":" }
        let short = text.dropFirst(name.count + 1).unicodeScalars.first
        all.append(ForeignOption(String(name), short: short, substitute))
      }
    }
    self.init(of: owner, all)
  }
}

enum CurlOptions {
  static var absent: ForeignOptions { ForeignOptions(of: "curl", options) }

  private static let options: [(substitute: ForeignOption.Substitute, names: String)] = [
    (.advice("in a shell, '2> FILE' writes messages to FILE"), "stderr"),
    (.advice("in a shell, 'umask' sets the permissions of new files"), "create-file-mode"),
    (.advice("use the variables of the shell"), "variable expand-"),
    (
      .advice("the scheme of --proxy selects it: -x socks5h://HOST:PORT"),
      "preproxy socks4 socks4a socks5 socks5-hostname"
    ),
    (.advice("--parallel-max limits concurrent transfers, and --limit-rate their speed"), "rate"),
    (.flag("refresh"), "etag-save etag-compare time-cond:z"),
    (.flag("cacert"), "ca-native"),
    // No option for origins is suggested for a proxy: a secret for one is not for the other.
    (.nothing, "proxy-cacert proxy-capath proxy-ca-native proxy-insecure proxy-header doh-insecure"),
    // No option that sends a password in clear text is suggested for those that protect it.
    (.nothing, "anyauth digest ntlm negotiate aws-sigv4"),
    // The options with similar names do something else, or the opposite.
    (.nothing, "buffer progress-meter"),
    (.nothing, "cert-status compressed-ssh dns-interface ftp-create-dirs no-npn upload-flags use-ascii:B proxy-pass"),
    (.nothing, "proxy-cert proxy-http2 proxy-key proxy-pinnedpubkey proxy-tls13-ciphers proxy-tlsuser"),
    (.flag("http1.1"), "http0.9"),
    (.flag("http2"), "http3 http3-only"),
    (.flag("verbose"), "trace trace-ascii trace-time trace-config trace-ids"),
    (.flag("prefer-offline"), "skip-existing"),
    (.flag("connect-timeout"), "expect100-timeout happy-eyeballs-timeout-ms"),
    (.flag("color"), "styled-output"),
    (.flag("proxy"), "proxy1.0 proxytunnel:p"),
    (.flag("compressed"), "tr-encoding"),
    (.flag("help"), "manual:M"),
    (.flag("request"), "post301 post302 post303"),
    (.flag("location"), "follow"),
    (.flag("tlsv1.2"), "tlsv1:1 tlsv1.0 tlsv1.1 sslv2:2 sslv3:3"),
    (.flag("parallel"), "parallel-immediate"),
    (.flag("parallel-max"), "parallel-max-host"),
    (
      .spelling,
      """
      alpn append:a cert-type crlf crlfile curves delegation disable-eprt disable-epsv disallow-username-in-url
      dns-ipv4-addr dns-ipv6-addr dns-servers doh-cert-status dump-ca-embed ech egd-file engine false-start form-escape
      ftp-account ftp-alternative-to-user ftp-method ftp-pasv ftp-port:P ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc
      ftp-ssl-ccc-mode ftp-ssl-control haproxy-clientip haproxy-protocol hostpubmd5 hostpubsha256 ignore-content-length
      ip-tos ipfs-gateway keepalive keepalive-cnt keepalive-time key-type krb libcurl list-only:l local-port
      login-options mail-auth mail-from mail-rcpt mail-rcpt-allowfails metalink mptcp no-alpn no-keepalive no-sessionid
      npn ntlm-wb out-null proto-default proxy-anyauth proxy-cert-type proxy-ciphers
      proxy-crlfile proxy-digest proxy-key-type proxy-negotiate proxy-ntlm proxy-service-name
      proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tlsauthtype proxy-tlspassword proxy-tlsv1 pubkey quote:Q
      random-file raw request-target sasl-authzid sasl-ir service-name sessionid sigalgs socks5-basic socks5-gssapi
      socks5-gssapi-nec socks5-gssapi-service ssl ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ssl-reqd
      ssl-revoke-best-effort suppress-connect-headers tcp-fastopen tcp-nodelay telnet-option:t tftp-blksize
      tftp-no-options tls-earlydata tlsauthtype tlspassword tlsuser vlan-priority xattr
      """
    ),
  ]
}

/// wget's options. Letters are left out, because they mean other things in curl and in garner.
enum WgetOptions {
  static var absent: ForeignOptions { ForeignOptions(of: "wget", options) }

  private static let options: [(substitute: ForeignOption.Substitute, names: String)] = [
    (.advice("'-C -' continues a file, and an interrupted download continues by itself"), "continue"),
    (.advice("in a shell, '2> FILE' writes messages to FILE"), "output-file"),
    (.advice("in a shell, '2>> FILE' appends messages to FILE"), "append-output"),
    (.advice("in a shell, 'garner URL &' runs in the background"), "background"),
    (.advice("'garner cache export' writes stored responses to an archive"), "warc-file"),
    (.advice("garner fetches only the given URLs, and follows no links"), "recursive mirror page-requisites level"),
    (.advice("'-o /dev/null' keeps a response only in the cache"), "delete-after"),
    (.flag("reload"), "no-cache"),
    (.advice("the cache does that; --refresh validates even fresh responses"), "timestamping"),
    (.flag("silent"), "quiet"),
    (.flag("verbose"), "debug"),
    (.flag("include"), "save-headers server-response"),
    (.advice("'--no-store -I -o /dev/null' checks whether it exists"), "spider"),
    (.flag("output"), "output-document"),
    (.flag("output-dir"), "directory-prefix"),
    (.flag("remote-header-name"), "content-disposition"),
    (.flag("remote-time"), "use-server-timestamps"),
    (.advice("files have the time when they came, unless --remote-time is given"), "no-use-server-timestamps"),
    (.flag("progress-bar"), "show-progress progress"),
    (.flag("retry"), "tries"),
    (.flag("retry-delay"), "waitretry"),
    (.flag("retry-all-errors"), "retry-on-http-error retry-on-host-error"),
    (.advice("'--connect-timeout S -y S -Y 1' does that; --max-time limits the whole transfer"), "timeout"),
    (.flag("connect-timeout"), "dns-timeout"),
    (.flag("speed-time"), "read-timeout"),
    (.flag("range"), "start-pos"),
    (.flag("max-filesize"), "quota"),
    (.flag("max-redirs"), "max-redirect"),
    (.flag("no-fail"), "content-on-error"),
    (.flag("data"), "post-data body-data"),
    (.flag("data-binary"), "post-file body-file"),
    (.flag("request"), "method"),
    (.flag("cookie"), "load-cookies"),
    (.flag("cookie-jar"), "save-cookies keep-session-cookies"),
    (.flag("user"), "http-user http-password password ask-password use-askpass auth-no-challenge"),
    (.flag("proxy-user"), "proxy-password"),
    (.flag("noproxy"), "no-proxy"),
    (.flag("interface"), "bind-address"),
    (.flag("ipv4"), "inet4-only prefer-family"),
    (.flag("ipv6"), "inet6-only"),
    (.flag("insecure"), "no-check-certificate"),
    (.flag("cacert"), "ca-certificate"),
    (.flag("capath"), "ca-directory"),
    (.flag("cert"), "certificate"),
    (.flag("key"), "private-key"),
    (.flag("tlsv1.2"), "secure-protocol"),
    (.flag("proto"), "https-only"),
    (.flag("hsts"), "hsts-file"),
    // The options with similar names do something else, or the opposite.
    (.nothing, "no-hsts accept ignore-case ignore-tags no-parent warc-header"),
    (.flag("compressed"), "compression"),
    (.flag("globoff"), "no-glob"),
    (.flag("disable"), "no-config"),
    (
      .spelling,
      """
      accept-regex adjust-extension backup-converted backups base certificate-type convert-file-only convert-links
      cut-dirs default-page domains exclude-directories exclude-domains execute follow-ftp follow-tags
      force-directories force-html ignore-length include-directories local-encoding no-cookies
      no-directories no-dns-cache no-host-directories no-http-keep-alive no-if-modified-since no-iri no-remove-listing
      preserve-permissions private-key-type protocol-directories random-wait regex-type
      reject reject-regex rejected-log relative remote-encoding report-speed restrict-file-names span-hosts
      strict-comments trust-server-names unlink wait warc-cdx warc-dedup warc-max-size warc-tempdir
      """
    ),
  ]
}

/// aria2c's options for HTTP. Letters are left out, as for wget.
enum AriaOptions {
  static var absent: ForeignOptions { ForeignOptions(of: "aria2c", options) }

  private static let options: [(substitute: ForeignOption.Substitute, names: String)] = [
    (.advice("'--sha256 HEX' is for SHA-256, '--integrity' for SHA-384 and SHA-512"), "checksum check-integrity"),
    (.advice("in a shell, 'garner URL &' runs in the background"), "daemon"),
    (.advice("each file is fetched over one connection"), "max-connection-per-server split min-split-size"),
    (.flag("parallel-max"), "max-concurrent-downloads"),
    (.flag("limit-rate"), "max-download-limit"),
    (
      .advice("--limit-rate is for each transfer; --parallel-max limits how many go on at a time"),
      "max-overall-download-limit"
    ),
    (.flag("speed-limit"), "lowest-speed-limit"),
    (.flag("output-dir"), "dir"),
    (.flag("output"), "out"),
    (.flag("retry"), "max-tries"),
    (.flag("retry-delay"), "retry-wait"),
    (.flag("clobber"), "allow-overwrite auto-file-renaming"),
    (.advice("the cache does that; --refresh validates even fresh responses"), "conditional-get"),
    (.flag("insecure"), "check-certificate"),
    (.flag("user"), "http-passwd"),
    (.flag("proxy"), "all-proxy http-proxy https-proxy"),
    (.flag("proxy-user"), "all-proxy-user all-proxy-passwd http-proxy-user http-proxy-passwd"),
    (.flag("compressed"), "http-accept-gzip"),
    (.flag("config"), "conf-path"),
    (.flag("disable"), "no-conf"),
    (.flag("silent"), "console-log-level"),
    // The options with similar names do something else.
    (.nothing, "seed-time"),
    (.spelling, "auto-save-interval enable-rpc file-allocation force-sequential summary-interval"),
  ]
}
