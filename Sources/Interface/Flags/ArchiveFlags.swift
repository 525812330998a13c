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
    summary: "Write HAR 1.2, which browsers read, in the place of WARC.",
    details: """
      A name that ends in `.har` or `.har.gz` means the same. Bodies are written without their content coding there;
      what has one that is unknown is left out.
      """
  ) { $0.archive.isHAR = true }

  static let redact = Flag<Invocation>(
    "redact", in: .archives, scope: .command,
    summary: "Leave out what gives access.",
    details: """
      Responses to requests with credentials are left out, and so are Set-Cookie and all fields whose names betray a
      credential. Values of parameters with such names become asterisks, in URLs and in fields that hold URLs, and names
      and passwords in these are removed. Bodies are written as they are. Without it, everything stored is written; what
      a request was authorised by never was stored.
      """
  ) { $0.archive.isRedacted = true }

  static let all = Flag<Invocation>(
    "all", in: .archives, scope: .command,
    summary: "Import what was not to be stored, too.",
    details: """
      That is what its origin has marked with `no-store` or `Vary: *`, and what garner had exported of requests with
      credentials, or selected by fields that it keeps secret: it then answers requests without them. So does a response
      whose request the archive lacks, although it has others.
      """
  ) { $0.archive.importsAll = true }
}
