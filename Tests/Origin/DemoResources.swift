import Glibc
import TestSupport

/// What the origin serves.
struct DemoResources: Sendable {
  private static let entityTag = "\"demo-1\""
  /// Enough for any benchmark; a larger number is a typing error.
  private static let largestSize: UInt64 = 1 << 40

  func answer(to request: ReceivedRequest) -> OriginAnswer {
    let date = ("Date", httpDate(time(nil)))
    let plain = ("Content-Type", "text/plain")
    switch request.path {
    case "/": return .response(fields: [date, plain, ("Cache-Control", "no-store")], text: Self.index)
    case "/hello":
      return .response(fields: [date, plain, ("Cache-Control", "max-age=60")], text: "Hello from the origin.\n")
    case "/etag": return validated(request, fields: [date, ("Cache-Control", "max-age=0"), ("ETag", Self.entityTag)])
    case "/large": return large(request, fields: [date, ("Content-Type", "application/octet-stream")])
    case "/nostore":
      return .response(
        fields: [date, plain, ("Cache-Control", "no-store")], text: "Request \(request.number); never stored.\n")
    case "/redirect":
      return .response(302, fields: [date, plain, ("Location", "/hello")], text: "It is at /hello.\n")
    default: return .response(404, fields: [date, plain], text: "There is no \(request.path) here.\n")
    }
  }

  private func validated(_ request: ReceivedRequest, fields: [(String, String)]) -> OriginAnswer {
    if request.value("If-None-Match") == Self.entityTag { return .response(304, fields: fields) }
    return .response(fields: fields + [("Content-Type", "text/plain")], text: "Validated with an entity tag.\n")
  }

  private func large(_ request: ReceivedRequest, fields: [(String, String)]) -> OriginAnswer {
    guard let size = UInt64(request.queryValue("size") ?? "1048576"), size <= Self.largestSize else {
      return .response(400, fields: fields, text: "size is a number of bytes.\n")
    }
    return .response(fields: fields + [("Cache-Control", "max-age=3600")], patternCount: size)
  }

  private static let index = """
    /hello          fresh for a minute
    /etag           to be validated at each use
    /large?size=N   N bytes, fresh for an hour
    /nostore        never stored
    /redirect       leads to /hello

    """
}
