import FlagTable

/// The options that say how an archive is written and read.
package struct ArchiveOptions: Equatable, Sendable {
  /// Whether HAR is written instead of WARC.
  package var isHAR = false
  /// Whether what gives access is left out of the archive.
  package var isRedacted = false
  /// Whether responses are imported, too, that the origin has forbidden to store or that were for certain requests
  /// only.
  package var importsAll = false
}

enum ArchiveFlags {
  static var ofExport: [Flag<Invocation>] { [har, redact] }
  static var ofImport: [Flag<Invocation>] { [all] }

  static let har = Flag<Invocation>(
    "har", in: .archives, scope: .command,
    summary: "Write HAR 1.2, which browsers read, instead of WARC.",
    details: """
      A name that ends in `.har` or `.har.gz` does the same. Bodies are written without their content coding; responses
      with an unknown coding are left out.
      """
  ) { $0.archive.isHAR = true }

  static let redact = Flag<Invocation>(
    "redact", in: .archives, scope: .command,
    summary: "Leave out credentials and other secrets.",
    details: """
      Responses to requests with credentials are left out, and so are Set-Cookie and all fields whose names suggest a
      credential. Values of parameters with such names become asterisks, in URLs and in fields that hold URLs; user
      names and passwords in URLs are removed. Bodies are written unchanged. Without the option, everything that is
      stored is written; the credentials of a request are never stored.
      """
  ) { $0.archive.isRedacted = true }

  static let all = Flag<Invocation>(
    "all", in: .archives, scope: .command,
    summary: "Also import responses that were not to be stored.",
    details: """
      These are responses that the origin has marked with `no-store` or `Vary: *`, and responses that garner had
      exported of requests with credentials, or that are selected by fields that garner keeps secret. The former then
      answer requests without credentials. The latter answer any request for their URL with `--offline`; with a network,
      they are validated at each use, or fetched anew if they have no entity tag. A response whose request is missing
      from an archive that has requests for other responses is imported, too, for requests without credentials.
      """
  ) { $0.archive.importsAll = true }
}
