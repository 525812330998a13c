package import HTTPSemantics

/// A request and its response as a HAR file tells of them; what it does not tell is empty.
///
/// - Source: HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec/).
package struct HAREntry: Equatable, Sendable {
  package var startedAt: [UInt8] = []
  /// From the request to the last of the response, in milliseconds.
  package var milliseconds: UInt64 = 0
  package var method: [UInt8] = []
  package var url: [UInt8] = []
  /// Whether the URL has half a surrogate pair: it is another one than was asked for.
  package var isURLBroken = false
  package var requestFields = Fields()
  /// 0 where there was no response.
  package var status: UInt16 = 0
  package var reason: [UInt8] = []
  package var version: [UInt8] = []
  package var responseFields = Fields()
  /// The content without its codings, where there is any.
  package var text: [UInt8]?
  /// Whether `text` is spelt in base 64; else it was text, and is UTF-8 here.
  package var isBase64 = false
  /// What the file says of the length of the content without its codings, in bytes; 0 where that is not known.
  package var contentSize: UInt64 = 0
  /// What it says of the length of the content as it came, in bytes; 0 where that is not known.
  package var receivedSize: UInt64 = 0
  /// Whether the transfer is said to have failed: of the content, not all may be there.
  package var hasFailed = false
  /// The names of the selecting header fields, where garner has written the file.
  package var selectingNames: [UInt8]?
  /// Whether garner has marked the response as one for certain requests only.
  package var isRestricted = false
  /// Whether there was more of it than any head has.
  package var isOversized = false
  /// Whether its text is longer than any that is read.
  package var isContentTooLong = false
  /// Where it ends, in bytes from the front of what the archive holds.
  package var offset: UInt64 = 0

  package init() {}
}

/// The names of members that HAR does not have; "custom fields ... must start with underscore".
enum HARExtension {
  /// Chrome's: why a transfer failed.
  static let failure = "_error"
  static let selectingNames = "_garnerVariesBy"
  static let restriction = "_garnerRestricted"
}
