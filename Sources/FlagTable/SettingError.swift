/// Why a line of a config file, or a variable of the environment, sets nothing.
///
/// Indirect, as all errors with large payloads are, because errors are rare.
package indirect enum SettingError: Error, Equatable, Sendable {
  case malformedLine
  case nulByte
  case openQuote
  case unknownEscape(ArgumentText)
  case textBehindValue
  case malformedHeading
  case unknownSection(ArgumentText, nearest: String?)
  case missingArgument(section: String, placeholder: String)
  case unexpectedArgument(section: String)
  case invalidArgument(section: String, value: ArgumentText, reason: InvalidValue)
  case unknownName(ArgumentText, nearest: String?)
  /// An option of a similar tool.
  case foreignName(String, owner: String, program: String, hint: String?)
  /// An option that only `command`, or a command below it, has.
  case ofCommand(String, command: String)
  /// An option that can only be given on the command line.
  case onlyTyped(String)
  /// An option that a section cannot set, because it counts for the whole run.
  case ofRun(String, section: String)
  case missingValue(String, placeholder: String)
  case invalidValue(String, value: ArgumentText, reason: InvalidValue)
  /// Two options of one section that exclude each other.
  case contradiction(String, String)

  /// What is wrong, as one line that names neither the file nor the line.
  package var message: String {
    switch self {
    case .malformedLine: "expected 'NAME = VALUE', with the name of an option without its dashes"
    case .nulByte: "the line holds a NUL byte"
    case .openQuote: "a quotation mark is not closed"
    case .unknownEscape(let escape): "\(escape.quoted) is not one of the escapes \\\", \\\\, \\t and \\n"
    case .textBehindValue: "there is text after the value"
    case .malformedHeading: "expected a heading such as [name \"argument\"]"
    case .unknownSection(let name, _): "there is no section \(name.quoted)"
    case .missingArgument(let section, let placeholder): "expected [\(section) \"\(placeholder)\"]"
    case .unexpectedArgument(let section): "expected [\(section)]"
    case .invalidArgument(let section, let value, let reason): "\(section): \(reason.sentence(about: value))"
    case .unknownName(let name, _): "option \(name.quoted) is unknown"
    case .foreignName(let name, let owner, let program, hint: _):
      "\(program) has no option '\(name)' (\(owner) has)"
    case .ofCommand(let name, let command): "'\(name)' belongs to '\(command)' and can only be used there"
    case .onlyTyped(let name): "'\(name)' can only be used on the command line"
    case .ofRun(let name, let section): "'\(name)' applies to a whole run and cannot be set for a \(section)"
    case .missingValue(let name, let placeholder): "'\(name)' needs a value: \(placeholder)"
    case .invalidValue(let name, let value, let reason): "\(name): \(reason.sentence(about: value))"
    case .contradiction(let one, let other): "'\(one)' cannot be combined with '\(other)'"
    }
  }

  /// What to try instead.
  package var hint: String? {
    switch self {
    case .unknownName(_, let nearest), .unknownSection(_, let nearest):
      nearest.map { "did you mean \($0)?" }
    case .foreignName(_, _, _, let hint):
      hint
    case .invalidValue(_, let value, let reason), .invalidArgument(_, let value, let reason):
      reason.hint(about: value)
    case .malformedLine, .nulByte, .openQuote, .unknownEscape, .textBehindValue, .malformedHeading, .missingArgument,
      .unexpectedArgument, .ofCommand, .onlyTyped, .ofRun, .missingValue, .contradiction:
      nil
    }
  }
}
