import FlagTable

extension InvalidValue: Chained {
  static func next(after value: InvalidValue?) -> InvalidValue? {
    switch value {
    case nil: .expected("a time")
    case .expected: .notOneOf(["always", "never"])
    case .notOneOf: .unknown("topic", hint: "'garner help topics' lists them")
    case .unknown: .unacceptable("the key is empty", hint: "a hint")
    case .unacceptable: nil
    }
  }
}

extension UsageError: Chained {
  private static let value: ArgumentText = "alwyas"

  static func next(after error: UsageError?) -> UsageError? {
    switch error {
    case nil: return .unknownOption(spelling: "--ofline", nearest: "--offline")
    case .unknownOption: return .irrevocableOption(spelling: "--no-reload", option: "--reload")
    case .irrevocableOption:
      return .foreignOption(spelling: "--etag-save", owner: "curl", program: "garner", hint: "the nearest is --refresh")
    case .foreignOption: return .missingValue(option: "--output", placeholder: "FILE")
    case .missingValue: return .unexpectedValue(option: "--include")
    case .unexpectedValue: return .detachedValue(option: "--offline", value: "strict", operand: "URL")
    case .detachedValue: return .invalidValue(option: "--color", value: value, reason: .expected("a time"))
    case .invalidValue(let option, let value, let reason):
      return InvalidValue.next(after: reason).map { UsageError.invalidValue(option: option, value: value, reason: $0) }
        ?? .misplacedOption(option: "--output", command: "garner cache ls", owner: nil)
    case .misplacedOption(option: "--output", _, _):
      return .misplacedOption(option: "--newer-than", command: "garner cache prune", owner: "garner cache ls")
    case .misplacedOption: return .earlyOption(option: "-n", command: "garner cache rm")
    case .earlyOption: return .conflictingOptions("--offline", "--reload")
    case .conflictingOptions: return .missingOperand(name: "URL", command: "garner")
    case .missingOperand(name: _, command: "garner", hint: _):
      return .missingOperand(name: "URL", command: "garner cache show")
    case .missingOperand: return .unexpectedOperand(value, command: "garner cache dir")
    case .unexpectedOperand: return .invalidOperand(name: "SHELL", value: value, reason: .expected("a shell"))
    case .invalidOperand(let name, let value, let reason):
      return InvalidValue.next(after: reason).map { UsageError.invalidOperand(name: name, value: value, reason: $0) }
        ?? .missingCommand(command: "garner cache", choices: ["ls", "show"])
    case .missingCommand:
      return .unknownCommand("sl", command: "garner cache", nearest: "ls", choices: ["ls", "show"])
    case .unknownCommand: return .included(file: "options", line: 7, .unknownOption(spelling: "--x", nearest: nil))
    case .included(_, line: 7, _): return .included(file: "options", line: 8, .unexpectedOperand(value, command: ""))
    case .included: return .openQuote
    case .openQuote: return .unreadable(file: "options", reason: "No such file or directory")
    case .unreadable: return .tooDeep(file: "options")
    case .tooDeep: return .sharedInput("--data", "--header")
    case .sharedInput("--data", _): return .sharedInput("--header", "--header")
    case .sharedInput: return nil
    }
  }
}

extension SettingError: Chained {
  static func next(after error: SettingError?) -> SettingError? {
    let value: ArgumentText = "alwyas"
    switch error {
    case nil: return .malformedLine
    case .malformedLine: return .nulByte
    case .nulByte: return .openQuote
    case .openQuote: return .unknownEscape("\\x")
    case .unknownEscape: return .textBehindValue
    case .textBehindValue: return .malformedHeading
    case .malformedHeading: return .unknownSection("sites", nearest: "site")
    case .unknownSection: return .missingArgument(section: "site", placeholder: "URL")
    case .missingArgument: return .unexpectedArgument(section: "reachability")
    case .unexpectedArgument: return .invalidArgument(section: "site", value: value, reason: .expected("a URL"))
    case .invalidArgument: return .unknownName("ofline", nearest: "offline")
    case .unknownName:
      return .foreignName("etag-save", owner: "curl", program: "garner", hint: "the nearest is refresh")
    case .foreignName: return .ofCommand("sort", command: "garner cache ls")
    case .ofCommand: return .onlyTyped("help")
    case .onlyTyped: return .ofRun("cache-dir", section: "site")
    case .ofRun: return .missingValue("output", placeholder: "FILE")
    case .missingValue: return .invalidValue("color", value: value, reason: .expected("a time"))
    case .invalidValue: return .contradiction("offline", "reload")
    case .contradiction: return nil
    }
  }
}
