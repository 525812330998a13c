package import HTTPSemantics

/// The user's rules for keys, in addition to RFC 9111 section 2.
package struct KeyRules: Equatable, Sendable {
  /// The text that takes the place of the target URI.
  package var chosenText: [UInt8]?
  package var ignored: IgnoredParameters
  package var partition: [UInt8]?
  package var credentialFields: CredentialFields

  package init(
    chosenText: [UInt8]? = nil, ignored: IgnoredParameters = IgnoredParameters(), partition: [UInt8]? = nil,
    credentialFields: CredentialFields = CredentialFields()
  ) {
    self.chosenText = chosenText
    self.ignored = ignored
    self.partition = partition
    self.credentialFields = credentialFields
  }

  package func primaryKey(for target: TargetURI) -> PrimaryKey {
    if let chosenText { return .chosen(chosenText, for: target) }
    if ignored.isEmpty { return .target(target) }
    return .reduced(ignored.removed(from: target), without: ignored)
  }

  /// The rules for the target of a redirection. A chosen text stands only for the URI that it was given for.
  package var behindRedirection: KeyRules {
    var rules = self
    rules.chosenText = nil
    return rules
  }
}

/// The query parameters that the user declares to make no difference: globs of their names.
package struct IgnoredParameters: Equatable, Sendable, CustomStringConvertible {
  /// Sorted, without duplicates.
  package let patterns: [[UInt8]]

  package init(_ patterns: [[UInt8]] = []) {
    var unique: [[UInt8]] = []
    for pattern in patterns where !unique.contains(pattern) { unique.append(pattern) }
    self.patterns = unique.ordered { $0.lexicographicallyPrecedes($1) }
  }

  package var isEmpty: Bool { patterns.isEmpty }

  package var description: String {
    patterns.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
  }

  /// Returns the target without these parameters. The other parameters keep their order; names are compared
  /// percent-decoded.
  package func removed(from target: TargetURI) -> TargetURI {
    guard !isEmpty, let query = target.query, !query.isEmpty else { return target }
    let globs = patterns.map { Glob($0) }
    let parameters = query.split(separator: "&", omittingEmptySubsequences: false)
    let kept = parameters.filter { parameter in
      let name = PathSyntax.percentDecoded(Array(parameter.utf8.prefix { $0 != ASCII.equals })[...])
      return !globs.contains { $0.matches(name) }
    }
    if kept.count == parameters.count { return target }
    let rest = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
    return TargetURI(origin: target.origin, pathAndQuery: target.path + rest)
  }
}
