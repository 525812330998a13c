/// The target URI of a request: an absolute `http` or `https` URI without userinfo and fragment (RFC 9110 section 7.1).
///
/// The scheme and the host are in lower case, the port is explicit, the path is never empty and has no dot segments,
/// unless the user keeps them. Path and query are otherwise as they were given: two spellings of one resource are two
/// targets.
package struct TargetURI: Hashable, Sendable, CustomStringConvertible {
  package enum Scheme: String, Hashable, Sendable {
    case http
    case https

    /// - Parameter name: in lower case.
    package init?(_ name: Span<UInt8>) {
      if ASCII.equal(name, "http") {
        self = .http
      } else if ASCII.equal(name, "https") {
        self = .https
      } else {
        return nil
      }
    }

    package var defaultPort: UInt16 { self == .http ? 80 : 443 }

    /// The scheme with the `://` that follows it in each target URI.
    var prefix: StaticString { self == .http ? "http://" : "https://" }
  }

  /// The origin that answers: the triple to which credentials are bound (RFC 9110 section 4.3.1).
  package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let scheme: Scheme
    /// A name, an IPv4 address, or an IPv6 address in brackets.
    package let host: String
    package let port: UInt16

    package init(scheme: Scheme, host: String, port: UInt16) {
      self.scheme = scheme
      self.host = host
      self.port = port
    }

    /// Host and port as in a Host field: the scheme's own port is left out.
    package var authority: String { port == scheme.defaultPort ? host : host + ":" + String(port) }

    package var description: String { String(decoding: bytes, as: UTF8.self) }

    /// The bytes of `description`: most callers need those, and no string is made on the way.
    package var bytes: [UInt8] {
      var bytes: [UInt8] = []
      // Enough for the path of most targets behind it, too.
      bytes.reserveCapacity(128)
      scheme.prefix.withUTF8Buffer { bytes += $0 }
      bytes += host.utf8
      if port != scheme.defaultPort {
        bytes.append(ASCII.colon)
        var place: UInt16 = 10_000
        while place > max(port, 1) { place /= 10 }
        while place > 0 {
          bytes.append(ASCII.zero + UInt8(port / place % 10))
          place /= 10
        }
      }
      return bytes
    }
  }

  package let origin: Origin
  /// Path and query, as they stand in the request line.
  package let pathAndQuery: String

  package init(origin: Origin, pathAndQuery: String) {
    self.origin = origin
    self.pathAndQuery = pathAndQuery
  }

  package func hash(into hasher: inout Hasher) {
    // With few exceptions, targets that share both also share scheme and port.
    hasher.combine(pathAndQuery)
    hasher.combine(origin.host)
  }

  package var path: Substring { pathAndQuery[..<(questionMark ?? pathAndQuery.endIndex)] }

  /// The text behind the first question mark; `nil` without one.
  package var query: Substring? {
    questionMark.map { pathAndQuery[pathAndQuery.utf8.index(after: $0)...] }
  }

  /// Found among bytes, because looking among characters takes twenty times as long.
  private var questionMark: String.Index? { pathAndQuery.utf8.firstIndex(of: ASCII.questionMark) }

  package var description: String {
    String(decoding: bytes, as: UTF8.self)
  }

  /// The bytes of `description`.
  package var bytes: [UInt8] {
    var bytes = origin.bytes
    bytes += pathAndQuery.utf8
    return bytes
  }

  /// Returns the target with `addition` appended to its query. What a request line cannot carry is percent-encoded.
  package func appending(query addition: [UInt8]) -> TargetURI {
    if addition.isEmpty { return self }
    var text = pathAndQuery
    if query == nil { text += "?" } else if !text.hasSuffix("?") && !text.hasSuffix("&") { text += "&" }
    return TargetURI(origin: origin, pathAndQuery: text + PathSyntax.encodedQuery(addition))
  }

  /// Returns the target with `name` as the last segment of its path, if that segment is empty.
  package func naming(_ name: [UInt8]) -> TargetURI {
    guard path.hasSuffix("/") else { return self }
    let text = String(path) + PathSyntax.encodedSegment(name) + (query.map { "?" + $0 } ?? "")
    return TargetURI(origin: origin, pathAndQuery: text)
  }
}

/// The reason why a text is not a target URI.
package enum URIError: Error, Equatable, Sendable {
  case unsupportedScheme(String)
  /// There is the name of a scheme, but not all of `://` behind it.
  case incompleteScheme
  case noHost
  case malformedHost
  /// The host is not in ASCII. The code that took the reference in brings it to ASCII (`URIReference.mappingHost`).
  case hostBeyondASCII
  /// The host cannot be converted to ASCII, for this reason.
  case hostNotMapped(reason: String)
  case malformedPort
  case forbiddenCharacter
  case controlCharacterInUserInfo
  case tooLong

  /// Completes "the URL is malformed: ...".
  package var reason: String {
    switch self {
    case .unsupportedScheme(let scheme): "the scheme \"\(scheme)\" is not supported, only http and https are"
    case .incompleteScheme: "its scheme is not followed by ://"
    case .noHost: "it has no host"
    case .malformedHost: "its host is malformed"
    case .hostBeyondASCII:
      "its host has letters beyond ASCII; write it in its DNS form, such as xn--bcher-kva.example"
    case .hostNotMapped(let reason): "its host cannot be converted to ASCII: \(reason)"
    case .malformedPort: "its port is not a number from 0 to 65535"
    case .forbiddenCharacter: "it holds a space or a control character"
    case .controlCharacterInUserInfo: "its user information holds a control character"
    case .tooLong: "it is longer than \(URIReference.maximumLength) bytes"
    }
  }
}
