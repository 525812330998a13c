import HTTPCaching
import HTTPSemantics
import Testing

@Suite("Constructing responses: RFC 9111 section 4")
struct ServedResponseTests {
  static let fields: Fields = [
    "Cache-Control": "max-age=600", "ETag": "\"a\"", "Content-Type": "a/b", "Content-Length": "100", "Age": "7",
    "X": "1", "Vary": "Accept", "Content-Location": "/c",
  ]

  /// A response served 60 seconds after it came with an Age of 7.
  private static func served(_ request: Fields, status: StatusCode = 200) throws -> Reuse {
    try #require(decide(get(request), stored(fields, status: status, varying: [.accept]), at: 60).reuse)
  }

  @Test("A response that is served without validation has one Age, the current one")
  func age() throws {
    let head = try Self.served([:]).head(isValidated: false)
    #expect(head.status == 200)
    #expect(head.fields.values(of: .age) == ["67"])
    var expected = Self.fields
    expected.set(.age, "67")
    #expect(head.fields == expected)
  }

  @Test("A validated response keeps the fields that the validation left, and its Age becomes the current one")
  func validated() throws {
    var expected = Self.fields
    expected.set(.age, "67")
    #expect(try Self.served([:]).head(isValidated: true).fields == expected)
    let fresh = try #require(decide(get(), stored(["Cache-Control": "max-age=600"]), at: 60).reuse)
    #expect(!fresh.head(isValidated: true).fields.contains(.age))
  }

  @Test("A 304 keeps the fields that guide caches, and drops those that describe the content: RFC 9110 section 15.4.5")
  func notModified() throws {
    let reuse = try Self.served(["If-None-Match": "\"a\""])
    let head = reuse.head(isValidated: false)
    #expect(head.status == 304)
    for name in [.etag, .cacheControl, .vary, .contentLocation] as [FieldName] { #expect(head.fields.contains(name)) }
    for name in [.contentType, .contentLength, .contentEncoding] as [FieldName] { #expect(!head.fields.contains(name)) }
    #expect(head.fields[.age] == "67")
    #expect(reuse.contentRange(for: .get) == nil)
  }

  @Test("A range is served as a 206 with its Content-Range and length")
  func part() throws {
    let reuse = try Self.served(["Range": "bytes=10-19"])
    let head = reuse.head(isValidated: false)
    #expect(head.status == 206)
    #expect(head.fields.values(of: .contentRange) == ["bytes 10-19/100"])
    #expect(head.fields.values(of: .contentLength) == ["10"])
    #expect(head.fields[.contentType] == "a/b")
    #expect(reuse.contentRange(for: .get) == 10..<20)
  }

  @Test("A range beyond the end is answered with a 416 that states the whole length")
  func unsatisfiable() throws {
    let reuse = try Self.served(["Range": "bytes=100-"])
    let head = reuse.head(isValidated: false)
    #expect(head.status == 416)
    #expect(head.fields.values(of: .contentRange) == ["bytes */100"])
    #expect(head.fields.values(of: .contentLength) == ["0"])
    #expect(reuse.contentRange(for: .get) == nil)
  }

  @Test("Digests are served only with the content that they describe: RFC 9530")
  func digests() throws {
    let digests: [FieldName] = ["Content-MD5", "Content-Digest", "Repr-Digest"]
    let response = stored(Fields(Self.fields.lines + digests.map { Field($0, "x") }), varying: [.accept])
    let rows: [(Fields, [FieldName])] = [
      ([:], digests), (["Range": "bytes=10-19"], ["Repr-Digest"]), (["If-None-Match": "\"a\""], ["Repr-Digest"]),
      (["Range": "bytes=100-"], []),
    ]
    for (request, kept) in rows {
      let head = try #require(decide(get(request), response, at: 60).reuse).head(isValidated: false)
      #expect(digests.filter { head.fields.contains($0) } == kept, "\(request)")
    }
  }

  @Test("A HEAD is answered with the whole head and no content")
  func headRequest() throws {
    let reuse = try Self.served([:])
    #expect(reuse.contentRange(for: .get) == 0..<100)
    #expect(reuse.contentRange(for: .head) == nil)
  }

  @Test("A stored response of another status is served whole, even to a Range request")
  func otherStatus() throws {
    #expect(try Self.served(["Range": "bytes=0-1"], status: 404).head(isValidated: false).status == 404)
  }

  @Test("A request that may not be sent, and that nothing stored answers, gets a 504: RFC 9111 section 5.2.1.7")
  func gatewayTimeout() {
    #expect(Response.unsatisfiable.status == 504)
    #expect(Response.unsatisfiable.fields == ["Content-Length": "0"])
  }
}
