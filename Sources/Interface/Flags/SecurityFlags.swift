package import FlagTable

/// The options of TLS: whom a connection trusts, and which identity it shows.
package struct SecurityOptions: Equatable, Sendable {
  package enum TLSVersion: Equatable, Sendable {
    case tls12
    case tls13
  }

  package var authorityDirectory: ArgumentText?
  package var certificate: ArgumentText?
  package var key: ArgumentText?
  package var passphrase: ArgumentText?
  package var pinnedKey: ArgumentText?
  package var minimumVersion: TLSVersion?
  package var maximumVersion: TLSVersion?
  /// The ciphers for TLS 1.2, in OpenSSL's notation.
  package var ciphers: ArgumentText?
  package var tls13Ciphers: ArgumentText?
}

enum SecurityFlags {
  static let all: [Flag<Invocation>] = [
    authorityDirectory, certificate, key, passphrase, pinnedKey, tls12, tls13, maximumTLS, ciphers, tls13Ciphers,
  ]

  /// The flags whose settings are part of the cache key, because they change whom a connection trusts or who the client
  /// is.
  static var keyed: [Flag<Invocation>] { [authorityDirectory, certificate, pinnedKey, ciphers] }

  static let authorityDirectory = Flag<Invocation>(
    "capath", value: "DIRECTORY", completes: .directory, in: .connection,
    summary: "Trust the certificate authorities in DIRECTORY.",
    details: """
      DIRECTORY holds certificates in PEM format under the names that `openssl rehash` gives them. Responses are stored
      separately.
      """
  ) { invocation, text throws(InvalidValue) in
    invocation.connection.security.authorityDirectory = try FileName.checkDirectory(text)
  }

  static let certificate = Flag<Invocation>(
    "cert", short: "E", value: "FILE[:PASSWORD]", completes: .file, in: .connection,
    facts: { .init(also: .passphrase, secrecy: .behind(prefix: CertificateText(parsing: $0).secretStart)) },
    summary: "Present the client certificate in FILE to servers that ask for one.",
    details: """
      FILE is in PEM format. The private key is in FILE, too, or in the file of `--key`. Write a backslash before a
      colon that belongs to the name. Responses are stored separately for each content of FILE. After a redirect,
      another origin gets the certificate only with `--location-trusted`.
      """
  ) { invocation, text throws(InvalidValue) in
    let certificate = CertificateText(parsing: text)
    invocation.connection.security.certificate = try FileName.check(certificate.file)
    if let passphrase = certificate.passphrase { invocation.connection.security.passphrase = passphrase }
  }

  static let key = Flag<Invocation>(
    "key", value: "FILE", completes: .file, in: .connection,
    summary: "Read the private key of --cert from FILE."
  ) { invocation, text throws(InvalidValue) in invocation.connection.security.key = try FileName.check(text) }

  static let passphrase = Flag<Invocation>(
    "pass", value: "PASSWORD", in: .connection, facts: { _ in .init(also: .passphrase, secrecy: .all) },
    summary: "Decrypt the private key with PASSWORD."
  ) { invocation, text in invocation.connection.security.passphrase = text }

  static let pinnedKey = Flag<Invocation>(
    "pinnedpubkey", value: "HASHES", completes: .file, in: .connection,
    summary: "Accept only a server with one of these public keys.",
    details: """
      HASHES is `sha256//` and a digest in Base64, with several separated by semicolons, or the name of a file with the
      key in PEM or DER format. Responses are stored separately.
      """
  ) { invocation, text throws(InvalidValue) in invocation.connection.security.pinnedKey = try FileName.check(text) }

  static let tls12 = Flag<Invocation>(
    "tlsv1.2", in: .connection, facts: { _ in .init(also: .minimumTLS) },
    summary: "Use TLS 1.2 or later.",
    details: "This is the default: earlier versions are never used (RFC 8996)."
  ) { $0.connection.security.minimumVersion = .tls12 }

  static let tls13 = Flag<Invocation>(
    "tlsv1.3", in: .connection, facts: { _ in .init(also: .minimumTLS) },
    summary: "Use TLS 1.3 or later."
  ) { $0.connection.security.minimumVersion = .tls13 }

  static let maximumTLS = Flag<Invocation>(
    "tls-max", value: "VERSION", completes: .choices(["default", "1.2", "1.3"]), in: .connection,
    summary: "Use no version of TLS later than VERSION, 1.2 or 1.3."
  ) { invocation, text throws(InvalidValue) in
    switch text {
    case "default": invocation.connection.security.maximumVersion = nil
    case "1.2": invocation.connection.security.maximumVersion = .tls12
    case "1.3": invocation.connection.security.maximumVersion = .tls13
    case "1.0", "1.1": throw .unacceptable("TLS before 1.2 is not supported (RFC 8996)")
    default: throw .notOneOf(["default", "1.2", "1.3"])
    }
  }

  static let ciphers = Flag<Invocation>(
    "ciphers", value: "LIST", in: .connection,
    summary: "Use these ciphers with TLS 1.2, in OpenSSL's notation.",
    details: "`@SECLEVEL` in LIST also decides which certificates are too weak; responses are then stored separately."
  ) { invocation, text in invocation.connection.security.ciphers = text }

  static let tls13Ciphers = Flag<Invocation>(
    "tls13-ciphers", value: "LIST", in: .connection,
    summary: "Use these cipher suites with TLS 1.3."
  ) { invocation, text in invocation.connection.security.tls13Ciphers = text }
}
