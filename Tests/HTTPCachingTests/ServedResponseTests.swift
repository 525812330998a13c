import HTTPCaching
import HTTPSemantics
import Testing

@Suite("Constructing responses: RFC 9111 section 4")
struct ServedResponseTests {
  static let fields: Fields = [
    "Cache-Control": "max-age=600", "ETag": "\"a\"", "Content-Type": "a/b", "Content-Length": "100", "Age": "7",
    "X": "1", "Vary": "Accept", "Content-Location": "/c",
  ]

  /// Served 60 seconds after it came with an Age of 7.
  private static func served(_ request: Fields, status: StatusCode = 200) throws -> Reuse {
    try #require(decide(get(request), stored(fields, status: status, varying: [.accept]), at: 60).reuse)
  }

  @Test("What is served without validation has one Age: the current one")
  func age() throws {
    let head = try Self.served([:]).head(isValidated: false)
    #expect(head.status == 200)
    #expect(head.fields.values(of: .age) == ["67"])
    var expected = Self.fields
    expected.set(.age, "67")
    #expect(head.fields == expected)
  }

  @Test("What was validated keeps the fields that the validation left, and an Age, which is the current one then")
  func validated() throws {
    var expected = Self.fields
    expected.set(.age, "67")
    #expect(try Self.served([:]).head(isValidated: true).fields == expected)
    let fresh = try #require(decide(get(), stored(["Cache-Control": "max-age=600"]), at: 60).reuse)
    #expect(!fresh.head(isValidated: true).fields.contains(.age))
  }

  @Test("A 304 keeps what guides caches, and drops what describes the content: RFC 9110 section 15.4.5")
  func notModified() throws {
    let reuse = try Self.served(["If-None-Match": "\"a\""])
    let head = reuse.head(isValidated: false)
    #expect(head.status == 304)
    for name in [.etag, .cacheControl, .vary, .contentLocation] as [FieldName] { #expect(head.fields.contains(name)) }
    for name in [.contentType, .contentLength, .contentEncoding] as [FieldName] { #expect(!head.fields.contains(name)) }
    #expect(head.fields[.age] == "67")
    #expect(reuse.contentRange(for: .get) == nil)
  }

  @Test("A part is a 206 that says which part of what it is")
  func part() throws {
    let reuse = try Self.served(["Range": "bytes=10-19"])
    let head = reuse.head(isValidated: false)
    #expect(head.status == 206)
    #expect(head.fields.values(of: .contentRange) == ["bytes 10-19/100"])
    #expect(head.fields.values(of: .contentLength) == ["10"])
    #expect(head.fields[.contentType] == "a/b")
    #expect(reuse.contentRange(for: .get) == 10..<20)
  }

  @Test("A range beyond the end is a 416 that says how long the whole is")
  func unsatisfiable() throws {
    let reuse = try Self.served(["Range": "bytes=100-"])
    let head = reuse.head(isValidated: false)
    #expect(head.status == 416)
    #expect(head.fields.values(of: .contentRange) == ["bytes */100"])
    #expect(head.fields.values(of: .contentLength) == ["0"])
    #expect(reuse.contentRange(for: .get) == nil)
  }

  @Test("A digest of the stored content is not that of a part, nor of none: RFC 9530")
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

  @Test("A HEAD has the whole head and no content")
  func headRequest() throws {
    let reuse = try Self.served([:])
    #expect(reuse.contentRange(for: .get) == 0..<100)
    #expect(reuse.contentRange(for: .head) == nil)
  }

  @Test("Another status is served as it is")
  func otherStatus() throws {
    #expect(try Self.served(["Range": "bytes=0-1"], status: 404).head(isValidated: false).status == 404)
  }

  @Test("What may not be sent and is not stored is answered 504: RFC 9111 section 5.2.1.7")
  func gatewayTimeout() {
    #expect(Response.unsatisfiable.status == 504)
    #expect(Response.unsatisfiable.fields == ["Content-Length": "0"])
  }
}
