import Foundation

/// One request of a case, with the origin's answer and the expectations.
struct ConformanceRequest: Decodable, Sendable {
  enum ExpectedType: String, Decodable, Sendable {
    /// The origin does not receive the request.
    case cached
    /// The origin receives the request.
    case notCached = "not_cached"
    /// The origin receives the previous answer's ETag in If-None-Match.
    case entityTagValidated = "etag_validated"
    /// The origin receives the previous answer's Last-Modified in If-Modified-Since.
    case lastModifiedValidated = "lm_validated"

    var isValidation: Bool { self == .entityTagValidated || self == .lastModifiedValidated }
  }

  /// A value that a case may specify, leave out, or declare irrelevant by `null`.
  enum Expected<Value: Sendable & Equatable>: Sendable, Equatable {
    case unsaid
    case anything
    case value(Value)
  }

  let method: String
  let fields: [ConformanceField]
  /// A cache mode of the Fetch standard, which the tool accepts as the name of a policy.
  let cacheMode: String?
  let body: String?
  let filename: String?
  let query: String?
  let pausesAfter: Bool

  let status: ConformanceStatus?
  let responseFields: [ConformanceField]
  let responseBody: String?
  let rfc850Names: [String]
  let hasMagicLocations: Bool
  let hasMagicIfModifiedSince: Bool
  let disconnects: Bool
  let interim: [ConformanceInterim]

  let expectedType: ExpectedType?
  let expectedStatus: Expected<Int>
  let expectedFields: [ConformanceFieldExpectation]
  let unexpectedFields: [ConformanceFieldExpectation]
  let expectedRequestFields: [ConformanceFieldExpectation]
  let unexpectedRequestFields: [ConformanceFieldExpectation]
  let expectedText: Expected<String>
  let expectedMethod: String?
  let expectedInterim: [ConformanceInterim]
  let checksBody: Bool

  private let isSetup: Bool
  private let setupTests: [String]

  /// Whether a failure of this expectation concerns the set-up and not the subject of the case.
  func isSetup(_ expectation: CodingKeys) -> Bool {
    isSetup || setupTests.contains(expectation.rawValue)
  }

  enum CodingKeys: String, CodingKey {
    case method = "request_method"
    case fields = "request_headers"
    case cacheMode = "cache"
    case body = "request_body"
    case filename
    case query = "query_arg"
    case pausesAfter = "pause_after"
    case status = "response_status"
    case responseFields = "response_headers"
    case responseBody = "response_body"
    case rfc850Names = "rfc850date"
    case hasMagicLocations = "magic_locations"
    case hasMagicIfModifiedSince = "magic_ims"
    case disconnects = "disconnect"
    case interim = "interim_responses"
    case expectedType = "expected_type"
    case expectedStatus = "expected_status"
    case expectedFields = "expected_response_headers"
    case unexpectedFields = "expected_response_headers_missing"
    case expectedRequestFields = "expected_request_headers"
    case unexpectedRequestFields = "expected_request_headers_missing"
    case expectedText = "expected_response_text"
    case expectedMethod = "expected_method"
    case expectedInterim = "expected_interim_responses"
    case checksBody = "check_body"
    case isSetup = "setup"
    case setupTests = "setup_tests"
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func said<Value: Decodable>(_ key: CodingKeys, or absent: Value) throws -> Value {
      try values.decodeIfPresent(Value.self, forKey: key) ?? absent
    }
    func expected<Value: Decodable & Sendable>(_ key: CodingKeys) throws -> Expected<Value> {
      guard values.contains(key) else { return .unsaid }
      return try values.decodeIfPresent(Value.self, forKey: key).map { .value($0) } ?? .anything
    }
    method = try said(.method, or: "GET")
    fields = try said(.fields, or: [])
    cacheMode = try values.decodeIfPresent(String.self, forKey: .cacheMode)
    body = try values.decodeIfPresent(String.self, forKey: .body)
    filename = try values.decodeIfPresent(String.self, forKey: .filename)
    query = try values.decodeIfPresent(String.self, forKey: .query)
    pausesAfter = try said(.pausesAfter, or: false)
    status = try values.decodeIfPresent(ConformanceStatus.self, forKey: .status)
    responseFields = try said(.responseFields, or: [])
    responseBody = try values.decodeIfPresent(String.self, forKey: .responseBody)
    rfc850Names = try said(.rfc850Names, or: [])
    hasMagicLocations = try said(.hasMagicLocations, or: false)
    hasMagicIfModifiedSince = try said(.hasMagicIfModifiedSince, or: false)
    disconnects = try said(.disconnects, or: false)
    interim = try said(.interim, or: [])
    expectedType = try values.decodeIfPresent(ExpectedType.self, forKey: .expectedType)
    expectedStatus = try expected(.expectedStatus)
    expectedFields = try said(.expectedFields, or: [])
    unexpectedFields = try said(.unexpectedFields, or: [])
    expectedRequestFields = try said(.expectedRequestFields, or: [])
    unexpectedRequestFields = try said(.unexpectedRequestFields, or: [])
    expectedText = try expected(.expectedText)
    expectedMethod = try values.decodeIfPresent(String.self, forKey: .expectedMethod)
    expectedInterim = try said(.expectedInterim, or: [])
    checksBody = try said(.checksBody, or: true)
    isSetup = try said(.isSetup, or: false)
    setupTests = try said(.setupTests, or: [])
  }
}
