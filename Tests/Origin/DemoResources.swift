import Glibc
import TestSupport

/// The resources that the origin serves.
struct DemoResources: Sendable {
  private static let entityTag = "\"demo-1\""
  /// Enough for any benchmark; a larger number is a typing error.
  private static let largestSize: UInt64 = 1 << 40
  /// How many answers with content `/api` gives: few, so that a user soon reaches the limit.
  private static let apiLimit = 5

  /// How many answers with content `/api` has given.
  private let apiCount = Monitor(0)
  private let never = Gate()

  func answer(to request: ReceivedRequest) -> OriginAnswer {
    let date = ("Date", httpDate(time(nil)))
    let plain = ("Content-Type", "text/plain")
    switch request.path {
    case "/": return .response(fields: [date, plain, ("Cache-Control", "no-store")], text: Self.index)
    case "/hello":
      return .response(fields: [date, plain, ("Cache-Control", "max-age=600")], text: "Hello from the origin.\n")
    case "/etag": return validated(request, fields: [date, ("Cache-Control", "max-age=0"), ("ETag", Self.entityTag)])
    case "/strict":
      let lifetime = ("Cache-Control", "max-age=0, must-revalidate")
      return validated(request, fields: [date, lifetime, ("ETag", Self.entityTag)])
    case "/large": return large(request, fields: [date, ("Content-Type", "application/octet-stream")])
    case "/nostore":
      return .response(
        fields: [date, plain, ("Cache-Control", "no-store")], text: "Request \(request.number); never stored.\n")
    case "/redirect":
      return .response(302, fields: [date, plain, ("Location", "/hello")], text: "It is at /hello.\n")
    case "/loop": return .response(302, fields: [date, ("Location", "/loop")])
    default: return special(request, fields: [date]) ?? missing(request, fields: [date, plain])
    }
  }

  /// Resources with special behaviour: a limit, credentials, Vary, cookies, no explicit lifetime, faults.
  private func special(_ request: ReceivedRequest, fields: [(String, String)]) -> OriginAnswer? {
    let plain = fields + [("Content-Type", "text/plain")]
    let fresh = plain + [("Cache-Control", "max-age=600")]
    switch request.path {
    case "/api": return api(request, fields: fields)
    case "/whoami": return whoever(request, fields: plain)
    case "/greeting":
      let isGerman = request.value("Accept-Language")?.hasPrefix("de") ?? false
      return .response(fields: fresh + [("Vary", "Accept-Language")], text: isGerman ? "Guten Tag.\n" : "Good day.\n")
    case "/any": return .response(fields: fresh + [("Vary", "*")], text: "Varies on what only the origin knows.\n")
    case "/cookie": return .response(fields: fresh + [("Set-Cookie", "id=4711")], text: "A cookie came with this.\n")
    case "/old":
      return .response(fields: plain + [("Last-Modified", "Sat, 01 Jan 2022 00:00:00 GMT")], text: "Of old.\n")
    case "/broken":
      return .response(fields: plain + [("Content-Length", "1000")], text: "It ends too").ending(.close)
    case "/silent": return .late(never, .disconnect)
    default: return nil
    }
  }

  private func missing(_ request: ReceivedRequest, fields: [(String, String)]) -> OriginAnswer {
    .response(404, fields: fields, text: "There is no \(request.path) here.\n")
  }

  private func validated(_ request: ReceivedRequest, fields: [(String, String)]) -> OriginAnswer {
    if request.value("If-None-Match") == Self.entityTag { return .response(304, fields: fields) }
    return .response(fields: fields + [("Content-Type", "text/plain")], text: "Validated with an entity tag.\n")
  }

  /// An API that counts its answers with content. A 304 does not count.
  private func api(_ request: ReceivedRequest, fields: [(String, String)]) -> OriginAnswer {
    let isConfirmed = request.value("If-None-Match") == Self.entityTag
    let left = apiCount.withLock { count in
      if !isConfirmed { count += 1 }
      return Self.apiLimit - count
    }
    let fields = fields + [("X-RateLimit-Remaining", "\(max(left, 0))")]
    if left < 0 && !isConfirmed { return .response(429, fields: fields, text: "Enough for now.\n") }
    let validators = [("Cache-Control", "private, max-age=0"), ("ETag", Self.entityTag)]
    if isConfirmed { return .response(304, fields: fields + validators) }
    let json = ("Content-Type", "application/json")
    return .response(fields: fields + validators + [json], text: "{\"name\": \"demo\"}\n")
  }

  /// Answers with the name that the bearer token gives.
  private func whoever(_ request: ReceivedRequest, fields: [(String, String)]) -> OriginAnswer {
    guard let credentials = request.value("Authorization"), credentials.hasPrefix("Bearer ") else {
      return .response(401, fields: fields + [("WWW-Authenticate", "Bearer")], text: "Who is there?\n")
    }
    let name = credentials.dropFirst("Bearer ".count)
    return .response(fields: fields + [("Cache-Control", "max-age=600")], text: "You are \(name).\n")
  }

  private func large(_ request: ReceivedRequest, fields: [(String, String)]) -> OriginAnswer {
    guard let size = UInt64(request.queryValue("size") ?? "1048576"), size <= Self.largestSize else {
      return .response(400, fields: fields, text: "size is a number of bytes.\n")
    }
    return .response(fields: fields + [("Cache-Control", "max-age=3600")], patternCount: size)
  }

  private static let index = """
    /hello          fresh for ten minutes
    /etag           to be validated at each use
    /strict         likewise, and never to be served without
    /old            says nothing of how long it is fresh; was last modified in 2022
    /large?size=N   N bytes, fresh for an hour
    /api            \(apiLimit) answers, then 429; a 304 does not count
    /whoami         for who has a bearer token
    /greeting       varies on Accept-Language
    /any            varies on everything
    /cookie         sets a cookie
    /nostore        never stored
    /redirect       leads to /hello
    /loop           leads to /loop
    /broken         ends before its end
    /silent         does not answer

    """
}
