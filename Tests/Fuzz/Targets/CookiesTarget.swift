import HTTPSemantics

@testable import Client

extension FuzzTarget {
  /// The Set-Cookie field, and cookie files, which anyone may have written.
  static let cookies = FuzzTarget("cookies", longestInput: 512) { (bytes) throws(Violation) in
    var input = FuzzInput(bytes)
    switch input.byte() {
    case UInt8(ascii: "f"): try checkFile(Array(input.rest))
    case UInt8(ascii: "s"): try checkField(FieldValue(Array(input.rest)), from: target(at: host, .https))
    default: try checkField(FieldValue(Array(input.rest)), from: target(at: host, .http))
    }
  }

  private static let host = "www.mine.shop.example"
  private static let suffix = "shop.example"
  private static func isPublicSuffix(_ domain: String) -> Bool { domain == suffix }
  private static let now = Timestamp(secondsSinceEpoch: 1_700_000_000)

  private static func checkFile(_ bytes: [UInt8]) throws(Violation) {
    let cookies = CookieFile.read(bytes, at: now)
    for cookie in cookies {
      try require(!cookie.name.isEmpty && !cookie.domain.isEmpty, "a cookie has no name, or no domain")
    }
    try checkWriting(cookies)
    var jar = CookieJar()
    for cookie in cookies { jar.keep(cookie, at: now) }
    try checkSent(jar.field(for: Request(.get, target(at: host, .http)), at: now))
  }

  /// A host's cookie is not sent to a host outside the domain that the host may set cookies for.
  private static func checkField(_ value: FieldValue, from target: TargetURI) throws(Violation) {
    guard let cookie = Cookie(value, from: target, at: now, isPublicSuffix: isPublicSuffix) else { return }
    if cookie.domain != host {
      let isAbove =
        host.hasSuffix("." + cookie.domain) && cookie.domain.utf8.contains(ASCII.period)
        && cookie.domain != suffix
      try require(isAbove && !cookie.isHostOnly, "a cookie of \(host) is one of \(cookie.domain)")
    }
    try require(!cookie.isSecure || target.origin.scheme == .https, "a cookie is secure that did not come so")
    try checkWriting([cookie])
    var jar = CookieJar()
    jar.takeCookies(
      of: Fields([Field("Set-Cookie", value)]), inAnswerTo: Request(.get, target), at: now,
      isPublicSuffix: isPublicSuffix)
    for stranger in [
      "shop.test", "www.mine.shop.example.test", "anotherwww.mine.shop.example", "other.shop.example", "example",
    ] {
      let field = jar.field(for: Request(.get, Self.target(at: stranger, .https)), at: now)
      try require(
        field == nil || stranger.hasSuffix("." + cookie.domain), "a cookie of \(cookie.domain) goes to \(stranger)")
    }
    if cookie.isSecure {
      try require(
        jar.field(for: Request(.get, Self.target(at: host, .http)), at: now) == nil,
        "a secure cookie goes where it is not safe")
    }
    try checkSent(jar.field(for: Request(.get, target), at: now))
  }

  /// A written cookie file is read back as the same cookies.
  private static func checkWriting(_ cookies: [Cookie]) throws(Violation) {
    let kept = cookies.filter { !$0.isExpired(at: now) }
    try require(CookieFile.read(CookieFile.write(kept), at: now) == kept, "cookies are written as others")
  }

  private static func checkSent(_ field: FieldValue?) throws(Violation) {
    guard let field else { return }
    try require(field.bytes.contains(ASCII.equals), "a cookie is sent that is no pair")
    let steers = field.bytes.contains { $0 < ASCII.space || $0 == 0x7f }
    try require(!steers, "a cookie is sent with a control character")
  }
}
