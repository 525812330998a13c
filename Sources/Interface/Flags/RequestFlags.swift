package import FlagTable
import HTTPCaching
package import HTTPSemantics

/// The options of the request.
package struct RequestOptions: Equatable, Sendable {
  /// Which password counts if both the URL and a netrc file have one.
  package enum NetrcUse: Equatable, Sendable {
    /// That of the netrc file.
    case first
    /// That of the URL.
    case optional
  }

  package var method: Method?
  package var wantsHead = false
  package var fieldChanges: [FieldChange] = []
  package var data: [DataPart] = []
  /// Whether `--json` was given: Content-Type and Accept are application/json unless a field line says otherwise.
  package var sendsJSON = false
  /// Empty for no User-Agent.
  package var userAgent: ArgumentText?
  /// Empty for no Referer.
  package var referer: ArgumentText?
  /// Whether a redirect sets the Referer to the URL that it leads away from.
  package var setsReferer = false
  /// `USER:PASSWORD`, as typed.
  package var credentials: ArgumentText?
  package var acceptsCodings = false
  /// The text behind `bytes=`.
  package var range: ArgumentText?
  package var bearerToken: ArgumentText?
  package var keepsDotSegments = false
  /// `nil` for no netrc file, unless one is named.
  package var netrc: NetrcUse?
  /// The netrc file that replaces the one in the home directory.
  package var netrcFile: ArgumentText?

  /// `NAME=VALUE`, several with semicolons.
  package var cookieLines: [ArgumentText] = []
  /// An empty name is no file, but it also makes the cookies count that origins set.
  package var cookieFiles: [ArgumentText] = []
  /// `-` is standard output.
  package var cookieJar: ArgumentText?
  package var dropsSessionCookies = false

  package var form: [FormPart] = []
  /// A file for each URL, in order; `-` is standard input, and an empty name no file.
  package var uploads: [ArgumentText] = []
  /// Whether data goes into the query of a GET.
  package var sendsDataInQuery = false
  /// Data that goes into the query whatever the method.
  package var query: [DataPart] = []

  package var sendsContent: Bool {
    !(data.isEmpty || sendsDataInQuery) || !form.isEmpty || !uploads.isEmpty
  }
}

enum RequestFlags {
  static let all: [Flag<Invocation>] =
    [
      method, header, head, data, dataRaw, dataBinary, dataURLEncode, json, user, basic, userAgent, referer, compressed,
      range, bearerToken, pathAsIs, netrc, netrcOptional, netrcFile,
    ] + CookieFlags.all + ContentFlags.all

  /// The flags that give data. They can be combined.
  static var giving: [Flag<Invocation>] { [data, dataRaw, dataBinary, dataURLEncode, json] }

  /// The flags for a command that has a `--json` of its own, which says how it prints.
  static var withoutJSON: [Flag<Invocation>] { all.filter { $0.name != json.name } }

