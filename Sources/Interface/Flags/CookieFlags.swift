import FlagTable
import HTTPSemantics

/// The flags of cookies, which say what is sent, and where cookies are kept.
enum CookieFlags {
  static let all: [Flag<Invocation>] = [cookie, jar, junkSessions]

  static let cookie = Flag<Invocation>(
    "cookie", short: "b", value: "DATA|FILE", completes: .file, in: .request, scope: .group,
    facts: { .init(also: .field(.cookie), secrecy: isData($0) ? .all : .none) },
    summary: "Send these cookies, or those in FILE that are for the URL.",
    details: #"""
      With an equals sign in it, it is `NAME=VALUE; NAME=VALUE`, for the origin of the URL. Else it is a file in the
      form that \flag{cookie-jar} writes, with or without `@` before its name, and what origins set counts for the rest
      of the run, in each set of options that has this option or \flag{cookie-jar}; an empty name begins without
      cookies. Where a Host is given with \flag{header}, cookies are that host's. What cookies bring is stored apart: it
      is never given to a request with other ones.
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
    summary: "Keep the cookies that origins set, and write all to FILE at the end.",
    details: #"""
      FILE is in the form that curl and wget read, appears whole, and can be read by its user alone, whatever it was
      before; `-` is standard output. What is in it before is read with \flag{cookie}. A stored
      response sets no cookies again: one that would is had from its origin, unless the cache policy takes what is
      stored all the same. Where FILE cannot be written, that is a warning.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.request.cookieJar = try FileName.check(text) }

  static let junkSessions = Flag<Invocation>(
    "junk-session-cookies", short: "j", negation: .accepted, in: .request, scope: .group,
    summary: "Leave out the cookies of a file that were for a session only."
  ) { invocation, isOn in invocation.request.dropsSessionCookies = isOn }

  private static func isData(_ text: ArgumentText) -> Bool {
    text.bytes.first != ASCII.at && text.bytes.contains(ASCII.equals)
  }
}
