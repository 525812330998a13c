import HTTPSemantics

@testable import Client

extension FuzzTarget {
  /// A netrc file, and credentials that are written to one.
  static let netrc = FuzzTarget("netrc", longestInput: 256) { (bytes) throws(Violation) in
    let user = Array("me".utf8)
    if let netrc = Netrc(bytes) {
      for host in ["one.example", "two.example"] {
        let found = netrc.credentials(for: host, user: user)
        try require(found.map { $0.starts(with: user + [ASCII.colon]) } ?? true, "a password is another user's")
        try require(netrc.credentials(for: host.uppercased(), user: user) == found, "a host has another password")
      }
      try require(
        Netrc(bytes + Array("\n# machine one.example".utf8))?.credentials(for: "one.example", user: nil)
          == netrc.credentials(for: "one.example", user: nil), "a comment at the end says something")
    }
    try checkQuoting(bytes)
  }

  private static func checkQuoting(_ bytes: [UInt8]) throws(Violation) {
    var input = FuzzInput(bytes)
    let (user, password) = (Array(input.take(until: 0)), Array(input.rest))
    let file = Array("machine one.example login ".utf8) + quoted(user) + Array(" password ".utf8) + quoted(password)
    let netrc = Netrc(file)
    try require(
      netrc?.credentials(for: "one.example", user: nil) == user + [ASCII.colon] + password,
      "what is quoted is read as something else")
    try require(netrc?.credentials(for: "two.example", user: nil) == nil, "credentials are for another host, too")
  }

  private static func quoted(_ word: [UInt8]) -> [UInt8] {
    var quoted = [ASCII.quote]
    for byte in word {
      switch byte {
      case ASCII.lineFeed: quoted += Array("\\n".utf8)
      case ASCII.quote, ASCII.backslash: quoted += [ASCII.backslash, byte]
      default: quoted.append(byte)
      }
    }
    return quoted + [ASCII.quote]
  }
}
