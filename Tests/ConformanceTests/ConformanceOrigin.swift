import Glibc
import TestSupport

/// The origin of all cases. It answers each request as the case specifies, and records what it received and sent.
final class ConformanceOrigin: Sendable {
  /// A request as the origin received it, and the fields of the answer that the client must receive.
  struct Exchange: Sendable {
    /// The client's number of the request.
    let number: Int
    let request: ReceivedRequest
    let comparedFields: [(String, String)]
    let sentFields: [(String, String)]
  }

  private struct Scene {
    let requests: [ConformanceRequest]
    var exchanges: [Exchange] = []
  }

  private let scenes = Monitor<[String: Scene]>([:])

  /// Prepares the URL `/test/TOKEN` for a case.
  func prepare(_ requests: [ConformanceRequest], under token: String) {
    scenes.withLock { $0[token] = Scene(requests: requests) }
  }

  /// The exchanges of a case so far, in order.
  func exchanges(under token: String) -> [Exchange] {
    scenes.withLock { $0[token]?.exchanges ?? [] }
  }

  func answer(to request: ReceivedRequest) -> OriginAnswer {
    let token = request.path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
    return scenes.withLock { scenes in
      guard var scene = scenes[token] else { return .response(404) }
      let answer = Self.answer(to: request, in: &scene, token: token)
      scenes[token] = scene
      return answer
    }
  }

  private static func answer(to request: ReceivedRequest, in scene: inout Scene, token: String) -> OriginAnswer {
    let seenCount = scene.exchanges.count + 1
    let clientNumber = request.value("Req-Num").flatMap { Int($0) } ?? seenCount
    guard scene.requests.indices.contains(clientNumber - 1) else { return .response(409) }
    let script = scene.requests[clientNumber - 1]
    let now = millisecondsSince1970()

    let lines = scriptedFields(of: script, target: request.target, now: now)
    let previous = scene.exchanges.last { $0.number == clientNumber - 1 }?.sentFields
    let unsent = scene.requests.prefix(clientNumber - 1).last.map {
      scriptedFields(of: $0, target: request.target, now: now)
    }
    let status = status(of: script, answering: request, after: previous ?? unsent ?? [])
    var fields = [
      ("Server-Base-Url", request.target), ("Server-Request-Count", "\(seenCount)"),
      ("Client-Request-Count", "\(clientNumber)"), ("Server-Now", "\(now)"),
    ]
    fields += lines
    if !fields.contains(named: "Content-Type") { fields.append(("Content-Type", "text/plain")) }
    let comparedNames = Set(script.responseFields.filter(\.isCompared).map { $0.name.lowercased() })
    scene.exchanges.append(
      Exchange(
        number: clientNumber, request: request,
        comparedFields: comparedNames.sorted().compactMap { name in
          lines.joinedValue(of: name).map { (name, $0) }
        },
        sentFields: lines))
    fields.append(("Request-Numbers", scene.exchanges.map { "\($0.number)" }.joined(separator: " ")))
    if !fields.contains(named: "Date") { fields.append(("Date", httpDate(now / 1000))) }

    if script.disconnects { return .disconnect }
    let interim = script.interim.map { answer in
      (answer.status, answer.fields.map { ($0.name, $0.value.text(in: $0.name, nowMilliseconds: now)) })
    }
    let content = fieldBytes(script.responseBody ?? token)
    var answer = OriginAnswer.response(status.code, status.reason, fields: fields, content: content)
    if fields.contains(named: "Transfer-Encoding") {
      // The origin does not apply the coding, so the content ends with the connection (RFC 9112 section 6.3).
      answer = OriginAnswer([.bytes(OriginAnswer.head(status.code, status.reason, fields: fields)), .content(content)])
    }
    let isFramedByScript = lines.contains(named: "Content-Length") || lines.contains(named: "Transfer-Encoding")
    return answer.after(interim: interim).ending(isFramedByScript ? .close : .keepAlive)
  }

  /// The fields that the case specifies, with real dates and locations.
  private static func scriptedFields(
    of script: ConformanceRequest, target: String, now: Int
  ) -> [(String, String)] {
    script.responseFields.map { field in
      let name = field.name.lowercased()
      let form: HTTPDateForm = script.rfc850Names.contains { $0.lowercased() == name } ? .rfc850 : .imfFixdate
      let text = field.value.text(in: name, nowMilliseconds: now, form: form)
      if script.hasMagicLocations, name == "location" || name == "content-location" {
        return (field.name, text.isEmpty ? target : "\(target)/\(text)")
      }
      return (field.name, text)
    }
  }

  /// The status 304 if the request carries the previous answer's validator as required, and 999 if it does not.
  private static func status(
    of script: ConformanceRequest, answering request: ReceivedRequest, after previous: [(String, String)]
  ) -> (code: Int, reason: String) {
    guard let type = script.expectedType, type.isValidation else {
      return script.status.map { ($0.code, $0.reason) } ?? (200, "OK")
    }
    let carries = { (condition: String, validator: String) in
      guard let sent = previous.joinedValue(of: validator) else { return false }
      return request.rawValues(condition) == [fieldBytes(sent)]
    }
    let isValidated = carries("If-Modified-Since", "Last-Modified") || carries("If-None-Match", "ETag")
    return isValidated ? (304, "Not Modified") : (999, "304 Not Generated")
  }
}

extension [(String, String)] {
  /// The values of a field's lines, joined as in RFC 9110 section 5.3. The name is not case-sensitive.
  func joinedValue(of name: String) -> String? {
    let values = filter { $0.0.lowercased() == name.lowercased() }.map(\.1)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  fileprivate func contains(named name: String) -> Bool { joinedValue(of: name) != nil }
}

private func millisecondsSince1970() -> Int {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  return now.tv_sec * 1000 + now.tv_nsec / 1_000_000
}
