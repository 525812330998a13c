import FlagTable
import HTTPSemantics
import Interface

/// What `-w` prints when a transfer is over: curl's variables, and garner's own.
struct WriteOut {
  private enum Stream {
    case output
    case diagnostics
  }

  /// Which of them show what is printed to a person at once.
  struct Terminals {
    var output = false
    var diagnostics = false
  }

  let format: [UInt8]

  /// Whether text of a format may have the certificates of the origin, or their number.
  ///
  /// What a file says is not known yet.
  static func mayTellCertificates(_ source: TextSource) -> Bool {
    guard case .literal(let format) = source else { return true }
    return format.bytes.indices.contains { index in
      ["%{json}", "%{certs}", "%{num_certs}"].contains {
        ASCII.equalIgnoringCase(format.bytes[index...].prefix($0.utf8.count), $0.utf8)
      }
    }
  }

  /// - Parameter terminals: where what came from the network is escaped; what the format says itself never is.
  /// - Parameter reportUnknown: called with the name of a variable that there is not; it prints nothing.
  /// - Returns: what goes to standard output and what to standard error.
  func text(
    _ facts: Facts, on terminals: Terminals = Terminals(), reportUnknown: (String) -> Void
  ) -> (output: [UInt8], diagnostics: [UInt8]) {
    var output: [UInt8] = []
    var diagnostics: [UInt8] = []
    var stream = Stream.output
    var rest = format[...]
    func emit(_ bytes: some Sequence<UInt8>) {
      if stream == .output { output += bytes } else { diagnostics += bytes }
    }
    func emit(value: [UInt8]) {
      let isShown = stream == .output ? terminals.output : terminals.diagnostics
      emit(isShown ? Array(Escaping.visible(value).utf8) : value)
    }
    while let byte = rest.popFirst() {
      switch (byte, rest.first) {
      case (UInt8(ascii: "%"), UInt8(ascii: "%")):
        rest.removeFirst()
        emit([byte])
      case (UInt8(ascii: "%"), UInt8(ascii: "{")):
        guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
          emit([byte])
          continue
        }
        let typed = rest[(rest.startIndex + 1)..<end]
        // In either case, as with curl.
        let name = String(decoding: ASCII.lowercased(typed), as: UTF8.self)
        rest = rest[(end + 1)...]
        switch name {
        case "stdout": stream = .output
        case "stderr": stream = .diagnostics
        case "onerror": if facts.exitStatus == 0 { return (output, diagnostics) }
        // These escape what they quote.
        case "json": emit(facts.json.text.utf8)
        case "header_json": emit(facts.fieldsJSON.utf8)
        default:
          if let value = Self.value(of: name, facts) {
            emit(value: value)
          } else {
            reportUnknown(String(decoding: typed, as: UTF8.self))
          }
        }
      case (UInt8(ascii: "%"), _) where rest.starts(with: "header{".utf8):
        guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
          emit([byte])
          continue
        }
        let name = FieldName(rest[(rest.startIndex + "header{".utf8.count)..<end])
        rest = rest[(end + 1)...]
        if let name, let value = facts.response?.fields[name] { emit(value: value.bytes) }
      case (UInt8(ascii: "\\"), let escape?):
        rest.removeFirst()
        emit(Self.escaped(escape))
      default:
        emit([byte])
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

  private static func value(of name: String, _ facts: Facts) -> [UInt8]? {
    guard let variable = WriteOutVariable(rawValue: name) else { return nil }
    // Printed as it came, be it text or not.
    if variable == .contentType { return facts.response?.fields[.contentType]?.bytes ?? [] }
    return Array(facts.value(of: variable).text.utf8)
  }
}
