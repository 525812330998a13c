import HTTPCaching
import HTTPSemantics

extension FuzzTarget {
  /// Cache-Control, with a field line for each line of the input.
  static let directives = FuzzTarget("directives", longestInput: 512) { (bytes) throws(Violation) in
    let lines = bytes.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false)
    let fields = Fields(lines.map { Field(.cacheControl, FieldValue($0)) })
    let read = CacheControl(of: fields)
    let members = fields.members(of: .cacheControl)

    for member in members {
      try require(!member.isEmpty && ASCII.trimmed(member) == member, "a member of a list is empty or padded")
    }
    let joined = Array(members.joined(separator: [ASCII.comma]))
    if members.dropLast().allSatisfy({ isClosed($0) }) {
      try require(ListSyntax.members(of: joined) == members, "members that are joined are others")
    }
    let one = Fields(members.map { Field(.cacheControl, FieldValue($0)) })
    try require(CacheControl(of: one) == read, "a line for each member says something else")
    let reversed = CacheControl(of: Fields(one.lines.reversed()))
    try require(isSame(reversed, read), "the order of directives counts")
    try require(isSame(CacheControl(of: Fields(one.lines + one.lines)), read), "what is said twice is something else")
    try checkBounds(read)

    var stricter = fields
    stricter.append(.cacheControl, "no-store, no-cache, must-revalidate")
    let strict = CacheControl(of: stricter)
    try require(strict.noStore && strict.noCache && strict.mustRevalidate, "a line before hides a later one")

    let quoted = [ASCII.quote] + bytes.flatMap { [ASCII.backslash, $0] } + [ASCII.quote]
    try require(ListSyntax.unquoted(quoted[...]) == bytes, "what is quoted is unquoted to something else")
  }

  /// Whether the member does not end within a quoted string.
  private static func isClosed(_ member: ArraySlice<UInt8>) -> Bool {
    ListSyntax.split(member + [ASCII.comma], at: ASCII.comma).count == 2
  }

  /// Whether both say the same, apart from the order and number of names in a qualified no-cache.
  private static func isSame(_ one: CacheControl, _ other: CacheControl) -> Bool {
    Set(one.noCacheFields) == Set(other.noCacheFields) && facts(of: one) == facts(of: other)
  }

  private static func facts(of read: CacheControl) -> [String] {
    [
      "\(read.maxAge)", "\(read.minFresh)", "\(read.staleWhileRevalidate)", "\(read.staleIfError)",
      "\(String(describing: read.maxStale))",
      "\(read.noCache) \(read.noStore) \(read.isPublic) \(read.isPrivate) \(read.mustRevalidate)",
      "\(read.mustUnderstand) \(read.onlyIfCached) \(read.immutable)",
    ]
  }

  private static func checkBounds(_ read: CacheControl) throws(Violation) {
    for delta in [read.maxAge, read.minFresh, read.staleWhileRevalidate, read.staleIfError] {
      guard let seconds = delta.seconds else { continue }
      try require((0...CacheControl.Delta.greatest).contains(seconds), "\(seconds) seconds are out of bounds")
    }
  }
}
