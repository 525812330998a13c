package import HTTPCaching
import HTTPSemantics
package import Platform

/// The name of an entry's file: a hash of the target URI, of who asked, of a query's content, of the selecting fields.
///
/// Hashes can collide: the full key is in the head and compared.
package struct EntryName: Hashable, Sendable, CustomStringConvertible {
  /// `TARGET`, or `PATH~REST`, or `CHOSEN=`; then `-AUDIENCE`, `_QUERY` or `,POST`, and `.VARIANT` or `+`, as far as
  /// there are any; each 32 hex digits.
  private let name: [UInt8]

  init(_ key: CacheKey) {
    var name = Self.digits(of: key.primary)
    if let audience = key.audience { name += [Self.audienceMark] + Hexadecimal.digits(ofHash: audience) }
    switch key.content {
    case .query(let digest): name += [Self.queryMark] + Hexadecimal.digits(ofHash: digest)
    case .post(let digest): name += [Self.postMark] + Hexadecimal.digits(ofHash: digest)
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

  /// - Parameter variant: without members where the key's response does not vary.
  init(_ key: CacheKey, _ variant: SelectingFields) {
    let primary = EntryName(key)
    self = variant.members.isEmpty ? primary : primary.variant(variant)
  }

  private init(name: [UInt8]) {
    self.name = name
  }

  /// - Returns: `nil` for whatever else lies in the directory.
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

  /// Without variant and part: what all files of a key have in common.
  var primary: EntryName {
    let end = name.firstIndex { $0 == Self.variantMark || $0 == Self.partMark } ?? name.endIndex
    return EntryName(name: Array(name[..<end]))
  }

  /// Whether this is an entry for that target, whoever asked.
  func isFor(_ target: TargetURI) -> Bool {
    name.starts(with: Self.digits(of: .target(target))) && !isReduced && !isChosen
  }

  /// Whether its head may say that it is one for that target, though its name does not.
  func mayConcern(_ target: TargetURI) -> Bool {
    isChosen || isReduced && name.starts(with: Self.digits(ofPathOf: target))
  }

  /// Whether this may be an entry for that target: its head may have the last word.
  func mayBeFor(_ target: TargetURI) -> Bool { isFor(target) || mayConcern(target) }

  /// Whether what is stored is the answer to a POST that was declared to be a query.
  var isOfPostedQuery: Bool { name.contains(Self.postMark) }

  private var isReduced: Bool { mark == Self.reducedMark }
  private var isChosen: Bool { mark == Self.chosenMark }
  private var mark: UInt8? { name.count > Self.hashDigits ? name[Self.hashDigits] : nil }

  /// The directories in which there may be entries for a target, below the version's, by their numbers.
  static func shardNumbers(of target: TargetURI) -> [UInt8] {
    var numbers: [UInt8] = []
    for digits in [digits(of: .target(target)), digits(ofPathOf: target), chosenShard] {
      let number = Hexadecimal.value(ofDigits: digits.prefix(2))
      if !numbers.contains(number) { numbers.append(number) }
    }
    return numbers
  }

  /// The directory that it is in, below the version's.
  var shard: Path { Path(name[..<2]) ?? "." }

  /// The number that its first two digits are.
  var shardNumber: UInt8 { Hexadecimal.value(ofDigits: name.prefix(2)) }

  /// In its shard.
  var fileName: Path { Path(name[...]) ?? "." }

  /// Relative to the root.
  package var path: Path {
    var bytes: [UInt8] = []
    // A look-up makes one or two of these: one allocation, with a place for the NUL of a path.
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
      return Hexadecimal.digits(ofHash: target.bytes)
    case .reduced(let target, without: let ignored):
      // By its path first: an invalidation knows no more of what was left out.
      let rest = HeadCodec.canonicalBytes(of: ignored) + Array((target.query.map { "?\($0)" } ?? "").utf8)
      return digits(ofPathOf: target) + [reducedMark] + Hexadecimal.digits(ofHash: rest)
    case .chosen(let text, for: let target):
      let named = Array(target.origin.scheme.rawValue.utf8) + [ASCII.space] + text
      return chosenShard + Hexadecimal.digits(ofHash: named).dropFirst(chosenShard.count) + [chosenMark]
    }
  }

  private static func digits(ofPathOf target: TargetURI) -> [UInt8] {
    Hexadecimal.digits(ofHash: target.origin.bytes + target.path.utf8)
  }

  private static func takeHash(_ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.count >= hashDigits, rest.prefix(hashDigits).allSatisfy(Hexadecimal.isDigit) else { return false }
    rest = rest.dropFirst(hashDigits)
    return true
  }

  private static let separator = UInt8(ascii: "/")
  /// The version's directory, and a separator.
  private static let version = StoreLayout.version.bytes + [separator]
  private static let hashDigits = 32
  /// Where all entries under texts of the user's are: which URI they are for, only their heads say, and so an
  /// invalidation has to look at one directory, and not at all of them.
  private static let chosenShard = Array("00".utf8)
  private static let audienceMark = UInt8(ascii: "-")
  private static let reducedMark = UInt8(ascii: "~")
  private static let chosenMark = UInt8(ascii: "=")
  private static let queryMark = UInt8(ascii: "_")
  private static let postMark = UInt8(ascii: ",")
  private static let variantMark = UInt8(ascii: ".")
  private static let partMark = UInt8(ascii: "+")
}
