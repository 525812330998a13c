import FlagTable

/// The options that users of other programs type, and garner does not have.
enum OptionsOfOthers {
  static var all: [ForeignOptions] { [CurlOptions.absent, WgetOptions.absent] }
}

extension ForeignOptions {
  /// - Parameters:
  ///   - kin: options, as `name` or `name:letter`, by the flag that serves most nearly; `nil` where the spelling leads
  ///     to it, if there is one, and empty where none serves, whatever the spelling leads to.
  ///   - advice: options that something else than one flag serves for.
  fileprivate init(
    of owner: String, kin: [(nearest: String?, names: String)], advice: [(names: String, advice: String)]
  ) {
    var options: [ForeignOption] = []
    func add(_ names: String, _ nearest: String?, _ advice: String?) {
      for text in names.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
        let name = text.prefix { $0 != ":" }
        let short = text.dropFirst(name.count + 1).unicodeScalars.first
        options.append(ForeignOption(String(name), short: short, nearest: nearest, advice: advice))
      }
    }
    for (nearest, names) in kin { add(names, nearest, nil) }
    for (names, advice) in advice { add(names, nil, advice) }
    self.init(of: owner, options)
  }
}

enum CurlOptions {
  static var absent: ForeignOptions { ForeignOptions(of: "curl", kin: kin, advice: advice) }

  private static let advice: [(names: String, advice: String)] = [
    ("stderr", "in a shell, '2> FILE' has what is told written to FILE"),
    ("create-file-mode", "'umask' in a shell says who may read and write new files"),
    ("variable expand-", "a shell has variables"),
    ("preproxy socks4 socks4a socks5 socks5-hostname", "the scheme of --proxy says it: -x socks5h://HOST:PORT"),
    ("rate", "--parallel-max and --limit-rate bound what is asked for at a time"),
  ]

  private static let kin: [(nearest: String?, names: String)] = [
    ("refresh", "etag-save etag-compare time-cond:z"),
    ("cacert", "ca-native"),
    // What is an origin's is not a proxy's, and a secret for one is not for the other.
    ("", "proxy-cacert proxy-capath proxy-ca-native proxy-insecure proxy-header doh-insecure"),
    // What takes a password along in clear is no kin of what keeps it.
    ("", "anyauth digest ntlm negotiate aws-sigv4"),
    ("http1.1", "http0.9"),
    ("http2", "http3 http3-only proxy-http2"),
    ("verbose", "trace trace-ascii trace-time trace-config trace-ids"),
    ("prefer-offline", "skip-existing"),
    ("connect-timeout", "expect100-timeout happy-eyeballs-timeout-ms"),
    ("color", "styled-output"),
    ("proxy", "proxy1.0 proxytunnel:p"),
    ("compressed", "tr-encoding"),
    ("help", "manual:M"),
    ("request", "post301 post302 post303"),
    ("data-ascii", "use-ascii:B"),
    ("location", "follow"),
    ("tlsv1.2", "tlsv1:1 tlsv1.0 tlsv1.1 sslv2:2 sslv3:3"),
    ("parallel", "parallel-immediate"),
    ("parallel-max", "parallel-max-host"),
    (
      nil,
      """
      alpn append:a buffer cert-status cert-type compressed-ssh crlf crlfile curves delegation
      disable-eprt disable-epsv disallow-username-in-url dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers
      doh-cert-status dump-ca-embed ech egd-file engine false-start form-escape ftp-account ftp-alternative-to-user
      ftp-create-dirs ftp-method ftp-pasv ftp-port:P ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc ftp-ssl-ccc-mode
      ftp-ssl-control haproxy-clientip haproxy-protocol hostpubmd5 hostpubsha256 ignore-content-length ip-tos
      ipfs-gateway keepalive keepalive-cnt keepalive-time key-type krb libcurl list-only:l local-port login-options
      mail-auth mail-from mail-rcpt mail-rcpt-allowfails metalink mptcp no-alpn no-keepalive no-npn no-sessionid npn
      ntlm-wb out-null progress-meter proto-default proxy-anyauth proxy-basic proxy-cert
      proxy-cert-type proxy-ciphers proxy-crlfile proxy-digest proxy-key proxy-key-type proxy-negotiate proxy-ntlm
      proxy-pass proxy-pinnedpubkey proxy-service-name proxy-ssl-allow-beast proxy-ssl-auto-client-cert
      proxy-tls13-ciphers proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-tlsv1 pubkey quote:Q random-file
      raw request-target sasl-authzid sasl-ir service-name sessionid sigalgs socks5-basic socks5-gssapi
      socks5-gssapi-nec socks5-gssapi-service ssl ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ssl-reqd
      ssl-revoke-best-effort suppress-connect-headers tcp-fastopen tcp-nodelay telnet-option:t tftp-blksize
      tftp-no-options tls-earlydata tlsauthtype tlspassword tlsuser upload-flags vlan-priority xattr
      """
    ),
  ]
}

