import FlagTable
import Testing

@testable import Interface

@Suite("The secret part of a setting")
struct SecrecyTests {
  static let secrets: [(String, Secrecy)] = [
    ("user = me:secret", .behind(prefix: 3)), ("header = Authorization: x", .behind(prefix: 15)),
    ("header = Cookie:x", .behind(prefix: 7)), ("header = Cookie;", .behind(prefix: 7)),
    ("header = X-Build-Token: x", .behind(prefix: 15)),
    ("header = Accept: x", .none), ("proxy = http://me:secret@p/", .inURL), ("proxy = http://p/", .none),
    ("referer = http://a.test/?token=x", .inURL), ("referer = http://a.test/?page=x", .none),
    ("header = Referer: http://a.test/?token=x", .inURL), ("store-header = Set-Cookie: a=x", .behind(prefix: 12)),
    ("header = X-Map: https://me:x@a.test/", .inURL), ("header = X-Map: https://a.test/", .none),
    ("store-header = Location: /b?token=x", .inURL), ("store-header = Cache-Control: max-age=1", .none),
    ("data = a=x", .possible(behind: 0)), ("data = @file", .none), ("data-raw = @x", .possible(behind: 0)),
    ("data-binary = @file", .none), ("json = {}", .possible(behind: 0)), ("json = @file", .none),
    ("data-urlencode = a=@x", .possible(behind: 2)), ("data-urlencode = x@file", .possible(behind: 0)),
    ("data-urlencode = @file", .none), ("form = a=x", .possible(behind: 2)), ("form = a=@file", .none),
    ("form = a=<file", .none), ("form-string = a=@x", .possible(behind: 2)),
    ("url-query = access_token=x", .possible(behind: 13)), ("url-query = page=x", .none),
    ("url-query = +a=b&token=x", .possible(behind: 3)), ("url-query = +token=x", .possible(behind: 7)),
    ("cache-key = http://me:x@a.test/", .inURL), ("cache-key = /a?token=x", .inURL), ("cache-key = a@1", .none),
    ("store-hook = sh hook.sh", .none), ("store-hook = sh hook.sh http://me:x@a.test/", .possible(behind: 11)),
    ("store-hook = TOKEN=x sh hook.sh", .possible(behind: 0)), ("max-time = 1", .none),
    ("user-agent = bot/1 (+https://me:x@a.test/)", .inText), ("user-agent = bot https://a.test/?token=x", .inText),
    ("user-agent = bot (+https://a.test; me@a.test)", .none), ("user-agent = me@a.test", .none),
    ("write-out = https://a.test/?key=%{num_redirects}", .inText), ("write-out = a&key=%{http_code}", .none),
    ("tag = from=https://me:x@a.test/", .inText), ("cache-partition = https://a.test/?token=x", .inText),
    ("output = https://me:x@a.test/", .inText),
  ]

  @Test("The part of a setting that gives access is known", arguments: secrets)
  func secrecy(_ line: String, _ secrecy: Secrecy) throws {
    let setting = try #require(Configuration(parsing: Array(line.utf8), home: nil).general.first)
    #expect(setting.secrecy(listed: []) == secrecy)
  }
}