  static let method = Flag<Invocation>(
    "request", short: "X", value: "METHOD",
    completes: .examples(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"]), in: .request,
    facts: { _ in .init(also: .method) },
    summary: "Use METHOD instead of GET, or instead of POST if there is data.",
    details: #"""
      METHOD is sent with its letters unchanged. A redirect keeps the method, as in curl. After a 301 or 302 in answer
      to POST, the content is not sent again. After a 303, any method but HEAD becomes GET. To send HEAD, use
      \flag{head}.
      """#
  ) { invocation, text throws(InvalidValue) in
    guard let method = Method(text.bytes) else {
      throw .unacceptable("a method consists of letters, digits and !#$%&'*+-.^_`|~")
    }
    invocation.request.method = method
  }

  static let header = Flag<Invocation>(
    "header", short: "H", listable: "LINE", in: .request, facts: lineFacts,
    summary: "Send the header field LINE, such as `Accept: text/html`.",
    details: #"""
      `Name: value` replaces a field that garner would send by itself. `Name:`, with nothing after the colon, leaves
      that field out. `Name;` sends the field with an empty value. The option may be repeated. On the command line,
      `@FILE` stands for the lines of FILE, and `@-` for those of standard input; this keeps secrets out of process
      listings.

      Conditional fields, Range and the request directives of Cache-Control have the meaning that RFC 9110 and RFC 9111
      give them: garner applies them to the cache before it asks the origin.

      A field that is left out is not added later either, for the cache or from a cookie jar. Without both If-None-Match
      and If-Modified-Since, a stored response is not validated, but requested anew. Without Range or If-Range, the
      whole is requested instead of a rest. Without Cache-Control, \flag{max-age}, \flag{max-stale} and
      \flag{min-fresh} count for the cache alone.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.request.fieldChanges.append(try FieldChange(parsing: text)) }

  static let head = Flag<Invocation>(
    "head", short: "I", negation: .accepted, in: .request, facts: { _ in .init(also: .method, .content) },
    summary: "Send HEAD, and print the head of the response.",
    details: #"""
      With \flag{request}, sends that method instead, does not wait for the content of the response, and bypasses the
      cache.
      """#
  ) { invocation, isOn in invocation.request.wantsHead = isOn }

  static let data = Flag<Invocation>(
    "data", short: "d", value: "DATA", aliases: ["data-ascii"], completes: .fileBehindAt, in: .request,
    scope: .group, facts: { .init(also: .content, secrecy: .ofContent($0, orFileBehind: "@")) },
    summary: "Send DATA as the content of a POST.",
    details: #"""
      `@FILE` sends the content of FILE without its line breaks and NUL bytes. `@-` sends standard input, which only one
      option of a run can read. Several parts are joined with `&`. Content-Type is application/x-www-form-urlencoded
      unless \flag{header} sets it.
      """#
  ) { invocation, text throws(InvalidValue) in
    invocation.request.data.append(DataPart(try TextSource(marked: text), .withoutLineBreaks))
  }

  static let dataRaw = Flag<Invocation>(
    "data-raw", value: "DATA", in: .request, scope: .group,
    facts: { .init(also: .content, secrecy: .ofContent($0)) },
    summary: "Send DATA unchanged, even if it begins with `@`.",
    details: #"Otherwise like \flag{data}."#
  ) { invocation, text in invocation.request.data.append(DataPart(.literal(text), .asIs)) }

  static let dataBinary = Flag<Invocation>(
    "data-binary", value: "DATA", completes: .fileBehindAt, in: .request, scope: .group,
    facts: { .init(also: .content, secrecy: .ofContent($0, orFileBehind: "@")) },
    summary: "Send DATA, or the bytes of `@FILE`, unchanged.",
    details: #"Otherwise like \flag{data}."#
  ) { invocation, text throws(InvalidValue) in
    invocation.request.data.append(DataPart(try TextSource(marked: text), .asIs))
  }

  static let dataURLEncode = Flag<Invocation>(
    "data-urlencode", value: "DATA", completes: .fileBehindAt, in: .request, scope: .group,
    facts: { text in
      let isLiteral = text.bytes.contains(ASCII.equals)
      return .init(also: .content, secrecy: .ofContent(text, isNamed: true, orFileBehind: isLiteral ? "" : "@"))
    },
    summary: "Send DATA percent-encoded.",
    details: #"""
      `CONTENT` and `=CONTENT` are encoded as a whole. In `NAME=CONTENT`, only CONTENT is encoded; NAME is sent as it
      is. `@FILE` and `NAME@FILE` take the content from FILE. Otherwise like \flag{data}.
      """#
  ) { invocation, text throws(InvalidValue) in
    invocation.request.data.append(try DataPart(percentEncoding: text))
  }

  static let json = Flag<Invocation>(
    "json", value: "DATA", completes: .fileBehindAt, in: .request, scope: .group,
    facts: {
      let overridden: [Subject] = [.field(.accept), .field(.contentType)]
      return .init(also: .content, over: overridden, secrecy: .ofContent($0, orFileBehind: "@"))
    },
    summary: "Send DATA as JSON, and ask for JSON.",
    details: #"""
      Like \flag{data-binary}, with Content-Type and Accept set to application/json unless \flag{header} sets them. On
      the command line, the option overrides these fields of the config file. Several parts are joined without a
      separator.
      """#
  ) { invocation, text throws(InvalidValue) in
    // Other commands have a --json without a value. So a URL or an option behind it is probably not meant as one.
    if invocation.request.data.isEmpty, text.bytes.starts(with: "--".utf8) || text.isPlainlyURL {
      let taken = text.isPlainlyURL ? "a URL" : "an option"
      throw .unacceptable("expected JSON, but got \(taken)")
    }
    invocation.request.data.append(DataPart(try TextSource(marked: text), .asIs, isSeparated: false))
    invocation.request.sendsJSON = true
  }

  static let user = Flag<Invocation>(
    "user", short: "u", value: "USER:PASSWORD", in: .request,
    facts: { .init(also: .field(.authorization), secrecy: .behindColon(of: $0)) },
    summary: "Send these credentials with the Basic scheme.",
    details: """
      They are sent only to the origin of the URL that was typed, not to other origins that a redirect leads to.
      Responses are stored separately: they are never served to a request with other credentials. The password may be
      empty, but the colon is required, because garner never prompts for a password.
      """
  ) { invocation, text throws(InvalidValue) in
    invocation.request.credentials = try LineText.credentials(text)
  }

  static let basic = Flag<Invocation>(
    "basic", in: .request,
    summary: #"Send the credentials of \flag{user} with the Basic scheme."#,
    details: "This is always done; the option is accepted for compatibility with curl."
  ) { _ in }

  static let userAgent = Flag<Invocation>(
    "user-agent", short: "A", value: "NAME", in: .request, facts: { _ in .init(also: .field(.userAgent)) },
    summary: "Send NAME as User-Agent.",
    details: "An empty NAME leaves the field out."
  ) { invocation, text throws(InvalidValue) in invocation.request.userAgent = try LineText.check(text) }

  static let referer = Flag<Invocation>(
    "referer", short: "e", value: "URL", in: .request, facts: { .init(also: .field(.referer), secrecy: .ofURL($0)) },
    summary: "Send URL as Referer.",
    details: """
      An empty URL leaves the field out. With `;auto` after URL, or alone, each request that follows a redirect has the
      redirecting URL as its Referer. A redirect from https to http gets none.
      """
  ) { invocation, text throws(InvalidValue) in
    let bytes = try LineText.check(text).bytes
    let mark = bytes.indices.first { bytes[$0...].starts(with: ";auto".utf8) }
    invocation.request.referer = ArgumentText(Array(bytes[..<(mark ?? bytes.count)]))
    invocation.request.setsReferer = mark != nil
  }

  static let compressed = Flag<Invocation>(
    "compressed", negation: .accepted, in: .request, facts: { _ in .init(also: .field(.acceptEncoding)) },
    summary: "Request a compressed response, and print it decompressed.",
    details: #"""
      With \flag{range} or `--continue-at`, the range is requested uncompressed, because a part of compressed content
      cannot be decompressed.
      """#
  ) { invocation, isOn in invocation.request.acceptsCodings = isOn }

  static let range = Flag<Invocation>(
    "range", short: "r", value: "BYTES", in: .request, facts: { _ in .init(also: .field(.range)) },
    summary: "Request a range of bytes, such as 0-499 or 500-, or the last 500 with -500.",
    details: #"""
      If the whole response is stored, its range is served without asking the origin. Several ranges, separated by
      commas, are requested from the origin, which may send the whole body; if the origin may not be asked, the whole
      stored body is delivered. With \flag{compressed}, a range is requested without a content coding. If the stored
      response for that request has one all the same, the range is neither served nor requested, and the whole body is
      delivered, because a part of coded content cannot be decoded.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.request.range = try RangeText.parse(text) }

  static let bearerToken = Flag<Invocation>(
    "oauth2-bearer", value: "TOKEN", in: .request,
    facts: { _ in .init(also: .field(.authorization), secrecy: .all) },
    summary: "Send TOKEN with the Bearer scheme.",
    details: #"""
      Like the credentials of \flag{user}, TOKEN is sent to no other origin, and responses are stored separately. TOKEN
      takes precedence over a user and password.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.request.bearerToken = try LineText.check(text) }

  static let pathAsIs = Flag<Invocation>(
    "path-as-is", negation: .accepted, in: .request,
    summary: "Keep `/./` and `/../` in the path of a URL that was typed."
  ) { invocation, isOn in invocation.request.keepsDotSegments = isOn }

  static let netrc = Flag<Invocation>(
    "netrc", short: "n", negation: .accepted, in: .request,
    facts: { _ in .init(also: .netrc, over: [.field(.authorization)]) },
    summary: "Read user and password for the URL's host from ~/.netrc.",
    details: #"""
      Credentials in the file take precedence over those in the URL. If the URL names a user, only the password of that
      user is looked up; if the file has none, the URL's password is used. The credentials are sent only to the origin
      of the URL that was typed, never to another origin that a redirect leads to. \flag{user} takes precedence over the
      file.
      """#
  ) { invocation, isOn in invocation.request.netrc = isOn ? .first : nil }

  static let netrcOptional = Flag<Invocation>(
    "netrc-optional", negation: .accepted, in: .request,
    facts: { _ in .init(also: .netrc, over: [.field(.authorization)]) },
    summary: "Like --netrc, but credentials in the URL take precedence over the file."
  ) { invocation, isOn in invocation.request.netrc = isOn ? .optional : nil }

  static let netrcFile = Flag<Invocation>(
    "netrc-file", value: "FILE", completes: .file, in: .request,
    facts: { _ in .init(over: [.field(.authorization)]) },
    summary: "Like --netrc, but read FILE instead of ~/.netrc."
  ) { invocation, text throws(InvalidValue) in
    invocation.request.netrcFile = try FileName.check(text)
  }

  /// Returns the facts of a field line. Its subject is its field, and it is a secret if the field gives access.
  @Sendable private static func lineFacts(_ line: ArgumentText) -> SettingFacts {
    switch try? FieldChange(parsing: line) {
    case .send(.cacheControl, let value):
      directiveFacts(ListSyntax.members(of: value.bytes).map { ASCII.lowercased($0.prefix { $0 != ASCII.equals }) })
    case .send(let name, value: _), .leaveOut(let name):
      .init(only: .field(name), secrecy: secrecy(of: line, named: name, CredentialFields()))
    case nil:
      .init(only: nil)
    }
  }

  /// Returns the facts of a Cache-Control line. A line with one directive is equivalent to the option for it. A line
  /// with several overrides a weaker layer's options for them, but a stronger layer's option for one does not drop it.
  private static func directiveFacts(_ names: [[UInt8]]) -> SettingFacts {
    let directives = names.map { Subject.directive(String(decoding: $0, as: UTF8.self)) }
    if directives.count == 1 { return .init(only: .field(.cacheControl), directives[0]) }
    return .init(only: .field(.cacheControl), over: directives)
  }

  private static func secrecy(
    of line: ArgumentText, named name: FieldName, _ credentialFields: CredentialFields
  ) -> Secrecy {
    let behindColon = line.bytes.dropFirst(name.spelling.utf8.count + 1)
    guard credentialFields.contains(name) else {
      return CredentialParameters.mayHoldURL(behindColon, of: name) ? .ofURL(line) : .none
    }
    return .behind(prefix: line.bytes.count - behindColon.drop { $0 == ASCII.space }.count)
  }

  /// - Parameter listed: fields that the user lists as credential fields.
  static func secrecy(of line: ArgumentText, listed: [FieldName] = []) -> Secrecy {
    switch try? FieldChange(parsing: line) {
    case .send(let name, value: _), .leaveOut(let name):
      secrecy(of: line, named: name, CredentialFields(listed: listed))
    case nil: .none
    }
  }
}

extension Setting<Invocation> {
  /// Returns which part of the value is a secret. Any value may have URLs in it, whatever the row of its flag states.
  ///
  /// - Parameter listed: fields that the user lists as credential fields.
  package func secrecy(listed: [FieldName]) -> Secrecy {
    let isLine = flag.name == RequestFlags.header.name || flag.name == StoringFlags.storeHeader.name
    let stated: Secrecy = isLine ? RequestFlags.secrecy(of: value, listed: listed) : secrecy
    return stated == .none ? .ofText(value) : stated
  }
}
