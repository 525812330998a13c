import HTTPCaching
import HTTPSemantics

extension FuzzTarget {
  /// Vary on the first line, then a request's fields, and entity tags at the end.
  static let selecting = FuzzTarget("selecting", longestInput: 512) { (bytes) throws(Violation) in
    var input = FuzzInput(bytes)
    let vary = Fields([Field(.vary, FieldValue(ASCII.trimmed(input.take(until: ASCII.lineFeed))))])
    let request = TextHead.fields(&input)
    if case .names(let names) = Vary(of: vary) { try check(names, request) }
    try checkTags(input.rest)
  }

  private static func check(_ names: [FieldName], _ request: Fields) throws(Violation) {
    let printed = FieldValue(Array(names.map { Array($0.spelling.utf8) }.joined(separator: [ASCII.comma])))
    try require(Vary(of: Fields([Field(.vary, printed)])) == .names(names), "a Vary that is printed is another one")
    guard let selecting = SelectingFields(names, of: request, concealing: { $0 }) else {
      throw Violation("a value was not concealed that could be")
    }
    try require(selecting.match(request, concealing: { $0 }), "the request's own fields do not match")
    let others = SelectingFields(names.reversed() + names, of: request, concealing: { $0 })
    try require(others == selecting, "the order of Vary counts")

    // "... combining multiple header field lines with the same field name" (RFC 9111 section 4.1).
    var combined = Fields()
    for name in names where request.contains(name) && !combined.contains(name) {
      let members = request.values(of: name).flatMap { ListSyntax.split($0.bytes[...], at: ASCII.comma) }
        .map { $0 + [ASCII.space] }
      let isWhole = request.values(of: name).allSatisfy { $0.bytes.count { $0 == ASCII.quote } == 0 }
      guard isWhole else { return }
      combined.append(name, FieldValue(Array(members.joined(separator: [ASCII.comma, ASCII.horizontalTab]))))
    }
    try require(selecting.match(combined, concealing: { $0 }), "white space and lines count")
  }

  private static func checkTags(_ bytes: ArraySlice<UInt8>) throws(Violation) {
    let fields = Fields([Field(.ifNoneMatch, FieldValue(ASCII.trimmed(bytes)))])
    guard case .tags(let tags) = EntityTagCondition(.ifNoneMatch, of: fields) else { return }
    for tag in tags {
      let text = Array((tag.isWeak ? "W/\"" : "\"").utf8) + tag.opaque + [ASCII.quote]
      try require(EntityTag(text[...]) == tag, "an entity tag that is printed is another one")
      try require(tag.matchesWeakly(tag) && tag.matchesStrongly(tag) != tag.isWeak, "a tag does not match itself")
    }
  }
}
