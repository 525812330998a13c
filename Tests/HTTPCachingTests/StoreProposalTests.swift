import HTTPCaching
import HTTPSemantics
import TestSupport
import TestTraits
import Testing

@Suite("The proposal to the store hook, and the hook's answer")
struct StoreProposalTests {
  private static let proposal: StoreProposal = {
    var response = stored(
      ["Date": "Thu, 01 Jan 2026 00:00:00 GMT", "X-A": "1", "X-B": "1", "x-a": "2", "Content-Length": "100"])
    response.marks.tags = Tags(["b=2", "a=1"].map { certain($0.utf8, Tag.init(parsing:)) })!
    return StoreProposal(response, as: .allowed)
  }()

  @Test("The store hook gets a description of the response and the fields of its head")
  func description() {
    #expect(
      String(decoding: Self.proposal.description, as: UTF8.self) == """
        :method: GET
        :url: https://example.com/a?b
        :status: 200
        :size: 100
        :storage: allowed
        :tag: a=1
        :tag: b=2
        Date: Thu, 01 Jan 2026 00:00:00 GMT
        X-A: 1
        X-B: 1
        x-a: 2
        Content-Length: 100

        """)
  }

  @Test("A hook that returns the description, or nothing, changes nothing")
  func unchanged() throws {
    #expect(try Self.proposal.changed(by: Self.proposal.description) == Self.proposal)
    #expect(try Self.proposal.changed(by: []) == Self.proposal)
  }

  static let answers: [Row<String, [String]>] = [
    Row("a line replaces every line of its name", "X-A: 3", ["X-B: 1", "X-A: 3"]),
    Row("lines of one name are all stored", "x-a: 3\nX-A: 4\n", ["X-B: 1", "x-a: 3", "X-A: 4"]),
    Row("a line without a value removes the field", "X-A:\nX-B: \n", []),
    Row("a new field is added", "X-C: a: b\r\n", ["X-A: 1", "X-B: 1", "x-a: 2", "X-C: a: b"]),
    Row(
      "a field that describes the content may be repeated unchanged", "Content-Length: 100",
      ["X-A: 1", "X-B: 1", "x-a: 2"]),
  ]

  @Test("The fields that the store hook prints replace the stored fields of those names", arguments: answers)
  func fields(_ row: Row<String, [String]>) throws {
    let changed = try Self.proposal.changed(by: Array(row.subject.utf8))
    let lines = changed.stored.fields.lines.filter { $0.name.lowercased.hasPrefix("x-") }
    #expect(lines.map { "\($0.name.spelling): \($0.value.text)" } == row.outcome)
    #expect(changed.stored.fields[.contentLength] == "100")
  }

  @Test("An empty field is kept if its line is returned as given, and removed if the line lacks the space")
  func emptyFields() throws {
    let proposal = StoreProposal(stored(["X-A": "", "Content-Encoding": ""]), as: .allowed)
    #expect(try proposal.changed(by: proposal.description) == proposal)
    #expect(try proposal.changed(by: Array("X-A:".utf8)).stored.fields.contains("X-A") == false)
  }

  @Test("If the hook returns lines that describe the content, it must return all of them in their order")
  func severalCodings() throws {
    let lines: Fields = ["Content-Encoding": "gzip", "content-encoding": "br"]
    let proposal = StoreProposal(stored(lines), as: .allowed)
    #expect(try proposal.changed(by: proposal.description) == proposal)
    for answer in ["X-A: 1\nContent-Encoding: gzip", "Content-Encoding: br\nContent-Encoding: gzip"] {
      #expect(throws: StoreProposal.Fault.fixed(2)) { try proposal.changed(by: Array(answer.utf8)) }
    }
    let changed = "Content-Encoding: br\nContent-Length: 4"
    let other = StoreProposal(stored(["Content-Encoding": "gzip", "Content-Length": "4"]), as: .allowed)
    #expect(throws: StoreProposal.Fault.fixed(1)) { try other.changed(by: Array(changed.utf8)) }
  }

  static let storages: [Row<(StoragePolicy, String), StoragePolicy>] = [
    Row("the hook may reduce the storage", (.allowed, "memory-only"), .memoryOnly),
    Row("the hook may forbid storing", (.memoryOnly, "not-allowed"), .notAllowed),
    Row("the hook may not extend the storage", (.memoryOnly, "allowed"), .memoryOnly),
  ]

  @Test("The store hook may restrict where the response is stored", arguments: storages)
  func storage(_ row: Row<(StoragePolicy, String), StoragePolicy>) throws {
    let proposal = StoreProposal(Self.proposal.stored, as: row.subject.0)
    #expect(try proposal.changed(by: Array(":storage: \(row.subject.1)".utf8)).storage == row.outcome)
  }

  @Test("The tags that the store hook prints are added, and replace tags of the same key")
  func tags() throws {
    let changed = try Self.proposal.changed(by: Array(":tag: a=3\n:tag: c=\n".utf8))
    #expect(changed.stored.marks.tags.all.map(\.description) == ["a=3", "b=2", "c="])
    #expect(try Tag(parsing: " a = b\t".utf8).description == "a = b")
  }

  static let faults: [Row<String, StoreProposal.Fault>] = [
    Row("a line without a colon", "X-A: 1\nhello", .notALine(2)), Row("an invalid name", "a b: c", .notALine(1)),
    Row("a NUL", "a: b\0c", .notALine(1)), Row("a carriage return inside a line", "a: b\rc: d", .notALine(1)),
    Row("an unterminated key", ":storage", .notALine(1)), Row("an unknown key", ":colour: red", .unknownKey(1)),
    Row("another method", "\n\n:method: POST", .fixed(3)), Row("another size", ":size: 1", .fixed(1)),
    Row("another length", "content-length: 1", .fixed(1)), Row("a removed length", "Content-Length:", .fixed(1)),
    Row("an added coding", "Content-Encoding: gzip", .fixed(1)), Row("a tag without a key", ":tag: =a", .noTag(1)),
  ]

  @Test("A malformed line in the store hook's answer is an error with the number of the line", arguments: faults)
  func malformed(_ row: Row<String, StoreProposal.Fault>) {
    #expect(throws: row.outcome) { try Self.proposal.changed(by: Array(row.subject.utf8)) }
  }

  private func outcome(_ answer: String, isFreshening: Bool = false) throws -> StoreProposal.Outcome {
    let proposal = StoreProposal(stored(["Vary": "Accept"]), as: .allowed, isFreshening: isFreshening)
    return try proposal.changed(by: Array(answer.utf8)).outcome(
      changedFrom: proposal, for: get(["Accept": "a/b"]), concealing: conceal)
  }

  static let refusals: [Row<String, NotStored>] = [
    Row("not-allowed", ":storage: not-allowed", .hook), Row("no-store", "Cache-Control: no-store", .noStore),
    Row("Vary: *", "Vary: *", .varyAnything),
  ]

  @Test("The storing rules apply to the head that the store hook has changed", arguments: refusals)
  func refused(_ row: Row<String, NotStored>) throws {
    #expect(try outcome(row.subject) == .refuse(row.outcome))
  }

  @Test("A changed Vary changes the selecting fields, except when freshening, and a removed Date is restored")
  func selecting() throws {
    guard case .store(let varied, as: .allowed) = try outcome("Vary: Accept-Language"),
      case .store(let fixed, _) = try outcome("Vary:\nDate:"),
      case .store(let freshened, _) = try outcome("Vary:", isFreshening: true)
    else { throw CancellationError() }
    #expect(varied.selecting.members.map(\.name) == [.acceptLanguage])
    #expect(fixed.selecting.members.isEmpty && fixed.fields.contains(.date))
    #expect(freshened.selecting == .none && !freshened.fields.contains(.vary))
    #expect(try outcome("Vary: Accept-Language", isFreshening: true) == .refuse(.varyAnything))
  }
}
