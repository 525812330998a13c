import FlagTable
import HTTPSemantics

/// The flags of cookies, which say what is sent, and where cookies are kept.
enum CookieFlags {
  static let all: [Flag<Invocation>] = [cookie, jar, junkSessions]

  static let cookie = Flag<Invocation>(
    "cookie", short: "b", value: "DATA|FILE", completes: .file, in: .request, scope: .group,
    facts: { .init(also: .field(.cookie), secrecy: isData($0) ? .all : .none) },
    summary: "Send the cookies DATA, or those in FILE that match the URL.",
    details: #"""
      A value with an equals sign is data, `NAME=VALUE; NAME=VALUE`, for the origin of the URL. Any other value, or one
      that begins with `@`, names a file in the format that \flag{cookie-jar} writes. A file also makes garner send the
      cookies that origins set, for the rest of the run, in each set of options that has this option or
      \flag{cookie-jar}. An empty name does the same, but starts without cookies. If \flag{header} sets Host, the
      cookies are those of that host. Responses are stored separately: they are never served to a request with other
      cookies.
      """#
  ) { invocation, text throws(InvalidValue) in
    if isData(text) {
      invocation.request.cookieLines.append(try LineText.check(text))
    } else {
      invocation.request.cookieFiles.append(text.bytes.first == ASCII.at ? ArgumentText(text.bytes.dropFirst()) : text)
    }
  }

  static let jar = Flag<Invocation>(
    "cookie-jar", short: "c", value: "FILE", completes: .file, in: .request, scope: .group,
    summary: "Keep the cookies that origins set, and write all cookies to FILE at the end.",
    details: #"""
      FILE has the format that curl and wget read. It appears whole, and only its user can read it, whatever its mode
      was before. `-` is standard output. Cookies that FILE already holds are read only with \flag{cookie}. A stored
      response does not set its cookies again. Instead, a response that would set cookies is fetched from its origin,
      unless the cache policy serves stored responses regardless. If FILE cannot be written, garner prints a warning.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.request.cookieJar = try FileName.check(text) }

  static let junkSessions = Flag<Invocation>(
    "junk-session-cookies", short: "j", negation: .accepted, in: .request, scope: .group,
    summary: "Do not load session cookies from a file."
  ) { invocation, isOn in invocation.request.dropsSessionCookies = isOn }

  private static func isData(_ text: ArgumentText) -> Bool {
    text.bytes.first != ASCII.at && text.bytes.contains(ASCII.equals)
  }
}
