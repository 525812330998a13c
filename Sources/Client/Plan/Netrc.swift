import FlagTable
import HTTPSemantics
import Interface

/// A file of hosts with their users and passwords.
///
/// - Source: the manual pages of ftp and of curl.
struct Netrc {
  struct Login: Equatable {
    var user: [UInt8]?
    var password: [UInt8]?
  }

  private enum Host: Equatable {
    case named([UInt8])
    /// Any host that no earlier entry names.
    case any
  }

  private var entries: [(host: Host, login: Login)] = []

  /// - Returns: `nil` if a quotation has no end.
  init?(_ bytes: [UInt8]) {
    var words = NetrcWords(bytes)
    do throws(NetrcWords.Unended) {
      while let word = try words.next() {
        if Self.isKeyword(word, "machine") {
          guard let name = try words.next() else { break }
          let host = IPAddress.bracketed(name).map { Array($0.utf8) } ?? ASCII.lowercased(name)
          entries.append((.named(host), Login()))
        } else if Self.isKeyword(word, "default") {
          entries.append((.any, Login()))
        } else if Self.isKeyword(word, "macdef") {
          words.skipMacro()
        } else if let index = entries.indices.last {
          try Self.read(word, &words, into: &entries[index].login)
        }
      }
    } catch {
      return nil
    }
  }

  private static func read(
    _ word: [UInt8], _ words: inout NetrcWords, into login: inout Login
  ) throws(NetrcWords.Unended) {
    if isKeyword(word, "login") {
      login.user = try words.next()
    } else if isKeyword(word, "password") {
      login.password = try words.next()
    } else if isKeyword(word, "account") {
      // An account is what ftp sends beside a password.
      _ = try words.next()
    }
  }

  /// Returns whether a word is a keyword, in letters of either case, as with curl.
  private static func isKeyword(_ word: [UInt8], _ keyword: String) -> Bool {
    ASCII.equalIgnoringCase(word, keyword.utf8)
  }

  /// - Parameter user: the user whose password is looked for; `nil` for any user.
  /// - Returns: `USER:PASSWORD`, or `nil` if the host, with that user, is not in the file.
  func credentials(for host: String, user: [UInt8]?) -> [UInt8]? {
    let host = ASCII.lowercased(Array(host.utf8))
    let matching = entries.filter { $0.login != Login() && ($0.host == .any || $0.host == .named(host)) }
    var found = matching.first { $0.host != .any && $0.login.password != nil } ?? matching.first
    if let user {
      // The host's own entries come first, even those after a default entry, although none belongs there.
      found =
        matching.first { $0.host != .any && ($0.login.user == nil || $0.login.user == user) }
        ?? matching.first { $0.host == .any }
    }
    guard let entry = found else { return nil }
    return (user ?? entry.login.user ?? []) + [ASCII.colon] + (entry.login.password ?? [])
  }
}

/// The words of a netrc file: between blanks and line ends, or in quotation marks.
private struct NetrcWords {
  struct Unended: Error {}

  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func next() throws(Unended) -> [UInt8]? {
    while let byte = rest.first {
      if Self.isSpace(byte) {
        rest.removeFirst()
      } else if byte == UInt8(ascii: "#") {
        rest = rest.drop { $0 != ASCII.lineFeed }
      } else if byte == ASCII.quote {
        return try quoted()
      } else {
        let word = rest.prefix { !Self.isSpace($0) }
        rest = rest[word.endIndex...]
        return Array(word)
      }
    }
    return nil
  }

  private mutating func quoted() throws(Unended) -> [UInt8] {
    rest.removeFirst()
    var word: [UInt8] = []
    while let byte = rest.popFirst(), byte != ASCII.lineFeed {
      if byte == ASCII.quote { return word }
      guard byte == ASCII.backslash, let escaped = rest.popFirst() else {
        word.append(byte)
        continue
      }
      switch escaped {
      case UInt8(ascii: "n"): word.append(ASCII.lineFeed)
      case UInt8(ascii: "r"): word.append(ASCII.carriageReturn)
      case UInt8(ascii: "t"): word.append(ASCII.horizontalTab)
      default: word.append(escaped)
      }
    }
    throw Unended()
  }

  /// A macro ends at an empty line.
  mutating func skipMacro() {
    while let end = rest.firstIndex(of: ASCII.lineFeed) {
      rest = rest[(end + 1)...]
      // In a file from another system, lines may end with CR LF.
      if rest.first == ASCII.lineFeed || rest.starts(with: [ASCII.carriageReturn, ASCII.lineFeed]) { return }
    }
    rest = []
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    ASCII.isWhitespace(byte) || byte == ASCII.lineFeed || byte == ASCII.carriageReturn
  }
}

/// The netrc files of a run. Each is read once, when it is first needed: a pipe cannot be read a second time.
final class NetrcFiles {
  private var read: [(name: ArgumentText, netrc: Netrc)] = []

  /// - Throws: an error if the file cannot be read, or is malformed.
  func netrc(in name: ArgumentText, _ context: ProcessContext) throws(Failure) -> Netrc {
    for file in read where file.name == name { return file.netrc }
    guard let netrc = Netrc(try context.read(.file(name), for: "--netrc-file", upTo: .settings)) else {
      throw .unreadableInput(name.visible, "a quotation mark in it is not closed")
    }
    read.append((name, netrc))
    return netrc
  }
}
