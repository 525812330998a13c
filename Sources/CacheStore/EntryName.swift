package import HTTPCaching
import HTTPSemantics
package import Platform

/// The name of an entry's file: hashes of the target URI, the audience, the content of a query, and the selecting
/// fields.
///
/// Hashes can collide, so the head holds the full key, which is compared.
package struct EntryName: Hashable, Sendable, CustomStringConvertible {
  /// `TARGET`, `PATH~REST` or `CHOSEN=`; then, if they apply, `-AUDIENCE`, `_QUERY` or `,POST`, and `.VARIANT` or `+`.
  /// Each word stands for 32 hexadecimal digits.
  private let name: [UInt8]

  init(_ key: CacheKey) {
    var name = Self.digits(of: key.primary)
    if let audience = key.audience { name += [Self.audienceMark] + NameHash.digits(of: audience) }
    switch key.content {
    case .query(let digest): name += [Self.queryMark] + NameHash.digits(of: digest)
    case .post(let digest): name += [Self.postMark] + NameHash.digits(of: digest)
    case nil: break
    }
    self.name = name
  }

  /// The name under which an entry with this head is looked for.
  init(of head: EntryHead) {
    switch head {
    case .variants(let list): self.init(list.key)
    case .response(let stored, _): self.init(of: stored)
    }
  }

  package init(of stored: StoredResponse) {
    self = stored.isPart ? EntryName(stored.key).part : EntryName(stored.key, stored.selecting)
  }

  /// - Parameter variant: has no members if the key's response does not vary.
  init(_ key: CacheKey, _ variant: SelectingFields) {
    let primary = EntryName(key)
    self = variant.members.isEmpty ? primary : primary.variant(variant)
  }

  private init(name: [UInt8]) {
    self.name = name
  }

  /// - Returns: `nil` for any other file in the directory.
  init?(inListing fileName: Path) {
    var rest = fileName.bytes
    guard Self.takeHash(&rest) else { return nil }
    if rest.first == Self.chosenMark { rest = rest.dropFirst() }
    let marks = [Self.reducedMark, Self.audienceMark, Self.queryMark, Self.postMark, Self.variantMark]
    for mark in marks where rest.first == mark {
      rest = rest.dropFirst()
      guard Self.takeHash(&rest) else { return nil }
    }
    guard rest.isEmpty || rest.elementsEqual([Self.partMark]) else { return nil }
    name = Array(fileName.bytes)
  }

  /// Returns the name of the response to requests with these fields.
  func variant(_ selecting: SelectingFields) -> EntryName {
    let digits = NameHash.digits(of: HeadCodec.canonicalBytes(of: selecting))
    return EntryName(name: name + [Self.variantMark] + digits)
  }

  func isVariant(of primary: EntryName) -> Bool {
    name.starts(with: primary.name) && name.dropFirst(primary.name.count).first == Self.variantMark
  }

  /// The name of the list that leads to this variant; `nil` if this is not the name of a variant.
  var primaryOfVariant: EntryName? {
    guard let mark = name.firstIndex(of: Self.variantMark) else { return nil }
    return EntryName(name: Array(name[..<mark]))
  }

  /// The name of the key's partial response. It lies beside the whole response, which it never replaces.
  var part: EntryName { EntryName(name: name + [Self.partMark]) }

  var isPart: Bool { name.last == Self.partMark }

  /// The name without variant and part, which all files of a key have in common.
  var primary: EntryName {
    let end = name.firstIndex { $0 == Self.variantMark || $0 == Self.partMark } ?? name.endIndex
    return EntryName(name: Array(name[..<end]))
  }

  /// Whether the name tells that this is an entry for the target, for whatever audience.
  func isFor(_ target: TargetURI) -> Bool {
    name.starts(with: Self.digits(of: .target(target))) && !isReduced && !isChosen
  }

  /// Whether the head may tell that this is an entry for the target, although the name does not.
  func mayConcern(_ target: TargetURI) -> Bool {
    isChosen || isReduced && name.starts(with: Self.digits(ofPathOf: target))
  }

  /// Whether this may be an entry for the target. If only `mayConcern` holds, the head decides.
  func mayBeFor(_ target: TargetURI) -> Bool { isFor(target) || mayConcern(target) }

  /// Whether the stored response answers a POST that was declared to be a query.
  var isOfPostedQuery: Bool { name.contains(Self.postMark) }

  private var isReduced: Bool { mark == Self.reducedMark }
  private var isChosen: Bool { mark == Self.chosenMark }
  private var mark: UInt8? { name.count > Self.hashDigits ? name[Self.hashDigits] : nil }

  /// The numbers of the shards that may hold entries for a target. Shards are directories below the version's.
  static func shardNumbers(of target: TargetURI) -> [UInt8] {
    var numbers: [UInt8] = []
    for digits in [digits(of: .target(target)), digits(ofPathOf: target), chosenShard] {
      let number = NameHash.value(ofDigits: digits.prefix(2))
      if !numbers.contains(number) { numbers.append(number) }
    }
    return numbers
  }

  /// The directory of the entry, relative to the version's.
  var shard: Path { Path(name[..<2]) ?? "." }

  /// The number of that directory, which the first two digits spell.
  var shardNumber: UInt8 { NameHash.value(ofDigits: name.prefix(2)) }

  /// The path relative to the shard.
  var fileName: Path { Path(name[...]) ?? "." }

  /// The path relative to the root.
  package var path: Path {
    var bytes: [UInt8] = []
    // A look-up makes one or two paths, each with one allocation, which includes a byte for the NUL of a C string.
    bytes.reserveCapacity(Self.version.count + name.count + 4)
    bytes += Self.version
    bytes.append(name[0])
    bytes.append(name[1])
    bytes.append(Self.separator)
    bytes += name
    return Path(bytes) ?? "."
  }

  package var description: String { String(decoding: name, as: UTF8.self) }

  private static func digits(of key: PrimaryKey) -> [UInt8] {
    switch key {
    case .target(let target):
      return NameHash.digits(of: target.bytes)
    case .reduced(let target, without: let ignored):
      // The hash of the path comes first, because an invalidation does not know which parameters were left out.
      let rest = HeadCodec.canonicalBytes(of: ignored) + Array((target.query.map { "?\($0)" } ?? "").utf8)
      return digits(ofPathOf: target) + [reducedMark] + NameHash.digits(of: rest)
    case .chosen(let text, for: let target):
      let named = Array(target.origin.scheme.rawValue.utf8) + [ASCII.space] + text
      return chosenShard + NameHash.digits(of: named).dropFirst(chosenShard.count) + [chosenMark]
    }
  }

  private static func digits(ofPathOf target: TargetURI) -> [UInt8] {
    NameHash.digits(of: target.origin.bytes + target.path.utf8)
  }

  private static func takeHash(_ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.count >= hashDigits, rest.prefix(hashDigits).allSatisfy(NameHash.isDigit) else { return false }
    rest = rest.dropFirst(hashDigits)
    return true
  }

  private static let separator = UInt8(ascii: "/")
  /// The version's directory, and a separator.
  private static let version = StoreLayout.version.bytes + [separator]
  private static let hashDigits = 32
  /// The shard of all entries under keys that the user chose. Only their heads tell which URI they are for; because all
  /// of them are here, an invalidation has to look at one directory, and not at every one.
  private static let chosenShard = Array("00".utf8)
  private static let audienceMark = UInt8(ascii: "-")
  private static let reducedMark = UInt8(ascii: "~")
  private static let chosenMark = UInt8(ascii: "=")
  private static let queryMark = UInt8(ascii: "_")
  private static let postMark = UInt8(ascii: ",")
  private static let variantMark = UInt8(ascii: ".")
  private static let partMark = UInt8(ascii: "+")
}
