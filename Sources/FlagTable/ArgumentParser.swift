/// A parser of command lines for a table of commands and flags, with curl's conventions.
///
/// Options and operands come in any order; `-sSo file`, `-ofile`, `--long value` and `--long=value` are the same; long
/// names are exact; `--` ends the options; `-` is an operand; an option may be repeated.
package struct ArgumentParser<Invocation> {
  private let root: Command<Invocation>
  private let foreign: @Sendable () -> [ForeignOptions]
  private let include: OptionLine.Reader

  /// - Parameters:
  ///   - foreign: returns the options of other tools; called only when an option is unknown.
  ///   - include: reads the file that an inclusion, or a value behind `@`, names.
  package init(
    _ root: Command<Invocation>, foreign: @escaping @Sendable () -> [ForeignOptions] = { [] },
    including include: @escaping OptionLine.Reader = { _, _ in [] }
  ) {
    self.root = root
    self.include = include
    self.foreign = foreign
  }

  /// Parses `arguments`, which do not hold the program's name, and records in `invocation` what they say.
  ///
  /// - Parameter note: called with each option that was given.
  /// - Throws: the error of the first argument that could not be understood.
  package func parse(
    _ arguments: [ArgumentText], into invocation: inout Invocation,
    noting note: ((Setting<Invocation>) -> Void)? = nil
  ) throws(UsageError) {
    var reading = Reading(
      path: CommandPath(root), arguments: arguments[...], foreign: foreign, include: include, note: note)
    try reading.run(into: &invocation)
  }
}

extension ArgumentParser {
  /// Offers the flags to `isEnough`, one by one, until it returns `true`. Used to make a `Command.FlagSource`.
  static func offer(_ flags: [Flag<Invocation>], _ isEnough: (Flag<Invocation>) -> Bool) -> Bool {
    first(in: flags, where: isEnough) != nil
  }

  /// Returns the first flag that matches. The loop goes by index, because the runtime would have to look up the
  /// conformances that `first(where:)` needs: half the time of parsing a short command line.
  static func first(
    in flags: [Flag<Invocation>], where matches: (Flag<Invocation>) -> Bool
  ) -> Flag<Invocation>? {
    for index in 0..<flags.count where matches(flags[index]) {
      return flags[index]
    }
    return nil
  }
}

/// One pass over the arguments.
private struct Reading<Invocation> {
  var path: CommandPath<Invocation>
  var arguments: ArraySlice<ArgumentText>
  let foreign: @Sendable () -> [ForeignOptions]
  let include: OptionLine.Reader
  let note: ((Setting<Invocation>) -> Void)?

  var operandCount = 0
  /// The options given so far that a command does not share with those below it, as they were spelt. The command that a
  /// later word chooses must have them, too.
  var ownOptions: [String] = []
  var isAnswered = false
  /// Whether no option has been applied yet.
  var isAtStart = true
  /// Whether a separator has been read: no later word chooses another command.
  var isCommandSettled = false
  /// How many files of options are being read, one within another.
  var inclusionDepth = 0

  mutating func run(into invocation: inout Invocation) throws(UsageError) {
    try readArguments(into: &invocation)
    if !isAnswered {
      try checkOperandCount(of: invocation)
    }
  }

  mutating func readArguments(into invocation: inout Invocation) throws(UsageError) {
    var optionsEnded = false
    while !isAnswered, let argument = arguments.popFirst() {
      let bytes = argument.bytes
      if optionsEnded || bytes.count < 2 || bytes[0] != .hyphen {
        try readOperand(argument, mayBeCommand: !optionsEnded, into: &invocation)
      } else if bytes[1] != .hyphen {
        try readBundle(bytes, into: &invocation)
      } else if bytes.count == 2 {
        optionsEnded = true
      } else {
        try readLong(bytes[2...], into: &invocation)
      }
    }
  }
}

// MARK: - Options

