package import FlagTable
package import HTTPSemantics

/// The schemes that a request may go to.
package struct SchemeChoice: Equatable, Sendable {
  package var http: Bool
  package var https: Bool

  package static let all = SchemeChoice(http: true, https: true)

  /// Other schemes that curl may support. Allowing or forbidding them makes no difference here.
  private static let others = [
    "dict", "file", "ftp", "ftps", "gopher", "gophers", "imap", "imaps", "ldap", "ldaps", "mqtt", "pop3", "pop3s",
    "rtmp", "rtmpe", "rtmps", "rtmpt", "rtmpte", "rtmpts", "rtsp", "scp", "sftp", "smb", "smbs", "smtp", "smtps",
    "telnet", "tftp", "ws", "wss",
  ]

  package init(http: Bool, https: Bool) {
    self.http = http
    self.https = https
  }

  package func allows(_ scheme: TargetURI.Scheme) -> Bool {
    switch scheme {
    case .http: http
    case .https: https
    }
  }

  package func intersection(_ other: SchemeChoice) -> SchemeChoice {
    SchemeChoice(http: http && other.http, https: https && other.https)
  }

  /// Reads a list of changes to `all`: schemes, each with `+`, `-` or `=` before it, or without a sign, which means
  /// `+`.
  package init(parsing text: ArgumentText) throws(InvalidValue) {
    self = .all
    let words = text.bytes.split(separator: ASCII.comma)
    // An empty list is refused: an unset variable of a shell must not allow everything.
    if words.isEmpty { throw Self.malformed }
    for word in words {
      let signs = word.prefix { "+-=".utf8.contains($0) }
      let name = String(decoding: ASCII.lowercased(word[signs.endIndex...]), as: UTF8.self)
      let isAllowed = signs.last != ASCII.hyphen
      if signs.last == ASCII.equals { self = SchemeChoice(http: false, https: false) }
      switch name {
      case "http": http = isAllowed
      case "https": https = isAllowed
      case "all": (http, https) = (isAllowed, isAllowed)
      case _ where Self.others.contains(name): break
      default: throw Self.malformed
      }
    }
  }

  private static var malformed: InvalidValue {
    .unacceptable("expected schemes such as =https or -http, separated by commas")
  }
}
