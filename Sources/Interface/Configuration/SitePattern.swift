package import FlagTable
package import HTTPSemantics

/// The pattern of URLs that a `[site "..."]` section is for.
///
///     pattern = [scheme "://"] ["*."] host [":" (port | "*")] [path]
///
/// Scheme, host and port are compared separately and never as one text: a section may send a credential, and no
/// asterisk may make it reach another host. `*` in the path stands for anything. Without a path, the pattern is for
/// every path. Without a port, it is for that of the URL's scheme.
package struct SitePattern: Equatable, Sendable {
  private enum Host: Equatable {
    case exactly(String)
    /// Any host below this one, at any depth, but not this one itself.
    case below(String)
  }

  private enum Port: Equatable {
    case ofScheme
    case exactly(UInt16)
    case any
  }

  /// `nil` for both schemes.
  private let scheme: TargetURI.Scheme?
  private let host: Host
  private let port: Port
  private let path: Glob
  /// Whether the pattern is for a single path, which ends in a slash. Its author may have meant all paths below that
  /// one.
  package let isOfOneDirectory: Bool

  package init(_ text: ArgumentText) throws(InvalidValue) {
    var rest = try LineText.check(text).bytes[...]
    scheme = Self.takeScheme(from: &rest)
    let isBelow = rest.starts(with: "*.".utf8)
    if isBelow { rest = rest.dropFirst(2) }

    let pathStart = rest.firstIndex { $0 == ASCII.slash || $0 == ASCII.questionMark } ?? rest.endIndex
    var authority = rest[..<pathStart]
    // A misspelt or unknown scheme would be taken for a host that does not exist, and the section would never count.
    if scheme == nil, authority.last == ASCII.colon {
      throw .unacceptable(
        "the pattern is not a URL: expected http:// or https://, not \(ArgumentText(authority).quoted)")
    }
    let acceptsAnyPort = authority.suffix(2).elementsEqual(":*".utf8)
    if acceptsAnyPort { authority = authority.dropLast(2) }

    // The pattern is parsed in the same way as the URLs that it is compared with.
    let reference: URIReference
    do throws(URIError) {
      reference = try URIReference(typed: Array("http://".utf8) + authority + rest[pathStart...])
    } catch {
      if authority.contains(ASCII.asterisk) {
        throw .unacceptable("a host may have a '*' only in a '*.' at its beginning")
      }
      throw .unacceptable("the pattern is not a URL: \(error.reason)")
    }
    guard reference.userInfo == nil else {
      throw .unacceptable("a pattern cannot have a user or a password", hint: "'user' in the section sets them")
    }
    let name = reference.target.origin.host
    host = isBelow ? .below(name) : .exactly(name)
    port = acceptsAnyPort ? .any : Self.namesPort(authority) ? .exactly(reference.target.origin.port) : .ofScheme
    path = pathStart == rest.endIndex ? Glob("*".utf8) : Glob(reference.target.pathAndQuery.utf8)
    isOfOneDirectory = path.isLiteral && rest.last == ASCII.slash
  }

  private static func takeScheme(from text: inout ArraySlice<UInt8>) -> TargetURI.Scheme? {
    for scheme in [TargetURI.Scheme.http, .https] {
      let prefix = "\(scheme.rawValue)://"
      if ASCII.equalIgnoringCase(text.prefix(prefix.utf8.count), prefix.utf8) {
        text = text.dropFirst(prefix.utf8.count)
        return scheme
      }
    }
    return nil
  }

  /// Whether the authority names a port. In an IPv6 address, only a colon behind the bracket begins one.
  private static func namesPort(_ authority: ArraySlice<UInt8>) -> Bool {
    let end = authority.lastIndex(of: ASCII.closingBracket) ?? authority.startIndex
    guard let colon = authority[end...].lastIndex(of: ASCII.colon) else { return false }
    return colon + 1 < authority.endIndex
  }

  package func matches(_ target: TargetURI) -> Bool {
    let origin = target.origin
    if let scheme, scheme != origin.scheme { return false }
    switch port {
    case .any: break
    case .exactly(let number): if number != origin.port { return false }
    case .ofScheme: if origin.port != origin.scheme.defaultPort { return false }
    }
    switch host {
    case .exactly(let name): if name != origin.host { return false }
    case .below(let name): if !origin.host.hasSuffix(".\(name)") { return false }
    }
    return path.matches(target.pathAndQuery.utf8)
  }

  /// Whether, of two patterns that match, this one says less about the URL: about its host first, then about its path,
  /// its scheme and its port.
  package func isLessSpecific(than other: SitePattern) -> Bool {
    specificity.lexicographicallyPrecedes(other.specificity)
  }

  private var specificity: [Int] {
    let (isExact, hostLength) =
      switch host {
      case .exactly(let name): (1, name.utf8.count)
      case .below(let name): (0, name.utf8.count)
      }
    return [
      isExact, hostLength, path.literalLength, path.isLiteral ? 1 : 0, scheme == nil ? 0 : 1, port == .any ? 0 : 1,
    ]
  }
}
