import CCurl
import CurlBinding

/// A list of lines as libcurl wants it.
///
/// libcurl reads it during a transfer and does not copy it: it has to live as long.
final class StringList {
  private(set) var pointer: UnsafeMutablePointer<curl_slist>?

  init() {}

  deinit { libcurl_list_free(pointer) }

  func append(_ line: [UInt8]) throws(TransportError) {
    let text = line.map(CChar.init(bitPattern:)) + [0]
    guard let longer = libcurl_list_append(pointer, text) else {
      throw .unsendable(reason: "there is not enough memory")
    }
    pointer = longer
  }
}
