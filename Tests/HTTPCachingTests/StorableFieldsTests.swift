import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("Storing and updating header fields: RFC 9111 sections 3.1 and 3.2")
struct StorableFieldsTests {
  static let storing: [Row<Fields, Fields>] = [
    Row(
      "unknown fields are stored in their order", ["X": "1", "ETag": "\"a\"", "x": "2"],
      ["X": "1", "ETag": "\"a\"", "x": "2"]),
    Row("Set-Cookie is stored", ["Set-Cookie": "a=b"], ["Set-Cookie": "a=b"]),
    Row("Connection is not stored", ["Connection": "close", "X": "1"], ["X": "1"]),
    Row(
      "the fields that Connection names are not stored", ["Connection": "X, y", "x": "1", "Y": "2", "Z": "3"],
      ["Z": "3"]),
    Row(
      "the fields that a second Connection names are not stored",
      ["Connection": "X", "X": "1", "connection": "Y", "Y": "2"], [:]),
    Row("an invalid name in Connection is ignored", ["Connection": "(X)", "X": "1"], ["X": "1"]),
    Row(
      "the other fields of the connection are not stored",
      ["Keep-Alive": "1", "TE": "x", "Trailer": "x", "Transfer-Encoding": "chunked", "Upgrade": "x"], [:]),
    Row(
      "the fields of a proxy are not stored",
      [
        "Proxy-Authenticate": "x", "Proxy-Authentication-Info": "x", "Proxy-Authorization": "x",
        "Proxy-Connection": "x",
      ], [:]),
    Row(
      "fields named by a qualified no-cache are not stored",
      ["Cache-Control": "no-cache=\"Set-Cookie, x\"", "Set-Cookie": "a=b", "X": "1", "Y": "2"],
      ["Cache-Control": "no-cache=\"Set-Cookie, x\"", "Y": "2"]),
    Row(
      "fields named by a qualified private are stored in a private cache",
      ["Cache-Control": "private=\"X\"", "X": "1"],
      ["Cache-Control": "private=\"X\"", "X": "1"]),
    Row("a Content-Range is stored", ["Content-Range": "x"], ["Content-Range": "x"]),
  ]

  @Test("All fields of a response are stored, except those of RFC 9111 section 3.1", arguments: storing)
  func stored(_ row: Row<Fields, Fields>) {
    #expect(StorableFields.stored(row.subject) == row.outcome)
  }

  static let updating: [Row<(stored: Fields, answer: Fields), Fields>] = [
    Row("a field of the answer replaces the stored one", (["A": "1", "B": "2"], ["a": "3"]), ["B": "2", "a": "3"]),
    Row(
      "all new lines of a name replace all stored ones", (["A": "1", "A": "2"], ["A": "3", "A": "4"]),
      ["A": "3", "A": "4"]),
    Row("a new field is added", (["A": "1"], ["B": "2"]), ["A": "1", "B": "2"]),
    Row("a field that the answer omits stays", (["A": "1", "B": "2"], [:]), ["A": "1", "B": "2"]),
    Row("Content-Length stays", (["Content-Length": "9"], ["Content-Length": "0"]), ["Content-Length": "9"]),
    Row("Content-Length is not added", (["A": "1"], ["Content-Length": "0"]), ["A": "1"]),
    Row(
      "Content-Encoding stays, because the content is stored coded",
      (["Content-Encoding": "gzip"], ["Content-Encoding": "br"]),
      ["Content-Encoding": "gzip"]),
    Row("Content-Range is not added", ([:], ["Content-Range": "bytes 0-1/2"]), [:]),
    Row(
      "the digests of the content stay",
      (["Repr-Digest": "a", "Content-Digest": "b"], ["Repr-Digest": "c", "Content-Digest": "d"]),
      ["Repr-Digest": "a", "Content-Digest": "b"]),
    Row("Content-Type is updated", (["Content-Type": "a/b"], ["Content-Type": "c/d"]), ["Content-Type": "c/d"]),
    Row(
      "the fields of the connection are not added", (["A": "1"], ["Connection": "B", "B": "2", "Keep-Alive": "x"]),
      ["A": "1"]),
  ]

  @Test("The fields of an answer update the stored ones, except those of RFC 9111 section 3.2", arguments: updating)
  func updated(_ row: Row<(stored: Fields, answer: Fields), Fields>) {
    #expect(StorableFields.updated(row.subject.stored, with: row.subject.answer) == row.outcome)
  }

  static let dates: [Row<Fields, Fields>] = [
    Row("a response without a Date gets the time of its arrival", ["X": "1"], ["X": "1", "Date": .date(5)]),
    Row("a Date that came is kept", ["Date": .date(-9), "X": "1"], ["Date": .date(-9), "X": "1"]),
    Row("an invalid Date is kept", ["Date": "yesterday"], ["Date": "yesterday"]),
  ]

  @Test("A response without a Date is stored with one: RFC 9110 section 6.6.1", arguments: dates)
  func dated(_ row: Row<Fields, Fields>) {
    #expect(StorableFields.dated(row.subject, receivedAt: .at(5)) == row.outcome)
  }

  @Test("A qualified no-cache in an answer removes the named fields from the stored response")
  func newlyQualified() {
    let updated = StorableFields.updated(
      ["Set-Cookie": "a=b", "X": "1"], with: ["Cache-Control": "no-cache=\"Set-Cookie\""])
    #expect(updated == ["X": "1", "Cache-Control": "no-cache=\"Set-Cookie\""])
  }
}
