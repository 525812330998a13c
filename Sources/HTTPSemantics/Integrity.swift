/// The digests by which content is checked: it must have one of them.
///
/// - Source: Subresource Integrity, section 3 (https://www.w3.org/TR/SRI/).
package struct Integrity: Equatable, Sendable {
  /// From the weakest to the strongest.
  package enum Algorithm: String, Equatable, Sendable, CaseIterable {
    case sha256
    case sha384
    case sha512

    /// In bytes.
    var digestLength: Int {
      switch self {
      case .sha256: 32
      case .sha384: 48
      case .sha512: 64
      }
    }
  }

  package let algorithm: Algorithm
  /// Each has the length of the algorithm's digests. The content must have one of them.
  package let digests: [[UInt8]]

  package init(_ algorithm: Algorithm, _ digests: [[UInt8]]) {
    self.algorithm = algorithm
    self.digests = digests
  }

  /// Reads integrity metadata: `sha256-BASE64` and the like, separated by white space.
  ///
  /// "... the strongest hash function is used": weaker digests beside it are ignored, and so are those of an unknown
  /// algorithm, such as `sha1-...`. Options, behind a question mark, are ignored: none is defined.
  ///
  /// - Returns: `nil` if there is no digest, or something else is among the digests: a slip must not weaken the check.
  package init?(metadata: some Collection<UInt8>) {
    var found: [(algorithm: Algorithm, digest: [UInt8])] = []
    for member in metadata.split(whereSeparator: { ASCII.isWhitespace($0) || $0 == ASCII.lineFeed }) {
      let member = Array(member)
      if Self.isOfOtherAlgorithm(member) { continue }
      guard let digest = Self.digest(member) else { return nil }
      found.append(digest)
    }
    guard let strongest = Algorithm.allCases.last(where: { algorithm in found.contains { $0.algorithm == algorithm } })
    else { return nil }
    self.init(strongest, found.filter { $0.algorithm == strongest }.map(\.digest))
  }

  /// Whether the member is a name and a value with a hyphen between them, and the name is that of no known algorithm.
  private static func isOfOtherAlgorithm(_ member: [UInt8]) -> Bool {
    guard let hyphen = member.firstIndex(of: ASCII.hyphen), hyphen > 0, hyphen + 1 < member.count else { return false }
    let name = member[..<hyphen]
    return name.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) } && algorithm(name) == nil
  }

  private static func algorithm(_ name: ArraySlice<UInt8>) -> Algorithm? {
    Algorithm(rawValue: String(decoding: ASCII.lowercased(name), as: UTF8.self))
  }

  private static func digest(_ member: [UInt8]) -> (algorithm: Algorithm, digest: [UInt8])? {
    let text = member.prefix { $0 != ASCII.questionMark }
    guard let hyphen = text.firstIndex(of: ASCII.hyphen), let algorithm = algorithm(text[..<hyphen]),
      let digest = Base64.decode(text[(hyphen + 1)...]), digest.count == algorithm.digestLength
    else { return nil }
    return (algorithm, digest)
  }

  /// Reads a SHA-256 digest in hexadecimal digits, as sha256sum prints it.
  package init?(sha256 text: some Collection<UInt8>) {
    guard let digest = Base16.decode(text), digest.count == Algorithm.sha256.digestLength else { return nil }
    self.init(.sha256, [digest])
  }
}
