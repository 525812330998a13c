import FlagTable

/// The options of curl that garner does not have.
enum CurlOptions {
  static var absent: ForeignOptions {
    var options = kin.flatMap { kin in
      kin.names.split(whereSeparator: { $0 == " " || $0 == "\n" }).map { option($0, nearest: kin.nearest) }
    }
    options += advice.map { name, advice in ForeignOption(name, advice: advice) }
    return ForeignOptions(of: "curl", options)
  }

  /// Reads `name` or `name:letter`.
  private static func option(_ text: Substring, nearest: String?) -> ForeignOption {
    let name = text.prefix { $0 != ":" }
    return ForeignOption(String(name), short: text.dropFirst(name.count + 1).unicodeScalars.first, nearest: nearest)
  }

  /// Options that something else than a flag serves for.
  private static let advice: [(name: String, advice: String)] = [
    ("stderr", "in a shell, '2> FILE' has what is told written to FILE"),
    ("create-file-mode", "'umask' in a shell says who may read and write new files"),
  ]

  /// Options by the flag that serves most nearly; `nil` where none does, or the spelling leads to it.
  private static let kin: [(nearest: String?, names: String)] = [
    ("refresh", "etag-save etag-compare time-cond:z"),
    ("cacert", "ca-native proxy-cacert proxy-capath proxy-ca-native"),
    ("insecure", "proxy-insecure doh-insecure"),
    ("http1.1", "http0.9"),
    ("http2", "http3 http3-only proxy-http2"),
    ("verbose", "trace trace-ascii trace-time trace-config trace-ids"),
    ("user", "anyauth digest ntlm negotiate aws-sigv4"),
    ("header", "proxy-header"),
    ("output", "skip-existing"),
    ("connect-timeout", "expect100-timeout happy-eyeballs-timeout-ms"),
    ("color", "styled-output"),
    ("proxy", "preproxy proxy1.0 proxytunnel:p socks4 socks4a socks5 socks5-hostname"),
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
      rate raw request-target sasl-authzid sasl-ir service-name sessionid sigalgs socks5-basic socks5-gssapi
      socks5-gssapi-nec socks5-gssapi-service ssl ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ssl-reqd
      ssl-revoke-best-effort suppress-connect-headers tcp-fastopen tcp-nodelay telnet-option:t tftp-blksize
      tftp-no-options tls-earlydata tlsauthtype tlspassword tlsuser upload-flags variable vlan-priority xattr
      """
    ),
  ]
}
