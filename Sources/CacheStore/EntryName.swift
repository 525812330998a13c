import HTTPCaching
import HTTPSemantics
package import Platform

/// The name of an entry's file: a hash of the target URI, of who asked, of a query's content, of the selecting fields.
///
/// Hashes can collide: the full key is in the head and compared.
package struct EntryName: Hashable, Sendable, CustomStringConvertible {
  /// `TARGET`, then `-AUDIENCE`, `_CONTENT`, and `.VARIANT` or `+`, as far as there are any; each 32 hex digits.
  private let name: [UInt8]

  init(_ key: CacheKey) {
    let audience = key.audience.map { [Self.audienceMark] + Hexadecimal.digits(ofHash: $0) }
    let content = key.content.map { [Self.contentMark] + Hexadecimal.digits(ofHash: $0) }
    name = Self.digits(of: key.target) + (audience ?? []) + (content ?? [])
  }

  private init(name: [UInt8]) {
    self.name = name
  }

  /// - Returns: `nil` for whatever else lies in the directory.
  init?(inListing fileName: Path) {
    var rest = fileName.bytes
    guard Self.takeHash(&rest) else { return nil }
    for mark in [Self.audienceMark, Self.contentMark, Self.variantMark] where rest.first == mark {
      rest = rest.dropFirst()
      guard Self.takeHash(&rest) else { return nil }
    }
    guard rest.isEmpty || rest.elementsEqual([Self.partMark]) else { return nil }
    name = Array(fileName.bytes)
  }

  /// Where the response to requests with these fields lies.
  func variant(_ selecting: SelectingFields) -> EntryName {
    let digits = Hexadecimal.digits(ofHash: HeadCodec.canonicalBytes(of: selecting))
    return EntryName(name: name + [Self.variantMark] + digits)
  }

  func isVariant(of primary: EntryName) -> Bool {
    name.starts(with: primary.name) && name.dropFirst(primary.name.count).first == Self.variantMark
  }

  /// Where the list lies that leads to this variant; `nil` for what is none.
  var primaryOfVariant: EntryName? {
    guard let mark = name.firstIndex(of: Self.variantMark) else { return nil }
    return EntryName(name: Array(name[..<mark]))
  }

  /// Where the part of a response lies that a key has: beside what is whole, which it never replaces.
  var part: EntryName { EntryName(name: name + [Self.partMark]) }

  var isPart: Bool { name.last == Self.partMark }

  /// Whether this is an entry for that target, whoever asked.
  func isFor(_ target: TargetURI) -> Bool {
    name.starts(with: Self.digits(of: target))
  }

  /// The directory for that target, below the version's.
  static func shard(of target: TargetURI) -> Path { StoreLayout.shard(shardNumber(of: target)) }

  static func shardNumber(of target: TargetURI) -> UInt8 {
    Hexadecimal.value(ofDigits: digits(of: target).prefix(2))
  }

  /// The directory that it is in, below the version's.
  var shard: Path { Path(name.prefix(2)) ?? "." }

  /// The number that its first two digits are.
  var shardNumber: UInt8 { Hexadecimal.value(ofDigits: name.prefix(2)) }

  /// In its shard.
  var fileName: Path { Path(name) ?? "." }

  /// Relative to the root.
  package var path: Path { StoreLayout.version.appending(shard).appending(fileName) }

  package var description: String { String(decoding: name, as: UTF8.self) }

  private static func digits(of target: TargetURI) -> [UInt8] {
    Hexadecimal.digits(ofHash: Array(target.description.utf8))
  }

  private static func takeHash(_ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.count >= hashDigits, rest.prefix(hashDigits).allSatisfy(Hexadecimal.isDigit) else { return false }
    rest = rest.dropFirst(hashDigits)
    return true
  }

  private static let hashDigits = 32
  private static let audienceMark = UInt8(ascii: "-")
  private static let contentMark = UInt8(ascii: "_")
  private static let variantMark = UInt8(ascii: ".")
  private static let partMark = UInt8(ascii: "+")
}
