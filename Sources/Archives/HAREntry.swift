package import HTTPSemantics

/// A request and its response as a HAR file describes them. What the file does not say is left empty.
///
/// - Source: HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec/).
package struct HAREntry: Equatable, Sendable {
  package var startedAt: [UInt8] = []
  /// The time from the request to the end of the response, in milliseconds.
  package var milliseconds: UInt64 = 0
  package var method: [UInt8] = []
  package var url: [UInt8] = []
  /// Whether the URL holds a lone surrogate: it then differs from the URL that was requested.
  package var isURLBroken = false
  package var requestFields = Fields()
  /// 0 if there was no response.
  package var status: UInt16 = 0
  package var reason: [UInt8] = []
  package var version: [UInt8] = []
  package var responseFields = Fields()
  /// The content with its codings removed; `nil` if the entry has none.
  package var text: [UInt8]?
  /// Whether `text` is base64. Otherwise the file has it as text, and it is UTF-8 here.
  package var isBase64 = false
  /// The length of the content with its codings removed, in bytes, as the file states it; 0 if unknown.
  package var contentSize: UInt64 = 0
  /// The length of the content as it was received, in bytes, as the file states it; 0 if unknown.
  package var receivedSize: UInt64 = 0
  /// Whether the file says that the transfer failed, so that the content may be incomplete.
  package var hasFailed = false
  /// The names of the selecting header fields. Only files that garner has written have them.
  package var selectingNames: [UInt8]?
  /// Whether garner has marked the response as one for certain requests only.
  package var isRestricted = false
  /// Whether its fields exceed the bounds of a head, or a string other than the content is too long to be read.
  package var isOversized = false
  /// Whether its content is too long to be read.
  package var isContentTooLong = false
  /// Where the entry ends, in bytes from the front of the uncompressed archive.
  package var offset: UInt64 = 0

  package init() {}
}

/// Names of members that are not part of HAR: "custom fields ... must start with underscore".
enum HARExtension {
  /// The member in which Chrome says why a transfer failed.
  static let failure = "_error"
  static let selectingNames = "_garnerVariesBy"
  static let restriction = "_garnerRestricted"
}