extension Reading {
  mutating func readLong(_ text: ArraySlice<UInt8>, into invocation: inout Invocation) throws(UsageError) {
    let equals = text.firstIndex(of: .equals)
    let name = text[..<(equals ?? text.endIndex)]
    let value = equals.map { ArgumentText(text[($0 + 1)...]) }
    let spelling = "--" + ArgumentText(name).abridged

    if let flag = find({ $0.isNamed(name) }, spelt: spelling) {
      try apply(flag, spelling, .long, value: value, into: &invocation)
    } else if let flag = findNegated(name, spelt: spelling) {
      guard value == nil else { throw .unexpectedValue(option: spelling) }
      try apply(flag, spelling, .on(false), into: &invocation)
    } else if namesOption {
      try readOperand(ArgumentText([.hyphen, .hyphen] + text), mayBeCommand: false, into: &invocation)
    } else {
      throw unknown(spelling, name: Array(name)) { $0.isNamed(name) }
    }
  }

  /// Whether the next operand may be the name of an option, as in `help --output`. An option that the command does not
  /// have, or that lacks its value, is then taken for that operand.
  var namesOption: Bool { operand(at: operandCount)?.mayBeOption == true }

  /// Reads `-abc`, `-abVALUE` and `-ab VALUE`: the first flag that takes a value takes what is left.
  mutating func readBundle(_ bundle: [UInt8], into invocation: inout Invocation) throws(UsageError) {
    for index in bundle.indices.dropFirst() where !isAnswered {
      let letter = bundle[index]
      if index > 1, letter == .equals {
        throw .unexpectedValue(option: "-" + ArgumentText([bundle[index - 1]]).visible)
      }
      // All bytes of a letter beyond ASCII.
      let rest = bundle[(index + 1)...].prefix { letter >= 0xc0 && $0 & 0xc0 == 0x80 }
      let spelling = "-" + ArgumentText([letter] + rest).visible
      guard let flag = find({ $0.short == letter }, spelt: spelling) else {
        if index == 1, namesOption {
          return try readOperand(ArgumentText(bundle), mayBeCommand: false, into: &invocation)
        }
        throw unknown(spelling, name: []) { $0.short == letter }
      }
      if case .required = flag.shape {
        let rest = bundle[(index + 1)...]
        let value = rest.isEmpty ? nil : ArgumentText(rest)
        return try apply(flag, spelling, .short, value: value, into: &invocation)
      }
      try apply(flag, spelling, .short, value: nil, into: &invocation)
    }
  }

  mutating func apply(
    _ flag: Flag<Invocation>, _ option: String, _ spelling: Question.Spelling, value: ArgumentText?,
    into invocation: inout Invocation
  ) throws(UsageError) {
    switch flag.kind {
    case .plain, .toggle:
      guard value == nil else { throw .unexpectedValue(option: option) }
      try apply(flag, option, .on(true), into: &invocation)
    case .question:
      guard value == nil else { throw .unexpectedValue(option: option) }
      let question = Question(spelling: spelling, commandWords: path.commandWords)
      try apply(flag, option, .question(question), into: &invocation)
      isAnswered = true
    case .separator:
      guard value == nil else { throw .unexpectedValue(option: option) }
      isCommandSettled = true
      // A separator at the start separates nothing, as in curl.
      if isAtStart, operandCount == 0 { return }
      try checkOperandCount(of: invocation)
      try apply(flag, option, .on(true), into: &invocation)
      operandCount = 0
    case .inclusion(let placeholder):
      guard let file = value ?? arguments.popFirst() else {
        throw .missingValue(option: option, placeholder: placeholder)
      }
      guard !file.bytes.isEmpty else {
        throw .invalidValue(option: option, value: file, reason: .unacceptable("the name of a file is empty"))
      }
      try readOptions(in: file, into: &invocation)
    case .optional:
      if value == nil { try checkNextIsNoValue(of: flag, option, invocation) }
      try apply(flag, option, value.map { .value($0) } ?? .noValue, into: &invocation)
    case .required(let placeholder):
      guard let value = value ?? arguments.popFirst() else {
        if namesOption { return try readOperand(ArgumentText(option), mayBeCommand: false, into: &invocation) }
        throw .missingValue(option: option, placeholder: placeholder)
      }
      try apply(flag, option, .value(value), into: &invocation)
    case .listable(let placeholder):
      guard let value = value ?? arguments.popFirst() else {
        throw .missingValue(option: option, placeholder: placeholder)
      }
      if value.bytes.first == .at {
        try applyEach(flag, option, in: ArgumentText(value.bytes.dropFirst()), into: &invocation)
      } else {
        try apply(flag, option, .value(value), into: &invocation)
      }
    }
  }

