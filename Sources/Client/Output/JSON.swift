import Archives

/// A JSON value to be printed (RFC 8259); the members of an object keep their order.
enum JSON {
  case null
  case bool(Bool)
  case number(Int64)
  case thousandths(Int64)
  case millionths(Int64)
  case string(String)
  case array([JSON])
  case object([(String, JSON)])

  /// The value as JSON, without line breaks.
  var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let value): String(value)
    case .thousandths(let value): Self.decimal(value, of: 1000)
    case .millionths(let value): Self.decimal(value, of: 1_000_000)
    case .string(let value): JSONText.quoted(value)
    case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { "\(JSONText.quoted($0)):\($1.text)" }.joined(separator: ",") + "}"
    }
  }

  /// The value as a column: a string as it is, `-` for null or nothing, members of an array or object with commas
  /// between.
  var plain: String {
    switch self {
    case .null: "-"
    case .string(let value): value
    case .array(let values): values.isEmpty ? "-" : values.map(\.plain).joined(separator: ",")
    case .object(let members):
      members.isEmpty ? "-" : members.map { "\($0)=\($1.plain)" }.joined(separator: ",")
    case .bool, .number, .thousandths, .millionths: text
    }
  }

  /// Returns an array with each value on a line of its own, and an end of line.
  ///
  /// - Parameter values: as JSON.
  static func lines(_ values: [String]) -> String {
    values.isEmpty ? "[]\n" : "[\n" + values.joined(separator: ",\n") + "\n]\n"
  }

  /// - Parameters:
  ///   - parts: the number of parts, 0 or above.
  ///   - whole: how many parts make one: a power of ten.
  private static func decimal(_ parts: Int64, of whole: Int64) -> String {
    "\(parts / whole)." + String(String(whole + parts % whole).dropFirst())
  }
}
