import FlagTable
import HTTPSemantics
import Interface

/// The format of the text that `-w` prints when a transfer is over, with curl's variables and garner's own.
struct WriteOut {
  private enum Stream {
    case output
    case diagnostics
  }

  private enum Piece {
    case literal([UInt8])
    case variable(WriteOutVariable)
    case field(FieldName)
    case json
    case fieldsJSON
    /// The text goes to this stream from there on.
    case stream(Stream)
    /// The text after it is for failures.
    case onError
  }

  /// Which of the two streams are terminals.
  struct Terminals {
    let output: Bool
    let diagnostics: Bool
  }

  private var pieces: [Piece] = []
  /// Names in the format that are no variables. They print nothing.
  private(set) var unknownNames: [String] = []

  /// Returns whether the text of a format may have the certificates of the origin, or their number.
  ///
  /// A format in a file counts as one that may, because it has not been read yet.
  static func mayPrintCertificates(_ source: TextSource) -> Bool {
    guard case .literal(let format) = source else { return true }
    return format.bytes.indices.contains { index in
      ["%{json}", "%{certs}", "%{num_certs}"].contains {
        ASCII.equalIgnoringCase(format.bytes[index...].prefix($0.utf8.count), $0.utf8)
      }
    }
  }

  init(format: [UInt8]) {
    var literal: [UInt8] = []
    var rest = format[...]
    while let byte = rest.popFirst() {
      if byte == ASCII.backslash, let escape = rest.popFirst() {
        literal += Self.escaped(escape)
      } else if byte == UInt8(ascii: "%"), rest.first == UInt8(ascii: "%") {
        literal.append(rest.removeFirst())
      } else if byte == UInt8(ascii: "%"), let name = Self.braced(after: "", in: &rest) {
        add(&literal)
        add(named: name)
      } else if byte == UInt8(ascii: "%"), let name = Self.braced(after: "header", in: &rest) {
        add(&literal)
        if let name = FieldName(name) { pieces.append(.field(name)) }
      } else {
        literal.append(byte)
      }
    }
    add(&literal)
  }

  /// Returns what stands in braces after `prefix`; `nil` if nothing does.
  private static func braced(after prefix: String, in rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let text = rest.dropFirst(prefix.utf8.count)
    guard rest.starts(with: prefix.utf8), text.first == UInt8(ascii: "{"),
      let end = text.firstIndex(of: UInt8(ascii: "}"))
    else { return nil }
    rest = text[(end + 1)...]
    return text[(text.startIndex + 1)..<end]
  }

  private mutating func add(_ literal: inout [UInt8]) {
    if !literal.isEmpty { pieces.append(.literal(literal)) }
    literal = []
  }

  private mutating func add(named typed: ArraySlice<UInt8>) {
    // In upper or lower case, as with curl.
    let name = String(decoding: ASCII.lowercased(typed), as: UTF8.self)
    switch name {
    case "stdout": pieces.append(.stream(.output))
    case "stderr": pieces.append(.stream(.diagnostics))
    case "onerror": pieces.append(.onError)
    case "json": pieces.append(.json)
    case "header_json": pieces.append(.fieldsJSON)
    default:
      if let variable = WriteOutVariable(rawValue: name) {
        pieces.append(.variable(variable))
      } else {
        unknownNames.append(String(decoding: typed, as: UTF8.self))
      }
    }
  }

  /// - Parameter terminals: the streams on which values from the network are escaped; the format's own text never is.
  /// - Returns: the text for standard output and that for standard error.
  func text(_ facts: Facts, on terminals: Terminals) -> (output: [UInt8], diagnostics: [UInt8]) {
    var output: [UInt8] = []
    var diagnostics: [UInt8] = []
    var stream = Stream.output
    func emit(_ bytes: [UInt8]) {
      if stream == .output { output += bytes } else { diagnostics += bytes }
    }
    func emit(value: [UInt8]) {
      let isShown = stream == .output ? terminals.output : terminals.diagnostics
      emit(isShown ? Array(Escaping.visible(value).utf8) : value)
    }
    for piece in pieces {
      switch piece {
      case .literal(let bytes): emit(bytes)
      case .variable(let variable): emit(value: facts.value(of: variable).bytes)
      case .field(let name): emit(value: facts.response?.fields[name]?.bytes ?? [])
      // The JSON escapes what it quotes.
      case .json: emit(Array(facts.json.text.utf8))
      case .fieldsJSON: emit(Array(facts.fieldsJSON.utf8))
      case .stream(let next): stream = next
      case .onError: if facts.exitStatus == 0 { return (output, diagnostics) }
      }
    }
    return (output, diagnostics)
  }

  private static func escaped(_ letter: UInt8) -> [UInt8] {
    switch letter {
    case UInt8(ascii: "n"): [ASCII.lineFeed]
    case UInt8(ascii: "r"): [ASCII.carriageReturn]
    case UInt8(ascii: "t"): [ASCII.horizontalTab]
    default: [ASCII.backslash, letter]
    }
  }
}
