import TestSupport

/// The outcome of a case.
enum ConformanceOutcome: String {
  case pass
  case fail
  /// The set-up failed, so the case has no result.
  case setup
  /// A case that this one depends on did not pass.
  case dependency
}

/// An expectation of a case that is not fulfilled.
struct Unfulfilled: Error {
  let isSetup: Bool
  let message: String
}

/// Checks the response to a request of a case.
///
/// - Parameters:
///   - number: the number of the request, from 1.
///   - token: the content that the origin sends if the case specifies none.
func check(
  _ response: PrintedResponse, to request: ConformanceRequest, number: Int, token: String
) throws(Unfulfilled) {
  let numbers = response.value("Request-Numbers")?.split(separator: " ") ?? []
  try expect(numbers.count == Set(numbers).count, setup: true, "request \(number) was sent twice")
  try checkType(of: response, to: request, number: number)
  try checkStatus(of: response, to: request, number: number)
  let isPresenceSetup = request.isSetup(.expectedFields)
  for expectation in request.expectedFields {
    try check(expectation, in: response, isSetup: isPresenceSetup, number: number)
  }
  for expectation in request.unexpectedFields {
    try checkMissing(expectation, isSetup: request.isSetup(.unexpectedFields), number: number) { response.value($0) }
  }
  for (index, expected) in request.expectedInterim.enumerated() {
    let received = response.interim.indices.contains(index) ? response.interim[index] : nil
    let isGiven =
      received?.status == expected.status
      && expected.fields.allSatisfy {
        received?.fields.joinedValue(of: $0.name) == $0.value.text(in: $0.name, nowMilliseconds: 0)
      }
    try expect(isGiven, setup: request.isSetup(.expectedInterim), "response \(number) lacks interim \(expected.status)")
  }
  try checkBody(of: response, to: request, number: number, token: token)
}

private func checkType(
  of response: PrintedResponse, to request: ConformanceRequest, number: Int
) throws(Unfulfilled) {
  let originNumber = response.number("Server-Request-Count")
  let isSetup = request.isSetup(.expectedType)
  switch request.expectedType {
  case .cached:
    // A 304 that the cache generates need not carry the stored response's fields.
    if response.status == 304, originNumber == nil { return }
    try expect(originNumber.map { $0 < number } ?? false, setup: isSetup, "response \(number) is not from the cache")
  case .notCached:
    try expect(originNumber == number, setup: isSetup, "response \(number) is from the cache")
  case .entityTagValidated, .lastModifiedValidated, nil: break
  }
}

private func checkStatus(
  of response: PrintedResponse, to request: ConformanceRequest, number: Int
) throws(Unfulfilled) {
  let received = response.status.map(String.init) ?? "none (\(response.ending))"
  switch request.expectedStatus {
  case .anything: return
  case .value(let status):
    try expect(
      response.status == status, setup: request.isSetup(.expectedStatus),
      "response \(number) has status \(received), not \(status)")
  case .unsaid:
    if let status = request.status {
      try expect(response.status == status.code, setup: true, "response \(number) has status \(received)")
    } else if response.status == 999 {
      try expect(false, setup: request.isSetup(.expectedType), "request \(number) was not conditional")
    } else {
      try expect(response.status == 200, setup: true, "response \(number) has status \(received), not 200")
    }
  }
}

private func check(
  _ expectation: ConformanceFieldExpectation, in response: PrintedResponse, isSetup: Bool, number: Int
) throws(Unfulfilled) {
  switch expectation {
  case .present(let name):
    try expect(response.value(name) != nil, setup: isSetup, "response \(number) has no \(name)")
  case .equal(let name, let value):
    let expected = value.text(in: name, nowMilliseconds: response.number("Server-Now") ?? 0)
    let received = response.value(name) ?? "absent"
    try expect(received == expected, setup: isSetup, "response \(number): \(name) is \(received), not \(expected)")
  case .equalToField(let name, let other):
    let value = response.value(name)
    try expect(
      value != nil && value == response.value(other), setup: isSetup,
      "response \(number): \(name) is \(value ?? "absent"), not as \(other)")
  case .greater(let name, let bound):
    let value = response.number(name)
    try expect(
      value.map { $0 > bound } ?? false, setup: isSetup,
      "response \(number): \(name) is \(response.value(name) ?? "absent"), not above \(bound)")
  }
}