  /// Refuses `--option VALUE` for an option that takes its value with an equals sign only, if VALUE is one that it
  /// accepts: it is probably meant as the value, and would become an operand.
  func checkNextIsNoValue(
    of flag: Flag<Invocation>, _ option: String, _ invocation: Invocation
  ) throws(UsageError) {
    guard let next = arguments.first, !next.bytes.isEmpty, next.bytes[0] != .hyphen else { return }
    var trial = invocation
    guard (try? flag.apply(&trial, .value(next))) != nil else { return }
    throw .detachedValue(option: option, value: next, operand: path.last.operands.first?.name ?? "word")
  }

  /// Applies the flag with each line of a file.
  mutating func applyEach(
    _ flag: Flag<Invocation>, _ option: String, in file: ArgumentText, into invocation: inout Invocation
  ) throws(UsageError) {
    guard !file.bytes.isEmpty else {
      throw .invalidValue(
        option: option, value: "@", reason: .unacceptable("the name of a file is missing after @"))
    }
    for line in try include(file, .values) {
      do throws(UsageError) {
        for value in line.arguments { try apply(flag, option, .value(value), into: &invocation) }
      } catch {
        throw .included(file: file, line: line.number, error)
      }
    }
  }

  mutating func apply(
    _ flag: Flag<Invocation>, _ option: String, _ given: Given, into invocation: inout Invocation
  ) throws(UsageError) {
    isAtStart = false
    let isIgnored = inclusionDepth > 0 && path.last.flagsIgnoredInFiles.hasRow(of: flag)
    do throws(InvalidValue) {
      if isIgnored {
        // Its value is checked all the same.
        var trial = invocation
        try flag.apply(&trial, given)
      } else {
        try flag.apply(&invocation, given)
      }
    } catch {
      throw .invalidValue(option: option, value: given.text ?? "", reason: error)
    }
    if !isIgnored { note?(Setting(flag, given, from: .commandLine)) }
  }

  mutating func find(_ matches: (Flag<Invocation>) -> Bool, spelt spelling: String) -> Flag<Invocation>? {
    if let flag = path.last.firstFlag(where: matches) {
      if !isCommandSettled, operandCount == 0 { ownOptions.append(spelling) }
      return flag
    }
    if let flag = path.firstCommonFlag(where: matches) { return flag }
    return inclusionDepth > 0 ? ArgumentParser.first(in: path.last.flagsIgnoredInFiles, where: matches) : nil
  }

  mutating func findNegated(_ name: ArraySlice<UInt8>, spelt spelling: String) -> Flag<Invocation>? {
    guard let positive = Negation.positive(of: name) else { return nil }
    return find({ $0.negation != nil && $0.isNamed(positive) }, spelt: spelling)
  }

  func unknown(_ spelling: String, name: [UInt8], foreignWhere isForeign: (ForeignOption) -> Bool) -> UsageError {
    UnknownOption(path: path, foreign: foreign).error(for: spelling, name: name, foreignWhere: isForeign)
  }
}

// MARK: - Files of options