/// Without letters: the same ones mean other things in curl, and in garner.
enum WgetOptions {
  static var absent: ForeignOptions { ForeignOptions(of: "wget", kin: kin, advice: advice) }

  private static let advice: [(names: String, advice: String)] = [
    ("continue", "'-C -' continues a file, and an interrupted download continues by itself"),
    ("output-file", "in a shell, '2> FILE' has what is told written to FILE"),
    ("append-output", "in a shell, '2>> FILE' adds what is told to FILE"),
    ("background", "in a shell, 'garner URL &' goes on in the background"),
    ("warc-file", "'garner cache export' writes what is stored to an archive"),
    ("delete-after", "'-o /dev/null' keeps a response in the store only"),
  ]

  private static let kin: [(nearest: String?, names: String)] = [
    ("reload", "no-cache"),
    ("refresh", "timestamping"),
    ("silent", "quiet"),
    ("verbose", "debug server-response"),
    ("include", "save-headers"),
    ("head", "spider"),
    ("output", "output-document"),
    ("output-dir", "directory-prefix"),
    ("remote-header-name", "content-disposition"),
    ("remote-time", "use-server-timestamps no-use-server-timestamps"),
    ("progress-bar", "show-progress progress"),
    ("retry", "tries"),
    ("retry-delay", "waitretry"),
    ("retry-all-errors", "retry-on-http-error retry-on-host-error"),
    ("max-time", "timeout"),
    ("connect-timeout", "dns-timeout"),
    ("speed-time", "read-timeout"),
    ("range", "start-pos"),
    ("max-filesize", "quota"),
    ("max-redirs", "max-redirect"),
    ("no-fail", "content-on-error"),
    ("data", "post-data body-data"),
    ("data-binary", "post-file body-file"),
    ("request", "method"),
    ("cookie", "load-cookies"),
    ("cookie-jar", "save-cookies keep-session-cookies"),
    ("user", "http-user http-password password ask-password use-askpass auth-no-challenge"),
    ("proxy-user", "proxy-password"),
    ("noproxy", "no-proxy"),
    ("interface", "bind-address"),
    ("ipv4", "inet4-only prefer-family"),
    ("ipv6", "inet6-only"),
    ("insecure", "no-check-certificate"),
    ("cacert", "ca-certificate"),
    ("capath", "ca-directory"),
    ("cert", "certificate"),
    ("key", "private-key"),
    ("tlsv1.2", "secure-protocol"),
    ("proto", "https-only"),
    ("hsts", "no-hsts hsts-file"),
    ("compressed", "compression"),
    ("globoff", "no-glob"),
    ("disable", "no-config"),
    (
      nil,
      """
      accept accept-regex adjust-extension backup-converted backups base certificate-type convert-file-only
      convert-links cut-dirs default-page domains exclude-directories exclude-domains execute follow-ftp follow-tags
      force-directories force-html ignore-case ignore-length ignore-tags include-directories level local-encoding
      mirror no-cookies no-directories no-dns-cache no-host-directories no-http-keep-alive no-if-modified-since no-iri
      no-parent no-remove-listing page-requisites preserve-permissions private-key-type protocol-directories
      random-wait recursive regex-type reject reject-regex rejected-log relative remote-encoding report-speed
      restrict-file-names span-hosts strict-comments trust-server-names unlink wait warc-cdx warc-dedup warc-header
      warc-max-size warc-tempdir
      """
    ),
  ]
}
