package import HTTPSemantics

/// The directives of Cache-Control that mean something to a private cache (RFC 9111 section 5.2).
///
/// Requests and responses share one type. Callers read only the directives that are defined for their kind of message.
package struct CacheControl: Equatable, Sendable {
  /// An argument that ought to be delta-seconds (RFC 9111 section 1.2.2).
  package enum Delta: Equatable, Sendable {
    case absent
    case seconds(Int64)
    /// Not a number, missing, or two that differ.
    case invalid
  }

  /// A limit on staleness; `max-stale` without an argument sets none.
  package enum Limit: Equatable, Sendable {
    case unlimited
    case seconds(Int64)

    /// Applies the limit as an argument of `max-stale`: "... by no more than the specified number of seconds" (RFC 9111
    /// section 5.2.1.2).
    func permits(staleness: Int64) -> Bool {
      switch self {
      case .unlimited: true
      case .seconds(let seconds): staleness <= seconds
      }
    }

    /// Applies the limit as a window: "... after it becomes stale, up to the indicated number of seconds" (RFC 5861
    /// section 3). A window of 0 seconds is empty, because a response that becomes stale in this second is stale
    /// already.
    func coversAsWindow(staleness: Int64) -> Bool {
      switch self {
      case .unlimited: true
      case .seconds(let seconds): staleness < seconds
      }
    }
  }

  package private(set) var maxAge = Delta.absent
  package private(set) var noCache = false
  /// The fields that a qualified `no-cache` names.
  package private(set) var noCacheFields: [FieldName] = []
  package private(set) var noStore = false
  package private(set) var isPublic = false
  /// Whether `private` is present, with or without field names.
  package private(set) var isPrivate = false
  package private(set) var mustRevalidate = false
  package private(set) var mustUnderstand = false
  package private(set) var onlyIfCached = false
  package private(set) var immutable = false
  /// The strictest of several `max-stale` limits; `nil` if one is malformed.
  package private(set) var maxStale: Limit?
  private var isMaxStaleMalformed = false
  /// Whether there is a `max-stale`, malformed or not.
  var hasMaxStale: Bool { maxStale != nil || isMaxStaleMalformed }
  package private(set) var minFresh = Delta.absent
  package private(set) var staleWhileRevalidate = Delta.absent
  package private(set) var staleIfError = Delta.absent

  /// Whether `no-store` forbids storing a response with this status. Beside must-understand, "the cache SHOULD ignore
  /// the no-store directive if it understands and implements the status code's caching requirements" (RFC 9111 sections
  /// 5.2.2.3 and 5.2.2.5).
  func forbidsStoring(_ status: StatusCode) -> Bool { noStore && !(mustUnderstand && status.isUnderstood) }

  /// Whether `no-cache` in a request asks for validation. Field names qualify it only in a response; in a request they
  /// are ignored.
  var asksOrigin: Bool { noCache || !noCacheFields.isEmpty }

  package init() {}

  package init(of fields: Fields) {
    self.init()
    read(fields)
  }

  /// Kept out of the initialiser, where the closure would make three copies of the structure.
  private mutating func read(_ fields: Fields) {
    fields.forEachMember(of: .cacheControl) { member in
      apply(member)
      if member.contains(ASCII.quote) { applyHidden(in: member) }
    }
  }

  /// Applies the restrictive directives inside a quoted string that is never closed and so runs to the end of the
  /// field: a malformed directive never allows more than its absence.
  private mutating func applyHidden(in member: ArraySlice<UInt8>) {
    guard let start = member.firstIndex(of: ASCII.quote), ListSyntax.unquoted(member[start...]) == nil else { return }
    for part in member[start...].split(separator: ASCII.comma).dropFirst() {
      let directive = ASCII.trimmed(part)
      switch directive {
      case "no-store", "no-cache", "must-revalidate": apply(directive)
      default: break
      }
    }
  }

  private mutating func apply(_ member: ArraySlice<UInt8>) {
    let equals = member.firstIndex(of: ASCII.equals)
    let argument = equals.map { member[($0 + 1)...] }
    switch member[..<(equals ?? member.endIndex)] {
    case "max-age": maxAge.combine(Delta(argument))
    case "no-cache":
      // A malformed list of names is read as the unqualified directive, the stricter of the two.
      guard let names = Self.fieldNames(argument) else {
        noCache = true
        break
      }
      noCacheFields += names
      // Without an indispensable field, nothing of the response could be used.
      if names.contains(where: StorableFields.isIndispensable) { noCache = true }
    case "no-store": noStore = true
    case "must-revalidate": mustRevalidate = true
    case "only-if-cached": onlyIfCached = true
    // The next three allow something and take no argument: with one, they are malformed and do not count.
    case "public": isPublic = isPublic || argument == nil
    case "must-understand": mustUnderstand = mustUnderstand || argument == nil
    case "immutable": immutable = immutable || argument == nil
    case "private": isPrivate = isPrivate || argument == nil || Self.fieldNames(argument) != nil
    case "max-stale": combineMaxStale(argument)
    case "min-fresh": minFresh.combine(Delta(argument))
    case "stale-while-revalidate": staleWhileRevalidate.combine(Delta(argument))
    case "stale-if-error": staleIfError.combine(Delta(argument))
    default: break
    }
  }

  private mutating func combineMaxStale(_ argument: ArraySlice<UInt8>?) {
    if isMaxStaleMalformed { return }
    guard let argument else {
      maxStale = maxStale ?? .unlimited
      return
    }
    guard case .seconds(let seconds) = Delta(argument) else {
      isMaxStaleMalformed = true
      maxStale = nil
      return
    }
    if case .seconds(let other) = maxStale, other < seconds { return }
    maxStale = .seconds(seconds)
  }

  private static func fieldNames(_ argument: ArraySlice<UInt8>?) -> [FieldName]? {
    guard let argument else { return nil }
    let list = ListSyntax.unquoted(argument) ?? Array(argument)
    let members = ListSyntax.members(of: list)
    let names = members.compactMap { FieldName($0) }
    return names.isEmpty || names.count != members.count ? nil : names
  }
}