private func checkMissing(
  _ expectation: ConformanceFieldExpectation, isSetup: Bool, number: Int, value: (String) -> String?
) throws(Unfulfilled) {
  switch expectation {
  case .present(let name):
    try expect(value(name) == nil, setup: isSetup, "\(number): there is \(name): \(value(name) ?? "")")
  case .equal(let name, .text(let text)):
    try expect(!(value(name) ?? "").contains(text), setup: isSetup, "\(number): \(name) still has \(text)")
  case .equal, .equalToField, .greater:
    try expect(false, setup: true, "\(number): this form says nothing about a field that must be missing")
  }
}

private func checkBody(
  of response: PrintedResponse, to request: ConformanceRequest, number: Int, token: String
) throws(Unfulfilled) {
  guard request.checksBody else { return }
  switch request.expectedText {
  case .anything: return
  case .value(let text):
    try expect(
      response.body == text, setup: request.isSetup(.expectedText),
      "response \(number) has the body \(response.body), not \(text)")
  case .unsaid:
    let hasNone = response.status == 204 || response.status == 304 || request.method == "HEAD"
    guard request.responseBody != nil || !hasNone, response.head != nil else { return }
    let expected = request.responseBody ?? token
    try expect(response.body == expected, setup: true, "response \(number) has the body \(response.body)")
  }
}

/// Checks the requests that the origin received for a case.
func check(
  _ exchanges: [ConformanceOrigin.Exchange], of requests: [ConformanceRequest], responses: [PrintedResponse]
) throws(Unfulfilled) {
  var seen = exchanges.makeIterator()
  for (index, request) in requests.enumerated() where request.expectedType != .cached {
    let number = index + 1
    let isTypeSetup = request.isSetup(.expectedType)
    let exchange = seen.next()
    switch request.expectedType {
    case .notCached:
      try expect(exchange?.number == number, setup: isTypeSetup, "the origin did not see request \(number)")
    case .entityTagValidated:
      try expect(
        exchange?.request.has("If-None-Match") ?? false, setup: isTypeSetup, "request \(number) has no If-None-Match")
    case .lastModifiedValidated:
      try expect(
        exchange?.request.has("If-Modified-Since") ?? false, setup: isTypeSetup,
        "request \(number) has no If-Modified-Since")
    case .cached, nil: break
    }
    guard let exchange else { continue }
    try checkRequestFields(of: exchange, against: request, number: number)
    for (name, value) in exchange.comparedFields where name != "date" && responses[index].head != nil {
      let received = responses[index].value(name)
      try expect(
        received == value, setup: true, "response \(number): \(name) is \(received ?? "absent"), not \(value)")
    }
    if let method = request.expectedMethod {
      try expect(
        exchange.request.method == method, setup: request.isSetup(.expectedMethod), "request \(number) is no \(method)")
    }
  }
}

private func checkRequestFields(
  of exchange: ConformanceOrigin.Exchange, against request: ConformanceRequest, number: Int
) throws(Unfulfilled) {
  let value = { (name: String) in
    let lines = exchange.request.rawValues(name).map { fieldText($0) }
    return lines.isEmpty ? nil : lines.joined(separator: ", ")
  }
  for expectation in request.expectedRequestFields {
    let isSetup = request.isSetup(.expectedRequestFields)
    switch expectation {
    case .present(let name):
      try expect(value(name) != nil, setup: isSetup, "request \(number) has no \(name)")
    case .equal(let name, let expected):
      let text = expected.text(in: name, nowMilliseconds: 0)
      try expect(value(name) == text, setup: isSetup, "request \(number): \(name) is \(value(name) ?? "absent")")
    case .equalToField, .greater:
      try expect(false, setup: true, "\(number): this form is not used of requests")
    }
  }
  for expectation in request.unexpectedRequestFields {
    try checkMissing(
      expectation, isSetup: request.isSetup(.unexpectedRequestFields), number: number, value: value)
  }
}

private func expect(_ condition: Bool, setup: Bool, _ message: @autoclosure () -> String) throws(Unfulfilled) {
  if !condition { throw Unfulfilled(isSetup: setup, message: message()) }
}
