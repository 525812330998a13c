import TestSupport

/// An origin whose answers anybody can check, and which counts what it is asked.
struct HerdOrigin {
  let server: OriginServer
  private let contents: [[UInt8]]

  /// Empty; a read of one block; what is read at once at most, and more; several windows of delivery.
  private static let lengths = [1_024, 0, 70_000, 12, 196_608, 9_000, 300_000, 4_096, 65_536, 31]
  /// Longer than any run of the herd.
  private static let lifetime = ("Cache-Control", "max-age=86400")

  /// - Parameter answer: what is said to a request for another path than one of the keys'.
  init(keys: Int, answering answer: @escaping OriginServer.Handler = { _ in .disconnect }) throws(SystemFailure) {
    let contents = (0..<keys).map { Self.content(of: $0) }
    self.contents = contents
    server = try OriginServer { request in
      guard request.path.hasPrefix("/key/"), let key = Int(request.path.dropFirst(5)), key < contents.count else {
        return answer(request)
      }
      return .response(fields: [Self.lifetime, ("ETag", "\"\(key)\"")], content: contents[key])
    }
  }

  func url(ofKey key: Int) -> String { server.url("/key/\(key)") }

  func content(ofKey key: Int) -> [UInt8] { contents[key] }

  var requestCount: Int { server.requests.count }

  /// No two keys have the same.
  private static func content(of key: Int) -> [UInt8] {
    Array((Array("key \(key)\n".utf8) + Pattern.bytes(count: lengths[key % lengths.count])).dropLast(7))
  }
}
