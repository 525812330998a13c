import TestSupport

/// The contents of the origin's resources: each path and version has a unique one.
///
/// The entity tag names the path and the version, so that stored or printed bytes can be told right from wrong.
enum Contents {
  /// The entity tag as a field has it, in quotes.
  static func tag(_ path: String, _ version: String) -> String { "\"\(path)@\(version)\"" }

  static func bytes(_ path: String, _ version: String) -> [UInt8] {
    made.withLock { made in
      let name = tag(path, version)
      if let bytes = made[name] { return bytes }
      let bytes = noise(count: count(of: path), name)
      made[name] = bytes
      return bytes
    }
  }

  /// The content that belongs to an entity tag.
  ///
  /// - Returns: `nil` if no version of this path has such a tag.
  static func bytes(tagged tag: String, of path: String) -> [UInt8]? {
    let prefix = "\"\(path)@"
    guard tag.hasPrefix(prefix), tag.hasSuffix("\""), tag.count > prefix.count + 1 else { return nil }
    return bytes(path, String(tag.dropFirst(prefix.count).dropLast()))
  }

  /// The length, chosen by the first word of the path. A small content is read at once, a large one takes more than one
  /// turn to deliver, and a huge one more than one write to store.
  private static func count(of path: String) -> Int {
    if path.hasPrefix("/huge") { return 1_300_000 }
    if path.hasPrefix("/large") { return 300_000 }
    return 1_500
  }

  private static let made = Monitor<[String: [UInt8]]>([:])

  private static func noise(count: Int, _ name: String) -> [UInt8] {
    var generator = SeededNumbers(seed: name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
    let words = (0..<(count + 7) / 8).map { _ in generator.next() }
    return words.withUnsafeBytes { Array($0.prefix(count)) }
  }
}

extension ReceivedRequest {
  /// The path of the URL, also where the request target is the whole URL, as a proxy gets it.
  var resourcePath: String {
    path.hasPrefix(Torturer.site) ? String(path.dropFirst(Torturer.site.count)) : path
  }
}

/// One version of a resource at the origin.
struct Resource {
  var version = "1"
  var cacheControl = "max-age=3600"
  var fields: [(String, String)] = []

  /// The answer to a request, which respects its conditions and ranges.
  func answer(to request: ReceivedRequest) -> OriginAnswer {
    let (tag, content) = (Contents.tag(request.resourcePath, version), Contents.bytes(request.resourcePath, version))
    var fields = fields + [("ETag", tag), ("Cache-Control", cacheControl)]
    if request.value("If-None-Match") == tag { return .response(304, fields: fields) }
    guard let range = requestedRange(request, of: content.count), request.value("If-Range") ?? tag == tag else {
      return .response(fields: fields, content: content)
    }
    fields.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)"))
    return .response(206, fields: fields, content: Array(content[range]))
  }

  /// The answer to a first request, broken off after half of the content.
  func half(to request: ReceivedRequest) -> OriginAnswer {
    let content = Contents.bytes(request.resourcePath, version)
    let fields =
      fields + [
        ("ETag", Contents.tag(request.resourcePath, version)), ("Cache-Control", cacheControl),
        ("Content-Length", "\(content.count)"),
      ]
    return OriginAnswer(
      [.bytes(OriginAnswer.head(200, nil, fields: fields)), .content(Array(content.prefix(content.count / 2)))],
      ending: .close)
  }

  private func requestedRange(_ request: ReceivedRequest, of count: Int) -> Range<Int>? {
    guard let value = request.value("Range"), value.hasPrefix("bytes=") else { return nil }
    let ends = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard ends.count == 2, let first = ends[0], first < count else { return nil }
    return first..<min(count, (ends[1] ?? count - 1) + 1)
  }
}
