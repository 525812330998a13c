import FlagTable
import HTTPCaching
import HTTPSemantics

/// Which parts of options' values are secrets.
extension Secrecy {
  /// Returns the secrecy of a URL.
  ///
  /// - Parameter value: a URL, with or without its scheme, or a line with one.
  static func ofURL(_ value: ArgumentText) -> Secrecy {
    let text = value.visible
    return CredentialParameters.withoutUserInfo(text) == text ? .none : .inURL
  }

  /// Returns the secrecy of a cache key, which may be a URL.
  static func ofKey(_ value: ArgumentText) -> Secrecy {
    let text = value.visible
    return CredentialParameters.maskedKey(text) == text ? .none : .inURL
  }

  /// Returns the secrecy of a text that is not a URL, but may have some in it.
  static func ofText(_ value: ArgumentText) -> Secrecy {
    guard CredentialParameters.holdsURL(value.bytes[...]) else { return .none }
    let text = value.visible
    return CredentialParameters.masked(inWordsOf: text) == text ? .none : .inText
  }

  /// Returns the secrecy of a part of a query. The names of parameters say which values give access.
  static func ofQuery(_ value: ArgumentText) -> Secrecy {
    let query = "?" + ArgumentText(value.bytes.drop { $0 == ASCII.plus }).visible
    return CredentialParameters.masked(query) == query ? .none : .possible(behind: nameEnd(in: value))
  }

  /// Returns the secrecy of content to be sent, or of what follows the name in it.
  ///
  /// - Parameter marks: the characters that may stand before the name of a file.
  static func ofContent(_ value: ArgumentText, isNamed: Bool = false, orFileBehind marks: String = "") -> Secrecy {
    let start = isNamed ? nameEnd(in: value) : 0
    let isFile = start < value.bytes.count && marks.utf8.contains(value.bytes[start])
    return isFile ? .none : .possible(behind: start)
  }

  /// Returns the secrecy of a shell command: possibly a secret from the first word on that has the form of a URL, a
  /// field or an assignment.
  static func ofCommand(_ value: ArgumentText) -> Secrecy {
    var start = 0
    for index in 0..<value.bytes.count {
      switch value.bytes[index] {
      case ASCII.space: start = index + 1
      case ASCII.colon, ASCII.equals, ASCII.at: return .possible(behind: start)
      default: break
      }
    }
    return .none
  }

  /// Returns where the value behind the first equals sign begins; 0 if there is none.
  private static func nameEnd(in value: ArgumentText) -> Int {
    value.bytes.firstIndex(of: ASCII.equals).map { $0 + 1 } ?? 0
  }
}
