import HTTPSemantics

/// Whether the end of a response's content is certain enough for the response to be stored.
package enum FramingVerdict: Equatable, Sendable {
  case storable
  /// The content may be shown, as any client would, and must not be stored.
  case deliverOnly(FramingFault)
}

/// What makes a response's framing doubtful.
package enum FramingFault: Equatable, Sendable {
  case obsoleteLineFolding
  case bareCarriageReturn
  case nul
  case whitespaceBeforeColon
  case invalidFieldName
  case lineWithoutColon
  case malformedContentLength
  /// Conflicting lengths of a response that has no content.
  case conflictingContentLength
  case lengthBesideTransferCoding
  case unexpectedTransferCoding
  case severalTransferCodings
  /// Only HTTP/1.1 has transfer codings (RFC 9112 section 6.1).
  case transferCodingOfOtherVersion
  /// This end cannot be told from a broken connection.
  case delimitedByClose

  /// Completes "the response is not stored: ...".
  package var reason: String {
    switch self {
    case .obsoleteLineFolding: "its head has a folded line"
    case .bareCarriageReturn: "its head has a carriage return within a line"
    case .nul: "its head has a NUL"
    case .whitespaceBeforeColon: "its head has white space before a colon"
    case .invalidFieldName: "its head has a field name that is not a token"
    case .lineWithoutColon: "its head has a line without a colon"
    case .malformedContentLength: "its Content-Length is malformed"
    case .conflictingContentLength: "its Content-Length fields conflict"
    case .lengthBesideTransferCoding: "it has both Content-Length and Transfer-Encoding"
    case .unexpectedTransferCoding: "it has a transfer coding other than chunked"
    case .severalTransferCodings: "it has several transfer codings"
    case .transferCodingOfOtherVersion: "it has a transfer coding, but is not HTTP/1.1"
    case .delimitedByClose: "its content ends only where the connection closes"
    }
  }
}

/// Why a response's head, or its trailers, cannot be used at all.
package enum HeadError: Error, Equatable, Sendable {
  case tooLarge
  /// A line is beyond libcurl's own bound.
  case lineTooLong
  case tooManyFields
  case tooManyInterimResponses
  /// The trailers, which come after the content and are no part of the head (RFC 9110 section 6.5).
  case trailersTooLarge
  case malformedStatusLine
  /// The status code is below 100, so that it is neither interim nor final (RFC 9110 section 15).
  case invalidStatus
  /// A second status line came after the head.
  case repeated
  /// RFC 9112 section 6.3 calls this unrecoverable: nobody knows where the content ends.
  case conflictingContentLength
  /// "... the user agent MUST close the connection to the server and discard the received response" (RFC 9112
  /// section 6.3).
  case malformedContentLength
  /// A malformed line may be meant for Content-Length or Transfer-Encoding: the content has two possible ends.
  case malformedFraming
  /// The content has been compressed on its way, unasked, or is in a coding that only resembles chunked.
  case foreignTransferCoding

  /// Completes "the response's ...".
  package var reason: String {
    switch self {
    case .tooLarge: "head is larger than \(HeadBounds.maximumBytes / 1024) KiB"
    case .lineTooLong: "head has a line longer than 100 KiB"
    case .tooManyFields: "head has more than \(HeadBounds.maximumFields) fields"
    case .tooManyInterimResponses: "head came after more than \(HeadParser.maximumInterimCount) interim responses"
    case .trailersTooLarge: "trailers are larger than \(HeadBounds.maximumBytes / 1024) KiB"
    case .malformedStatusLine: "head has a malformed status line"
    case .invalidStatus: "head has a status code below 100"
    case .repeated: "head came a second time, after part of its content"
    case .conflictingContentLength: "head has Content-Length fields that conflict"
    case .malformedContentLength: "head has a malformed Content-Length"
    case .malformedFraming: "head has a malformed line with a Content-Length or a Transfer-Encoding in it"
    case .foreignTransferCoding: "head has a transfer coding that was not requested"
    }
  }
}
