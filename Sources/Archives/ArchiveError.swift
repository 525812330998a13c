package import ContentCoding
package import Platform

/// Why an archive cannot be read any further.
package enum ArchiveError: Error, Equatable, Sendable {
  case unreadable(Errno)
  /// The input begins like no supported format, or is JSON without the entries of a HAR file.
  case notAnArchive
  /// The archive ends within a record, or within its compressed data.
  case truncated
  /// - Parameter at: the place of the fault, in bytes from the front of the uncompressed archive.
  case malformed(at: UInt64, ArchiveFault)
  /// A record has a version of WARC that is not known, so that nobody knows where it ends.
  case unknownVersion(String, at: UInt64)
  case undecodable(ContentCodingError)

  /// Completes "the archive cannot be read: ...".
  ///
  /// It may contain text from the archive: escape it.
  package var reason: String {
    switch self {
    case .unreadable(let error): error.description
    case .notAnArchive: "it is neither WARC nor HAR"
    case .truncated: "it ends within its last record"
    case .malformed(let offset, let fault): "\(fault.rawValue) at byte \(offset)"
    case .unknownVersion(let version, let offset):
      "there is a record of WARC version '\(version)' at byte \(offset), and only 0.17, 0.18, 1.0 and 1.1 can be read"
    case .undecodable(let error): error.reason
    }
  }
}

/// A fault at a certain place in an archive.
package enum ArchiveFault: String, Equatable, Sendable {
  case notARecord = "there is no WARC record"
  case lineTooLong = "there is a line of more than 320 KiB"
  case headTooLarge = "there is a record with too many fields"
  case malformedField = "there is a malformed field of a record"
  case noLength = "there is a record without a Content-Length"
  case malformedJSON = "there is malformed JSON"
  case tooDeep = "there is JSON that is nested too deeply"
  case stringTooLong = "there is a text that is too long"
}
