import HTTPCaching
import HTTPSemantics

@testable import CacheStore

extension FuzzTarget {
  /// A typed URL on the first line, and in the rest a reference that is resolved against it.
  static let locations = FuzzTarget("locations", longestInput: 512) { (bytes) throws(Violation) in
    var input = FuzzInput(bytes)
    guard let base = try? URIReference(typed: input.take(until: ASCII.lineFeed)) else { return }
    try check(base.target)
    let value = FieldValue(input.rest)
    guard let resolved = try? URIReference(value, relativeTo: base.target) else { return }
    try check(resolved.target)
    try require(
      CacheKey(base.target) == CacheKey(resolved.target) || base.target.description != resolved.target.description,
      "two keys have one text")
    let absolute = FieldValue(resolved.target.description)
    let again = try? URIReference(absolute, relativeTo: base.target)
    try require(again?.target == resolved.target, "\(absolute.text) leads elsewhere when it is followed")
  }

  private static func check(_ target: TargetURI) throws(Violation) {
    let text = target.description
    let typed = try? URIReference(typed: text.utf8)
    try require(typed?.target == target, "\(text) is another target when it is typed")
    try require(typed?.userInfo == nil, "\(text) has userinfo")
    try require(typed.map { EntryName(CacheKey($0.target)) } == EntryName(CacheKey(target)), "\(text) has two names")

    let path = target.pathAndQuery.utf8
    try require(path.first == UInt8(ascii: "/"), "\(text) has no path")
    let isSendable = path.allSatisfy { $0 > ASCII.space && $0 < 0x7f && $0 != UInt8(ascii: "#") }
    try require(isSendable, "\(text) does not fit a request line")
    let dots = target.path.split(separator: "/", omittingEmptySubsequences: false).filter { $0 == "." || $0 == ".." }
    try require(dots.isEmpty, "\(text) has dot segments")
    let host = target.origin.host.utf8
    let isPlain = host.allSatisfy { $0 > ASCII.space && $0 != 0x7f && !"/?#@\\".utf8.contains($0) }
    try require(!host.isEmpty && isPlain, "\(text) has a host that is none")
    try require(EntryName(CacheKey(target)).isFor(target), "\(text) does not find its entry")
  }
}