/// Matches the name of a directive, which is "case-insensitive" (RFC 9111 section 5.2). Compares bytes and not strings,
/// because a listing reads thousands of directives.
private func ~= (directive: StaticString, name: ArraySlice<UInt8>) -> Bool {
  directive.utf8CodeUnitCount == name.count
    && directive.withUTF8Buffer { spelling in
      var index = name.startIndex
      for byte in spelling {
        if ASCII.lowercased(name[index]) != byte { return false }
        index += 1
      }
      return true
    }
}

extension CacheControl.Delta {
  /// "If a cache receives a delta-seconds value greater than the greatest integer it can represent ... the cache MUST
  /// consider the value to be 2147483648 or the greatest positive integer it can conveniently represent"
  /// (RFC 9111 section 1.2.2).
  package static let greatest: Int64 = 1 << 31

  /// Reads the argument as a token or as a quoted string (RFC 9111 section 5.2).
  package init(_ argument: ArraySlice<UInt8>?) {
    guard let argument else {
      self = .invalid
      return
    }
    let digits = ListSyntax.unquoted(argument)?[...] ?? argument
    if let seconds = ASCII.decimalInt64(digits) {
      self = .seconds(min(seconds, Self.greatest))
    } else {
      // A number that overflows counts as the greatest; anything else is invalid.
      self = !digits.isEmpty && digits.allSatisfy(ASCII.isDigit) ? .seconds(Self.greatest) : .invalid
    }
  }

  /// The seconds; `nil` if there is no valid number.
  package var seconds: Int64? {
    if case .seconds(let seconds) = self { seconds } else { nil }
  }

  var limit: CacheControl.Limit? { seconds.map { .seconds($0) } }

  /// "When there is more than one value present for a given directive ... either the first occurrence should be used or
  /// the response should be considered stale" (RFC 9111 section 4.2.1): two that differ are invalid.
  fileprivate mutating func combine(_ other: Self) {
    if self == .absent { self = other } else if self != other { self = .invalid }
  }
}
