import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("Content that is known by its digest")
struct DigestSubstitutionTests {
  static let requests: [Row<Request, Bool>] = [
    Row("a plain GET is answered", get(["Accept": "*/*"]), true),
    Row("a limit on the age does not matter", get(["Cache-Control": "max-age=0"]), true),
    Row("only-if-cached does not matter", get(["Cache-Control": "only-if-cached"]), true),
    Row("HEAD is not answered", head(), false),
    Row("POST is not answered", post(), false),
    Row("QUERY is not answered", Request(.query, .example), false),
    Row("a range is not answered", get(["Range": "bytes=0-9"]), false),
    Row("If-None-Match is not answered", get(["If-None-Match": "\"a\""]), false),
    Row("If-Modified-Since is not answered", get(["If-Modified-Since": .date(0)]), false),
    Row("If-Match is not answered", get(["If-Match": "\"a\""]), false),
    Row("If-Unmodified-Since is not answered", get(["If-Unmodified-Since": .date(0)]), false),
    Row("no-cache is not answered", get(["Cache-Control": "no-cache"]), false),
    Row("no-store is not answered", get(["Cache-Control": "no-store"]), false),
    Row("Pragma: no-cache is not answered", get(["Pragma": "no-cache"]), false),
  ]

  @Test("Content with an expected digest answers a GET that any whole answer will do for", arguments: requests)
  func answering(_ row: Row<Request, Bool>) {
    #expect(row.subject.mayBeAnsweredByDigest == row.outcome)
  }

  static let responses: [Row<StoredResponse, Bool>] = [
    Row("a whole 200 is compared", stored([:]), true),
    Row("a part is not compared", part([:]), false),
    Row("a part of unknown complete length is not compared", part([:], of: nil), false),
    Row("a 404 is not compared", stored([:], status: 404), false),
    Row("a 204 is not compared", stored([:], status: 204), false),
    Row("a redirection is not compared", stored(["Location": "/b"], status: 301), false),
  ]

  @Test("The content of a whole success is compared with an expected digest", arguments: responses)
  func comparing(_ row: Row<StoredResponse, Bool>) {
    #expect(row.subject.mayHaveDigest == row.outcome)
  }

  @Test("The head of content that is served by its digest describes the content and says nothing else")
  func describing() {
    let content: Fields = [
      "Content-Type": "a/b", "Content-Encoding": "gzip", "Content-Length": "100", "Date": .date(0),
    ]
    let others: Fields = [
      "Cache-Control": "max-age=60", "Content-Location": "/c", "Content-Disposition": "attachment", "ETag": "\"a\"",
      "Last-Modified": .date(-60), "Link": "</d>", "Set-Cookie": "a=b", "Vary": "Accept", "X": "1",
    ]
    let whole = stored(Fields(others.lines + content.lines))
    let alone = whole.contentAlone
    #expect(alone.response == Response(200, reason: "OK", fields: content))
    #expect(alone.key == whole.key && alone.contentLength == whole.contentLength && !alone.isPart)
  }
}
