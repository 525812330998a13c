/// Why a value was refused.
package enum InvalidValue: Error, Equatable, Sendable {
  /// Something else was expected; the message repeats the value.
  case expected(String)
  /// One of these words was expected. The message repeats the value, or the part of it that should be such a word.
  case notOneOf([String], not: ArgumentText? = nil)
  /// There is no such thing.
  case unknown(String, hint: String)
  /// What is wrong with the value, said without repeating it: it may be a secret.
  case unacceptable(String, hint: String? = nil)
}

/// Why a command line could not be understood.
package indirect enum UsageError: Error, Equatable, Sendable {
  case unknownOption(spelling: String, nearest: String?)
  /// The negation of an option that cannot be taken back.
  case irrevocableOption(spelling: String, option: String, hint: String? = nil)
  /// An option of a similar tool.
  case foreignOption(spelling: String, owner: String, program: String, hint: String?)
  case missingValue(option: String, placeholder: String)
  case unexpectedValue(option: String)
  /// A value behind an option that takes it with an equals sign only.
  case detachedValue(option: String, value: ArgumentText, operand: String)
  case invalidValue(option: String, value: ArgumentText, reason: InvalidValue)
  /// An option that the command does not have; `owner` has one of that spelling.
  case misplacedOption(option: String, command: String, owner: String?)
  /// An option before the word of the command that has it.
  case earlyOption(option: String, command: String)
  case conflictingOptions(String, String)
  /// - Parameter hint: replaces the usual hint.
  case missingOperand(name: String, command: String, hint: String? = nil)
  case unexpectedOperand(ArgumentText, command: String)
  case invalidOperand(name: String, value: ArgumentText, reason: InvalidValue)
  case missingCommand(command: String, choices: [String])
  case unknownCommand(ArgumentText, command: String, nearest: String?, choices: [String])
  /// An error in a line of a file of options.
  case included(file: ArgumentText, line: Int, UsageError)
  /// In a line of a file of options, a value whose quotation mark is not closed.
  case openQuote
  case unreadable(file: ArgumentText, reason: String)
  case tooDeep(file: ArgumentText)
  /// Two options, as they are spelt, or one given twice, that would both read standard input: it can be read once.
  case sharedInput(String, String)

  /// Whether the error is that a file cannot be read that the command line or a file of options names.
  package var isOfUnreadableFile: Bool {
    switch self {
    case .unreadable: true
    case .included(file: _, line: _, let error): error.isOfUnreadableFile
    default: false
    }
  }

  /// What is wrong, as one line without the program's name.
  package var message: String {
    switch self {
    case .unknownOption(let spelling, _):
      "option \(spelling) is unknown"
    case .irrevocableOption(let spelling, let option, hint: _):
      "option \(spelling) is unknown: \(option) cannot be taken back"
    case .foreignOption(let spelling, let owner, let program, hint: _):
      "\(program) has no option \(spelling) (\(owner) has)"
    case .missingValue(let option, let placeholder):
      "option \(option) needs a value: \(placeholder)"
    case .unexpectedValue(let option):
      "option \(option) takes no value"
    case .detachedValue(let option, let value, operand: _):
      "option \(option) takes its value with an equals sign: \(option)=\(value.visible)"
    case .invalidValue(let option, let value, let reason):
      "option \(option): \(reason.sentence(about: value))"
    case .misplacedOption(let option, let command, owner: _):
      "option \(option) does not belong to '\(command)'"
    case .earlyOption(let option, let command):
      "option \(option) belongs after the command: \(command) \(option)"
    case .conflictingOptions(let one, let other):
      "option \(one): cannot be combined with \(other)"
    case .missingOperand(let name, let command, hint: _):
      // The program's name precedes every message, so it is not repeated.
      command.contains(" ") ? "'\(command)' needs \(name)" : "\(name) is missing"
    case .unexpectedOperand(let text, let command):
      "'\(command)' does not take the argument \(text.quoted)"
    case .invalidOperand(name: _, let value, .unknown(let kind, hint: _)):
      // The kind says what the operand's name would say.
      "there is no \(kind) \(value.quoted)"
    case .invalidOperand(let name, let value, .expected(let what)) where what.hasPrefix(name):
      // Here the expectation says it.
      InvalidValue.expected(what).sentence(about: value)
    case .invalidOperand(let name, let value, let reason):
      "\(name): \(reason.sentence(about: value))"
    case .missingCommand(let command, let choices):
      "'\(command)' needs a command: \(choices.joined(separator: ", "))"
    case .unknownCommand(let text, let command, _, let choices):
      "'\(command)' has no command \(text.quoted), only \(choices.joined(separator: ", "))"
    case .included(let file, let line, .unexpectedOperand):
      // The text is not repeated: a value may be a secret, and this text may be the part of one behind its first blank.
      "\(file.inputName), line \(line): there is text that is not the value of an option"
    case .included(let file, let line, let error):
      "\(file.inputName), line \(line): \(error.message)"
    case .openQuote:
      "a quotation mark is not closed"
    case .unreadable(let file, let reason):
      "cannot read \(file.inputName): \(reason)"
    case .tooDeep(let file):
      "\(file.visible): files of options include each other, more than \(OptionLine.deepestNesting) deep"
    case .sharedInput(let one, let other) where one == other:
      "standard input cannot be read twice for \(one)"
    case .sharedInput(let one, let other):
      "standard input cannot be read for both \(one) and \(other)"
    }
  }

  /// What to try instead, if there is something better than reading the help.
  package var hint: String? {
    switch self {
    case .unknownOption(_, let nearest), .unknownCommand(_, _, let nearest, _):
      nearest.map { "did you mean \($0)?" }
    case .foreignOption(_, _, _, let hint), .irrevocableOption(_, _, let hint):
      hint
    case .invalidValue(_, let value, let reason), .invalidOperand(_, let value, let reason):
      reason.hint(about: value)
    case .detachedValue(_, let value, let operand):
      "if \(value.visible) is a \(operand), put it after --"
    case .misplacedOption(_, _, let owner):
      owner.map { "'\($0)' has it" }
    case .missingOperand(_, let command, let hint):
      hint ?? "see '\(command) --help'"
    case .included(_, _, .unexpectedOperand):
      "put a value with blanks in quotation marks, and each option on a line of its own"
    case .included(_, _, let error):
      error.hint
    case .openQuote, .unreadable, .tooDeep, .sharedInput, .missingValue, .unexpectedValue, .earlyOption,
      .conflictingOptions, .unexpectedOperand, .missingCommand:
      nil
    }
  }
}

extension InvalidValue {
  func sentence(about value: ArgumentText) -> String {
    switch self {
    case .expected(let what): "expected \(what), not \(value.quoted)"
    case .notOneOf(let words, not: let part) where words.count == 1:
      "expected \(words[0]), not \((part ?? value).quoted)"
    case .notOneOf(let words, not: let part):
      "expected one of \(words.joined(separator: ", ")), not \((part ?? value).quoted)"
    case .unknown(let kind, hint: _): "there is no \(kind) \(value.quoted)"
    case .unacceptable(let what, hint: _): what
    }
  }

  func hint(about value: ArgumentText) -> String? {
    switch self {
    case .notOneOf(let words, not: let part):
      Suggestion.nearest(to: (part ?? value).bytes, among: words).map { "did you mean \($0)?" }
    case .unknown(_, let hint): hint
    case .unacceptable(_, let hint): hint
    case .expected: nil
    }
  }
}