extension Reading {
  /// Reads the options in a file. Each line is read by itself, so that no option takes its value from the next line.
  mutating func readOptions(in file: ArgumentText, into invocation: inout Invocation) throws(UsageError) {
    guard inclusionDepth < OptionLine.deepestNesting else { throw .tooDeep(file: file) }
    let behind = arguments
    inclusionDepth += 1
    for line in try include(file, .options) where !isAnswered {
      arguments = line.arguments[...]
      do throws(UsageError) {
        if line.hasOpenQuote { throw .openQuote }
        try readArguments(into: &invocation)
      } catch {
        // If files are nested too deeply, only the innermost line is reported, not each line that led to it.
        if case .included(_, _, .tooDeep) = error { throw error }
        throw .included(file: file, line: line.number, error)
      }
    }
    inclusionDepth -= 1
    arguments = behind
  }
}

// MARK: - Operands

extension Reading {
  mutating func readOperand(
    _ text: ArgumentText, mayBeCommand: Bool, into invocation: inout Invocation
  ) throws(UsageError) {
    let command = path.last
    if inclusionDepth > 0 {
      // A word that begins with `#`, and that no option has taken for its value, begins a comment.
      guard text.bytes.first == .numberSign else { throw .unexpectedOperand(text, command: path.words) }
      arguments = []
      return
    }
    if mayBeCommand, operandCount == 0, !isCommandSettled, Command<Invocation>.canBeName(text),
      let below = command.subcommand(named: text)
    {
      return try descend(to: below, into: &invocation)
    }
    guard command.select != nil else {
      let commands = command.visibleSubcommands
      let choices = commands.map(\.name)
      let known = commands.first { $0.foreignNames.contains { $0.utf8.elementsEqual(text.bytes) } }
      let root = path.commands[0]
      let help = text == "help" && root.subcommand(named: text) != nil
      throw .unknownCommand(
        text, command: path.words,
        nearest: help
          ? "'\(([root.name, "help"] + path.commandWords).joined(separator: " "))'"
          : known?.name ?? Suggestion.nearest(to: text.bytes, among: choices),
        choices: choices)
    }
    guard let operand = operand(at: operandCount) else {
      throw .unexpectedOperand(text, command: path.words)
    }
    do {
      try operand.apply(&invocation, text)
    } catch {
      throw .invalidOperand(name: operand.name, value: text, reason: error)
    }
    operandCount += 1
  }

  mutating func descend(to command: Command<Invocation>, into invocation: inout Invocation) throws(UsageError) {
    path.descend(to: command)
    guard let select = command.select else { return }
    for option in ownOptions { try checkIsTaken(option) }
    select(&invocation)
  }

  /// Checks an option that stood before the command word, and so has been applied as an option of the command above.
  /// The chosen command must have the same option, not another one of that spelling.
  func checkIsTaken(_ option: String) throws(UsageError) {
    let isMeant = { (flag: Flag<Invocation>) in flag.isSpelt(option) }
    guard let taken = path.last.firstFlag(where: isMeant) else {
      throw .misplacedOption(option: option, command: path.words, owner: nil)
    }
    for command in path.commands.dropLast() {
      guard let noted = command.firstFlag(where: isMeant) else { continue }
      guard [taken].hasRow(of: noted) else { throw .earlyOption(option: option, command: path.words) }
    }
  }

  func operand(at index: Int) -> Operand<Invocation>? {
    let operands = path.last.operands
    if index < operands.count { return operands[index] }
    guard let last = operands.last, last.count.repeats else { return nil }
    return last
  }

  func checkOperandCount(of invocation: Invocation) throws(UsageError) {
    let command = path.last
    guard command.select != nil else {
      throw .missingCommand(command: path.words, choices: command.visibleSubcommands.map(\.name))
    }
    guard operandCount < command.operands.count else { return }
    let operand = command.operands[operandCount]
    if operand.count.isRequired, !operand.mayBeAbsent(invocation) {
      throw .missingOperand(name: operand.name, command: path.words)
    }
  }
}
