import TestSupport

/// An origin with a known content for each key, which counts the requests.
struct HerdOrigin {
  let server: OriginServer
  private let contents: [[UInt8]]

  /// Among them: an empty content, one that is read in one block, the most that is read at once and more, and several
  /// windows of delivery.
  private static let lengths = [1_024, 0, 70_000, 12, 196_608, 9_000, 300_000, 4_096, 65_536, 31]
  /// Longer than the herd runs.
  private static let lifetime = ("Cache-Control", "max-age=86400")

  init(keys: Int) throws(SystemFailure) {
    let contents = (0..<keys).map { Self.content(of: $0) }
    self.contents = contents
    server = try OriginServer { request in
      guard request.path.hasPrefix("/key/"), let key = Int(request.path.dropFirst(5)), key < contents.count else {
        return .disconnect
      }
      return .response(fields: [Self.lifetime, ("ETag", "\"\(key)\"")], content: contents[key])
    }
  }

  func url(ofKey key: Int) -> String { server.url("/key/\(key)") }

  func content(ofKey key: Int) -> [UInt8] { contents[key] }

  var requestCount: Int { server.requests.count }

  /// The content of a key. No two keys have the same content, and it begins with the key, except for the one key whose
  /// content is empty.
  private static func content(of key: Int) -> [UInt8] {
    let length = lengths[key % lengths.count]
    if length == 0, key < lengths.count { return [] }
    let beginning = Array("key \(key)\n".utf8)
    return beginning + Pattern.bytes(count: max(0, length - beginning.count))
  }
}
