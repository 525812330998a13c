import FlagTable
package import HTTPCaching

/// What is wanted of a response on its way into the cache.
package struct StoringOptions: Hashable, Sendable {
  package var tags = Tags()
  package var isPinned = false
}

enum StoringFlags {
  static var all: [Flag<Invocation>] { [tag, pin] }

  static let tag = Flag<Invocation>(
    "tag", value: "KEY=VALUE", in: .cache, facts: { .init(only: .tag(key(in: $0))) },
    summary: "Note KEY=VALUE with the stored response.",
    details: #"""
      May be repeated. The response has the tag whether it is stored, validated or served by this run, and keeps it when
      another one takes its place; a later tag with the same KEY replaces it. `garner cache show` prints it.
      """#
  ) { invocation, text throws(InvalidValue) in
    guard invocation.storing.tags.set(try TagText.tag(text)) else {
      throw .unacceptable("a response has at most \(Tags.maximumCount) tags")
    }
  }

  static let pin = Flag<Invocation>(
    "pin", negation: .accepted, in: .cache,
    summary: "Keep the stored response when room is made.",
    details: """
      As `garner cache pin` does afterwards: neither a full cache nor `garner cache prune` removes it, until `garner
      cache unpin` lets it go.
      """
  ) { invocation, isOn in invocation.storing.isPinned = isOn }

  private static func key(in value: ArgumentText) -> String {
    (try? TagText.tag(value))?.key ?? value.visible
  }
}
