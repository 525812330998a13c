import TestSupport

/// A response as the tool prints it with `-i`.
struct PrintedResponse: Sendable {
  struct Head: Sendable {
    let status: Int
    let fields: [(String, String)]
  }

  let interim: [Head]
  /// The final head; `nil` if the fetch failed before it came.
  let head: Head?
  let body: String
  let ending: ToolResult.Ending

  var status: Int? { head?.status }

  /// A field's value, with its lines joined.
  func value(_ name: String) -> String? { head?.fields.joinedValue(of: name) }

  func number(_ name: String) -> Int? { value(name).flatMap(leadingInteger(of:)) }
}

extension PrintedResponse {
  /// Reads the heads and then the body from the tool's output.
  init(_ result: ToolResult) {
    var rest = result.stdout[...]
    var interim: [Head] = []
    var final: Head?
    while final == nil, let head = Head.take(from: &rest) {
      if (100...199).contains(head.status) { interim.append(head) } else { final = head }
    }
    self.init(interim: interim, head: final, body: fieldText(rest), ending: result.ending)
  }
}

extension PrintedResponse.Head {
  static func take(from bytes: inout ArraySlice<UInt8>) -> Self? {
    guard bytes.starts(with: Array("HTTP/".utf8)) else { return nil }
    var lines: [[UInt8]] = []
    while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
      let line = withoutSurroundingWhiteSpace(bytes[..<end].filter { $0 != UInt8(ascii: "\r") }[...])
      bytes = bytes[(end + 1)...]
      if line.isEmpty { break }
      lines.append(line)
    }
    let words = lines[0].split(separator: UInt8(ascii: " "))
    guard words.count >= 2, let status = Int(String(decoding: words[1], as: UTF8.self)) else { return nil }
    return Self(
      status: status,
      fields: lines.dropFirst().map { line in
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        return (fieldText(line[..<colon]), fieldText(withoutSurroundingWhiteSpace(line[colon...].dropFirst())))
      })
  }
}

/// The integer at the start of a text.
func leadingInteger(of text: String) -> Int? {
  Int(text.prefix { $0.isNumber || $0 == "-" })
}

/// The run of the tool that makes a case's request.
///
/// - Parameters:
///   - number: the client's number of the request, from 1.
///   - nowMilliseconds: the time that dates in the request are relative to, in milliseconds since 1970.
func toolRun(
  _ request: ConformanceRequest, number: Int, url: String, nowMilliseconds: Int, home: TemporaryDirectory
) -> ToolRun {
  var arguments = ["-s", "-i", "--no-location", "--no-fail", "--max-time", "10"].map { Array($0.utf8) }
  switch request.method {
  case "GET": break
  case "HEAD": arguments.append(Array("-I".utf8))
  default: arguments += [Array("-X".utf8), Array(request.method.utf8)]
  }
  if let mode = request.cacheMode { arguments += [Array("--cache-policy".utf8), Array(mode.utf8)] }
  let fields = request.fields.map { ($0.name, $0.value.text(in: $0.name, nowMilliseconds: nowMilliseconds)) }
  for (name, value) in fields + [("Req-Num", "\(number)")] {
    // curl's spelling of a field with an empty value.
    let line = value.isEmpty ? "\(name);" : "\(name): \(value)"
    arguments += [Array("-H".utf8), fieldBytes(line)]
  }
  if request.body != nil { arguments += [Array("--data-binary".utf8), Array("@-".utf8)] }
  var target = url
  if let filename = request.filename { target += "/\(filename)" }
  if let query = request.query { target += "?\(query)" }
  var run = ToolRun(rawArguments: arguments + [Array(target.utf8)], home: home)
  if let body = request.body { run.stdin = .bytes(fieldBytes(body)) }
  return run
}
