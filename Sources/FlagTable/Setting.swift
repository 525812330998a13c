/// The place where an option was given.
package enum SettingOrigin: Equatable, Sendable {
  /// `heading` is as in the file; `nil` before the first heading.
  case file(line: Int, heading: String?)
  case environment(variable: String)
  case commandLine
}

/// An option with what was given for it, and where that was.
package struct Setting<Invocation>: Sendable {
  package let flag: Flag<Invocation>
  package let given: Given
  package let origin: SettingOrigin

  package init(_ flag: Flag<Invocation>, _ given: Given, from origin: SettingOrigin) {
    self.flag = flag
    self.given = given
    self.origin = origin
  }

  package var name: String { flag.name }

  /// Whether the setting does nothing but take back what a weaker layer gave. The option is then as if it were not
  /// given.
  package var isOff: Bool { given == .on(false) && flag.negation == nil }

  /// The value as a config file would have it.
  package var value: ArgumentText {
    switch given {
    case .on(false): "no"
    case .on(true), .noValue, .question: "yes"
    case .value(let text): text
    }
  }

  /// Records the setting in `invocation`.
  package func apply(to invocation: inout Invocation) throws(InvalidValue) {
    if !isOff { try flag.apply(&invocation, given) }
  }
}

/// The options of a command that a config file or the environment can set. They are made from the rows of the command
/// line.
package struct SettingTable<Invocation> {
  private let root: Command<Invocation>
  private let blank: Invocation
  private let home: ArgumentText?
  private let foreign: @Sendable () -> [ForeignOptions]
  // Made when the first name is looked up. The command's own flags are looked at one by one instead, because an array
  // of them would take longer to make.
  private lazy var commonFlags = root.commonFlags

  /// - Parameters:
  ///   - blank: an empty invocation, on which values are tried.
  ///   - home: the directory that `~` stands for.
  ///   - foreign: returns the options of other tools; called only when a name is unknown.
  package init(
    of root: Command<Invocation>, blank: Invocation, home: ArgumentText?,
    foreign: @escaping @Sendable () -> [ForeignOptions]
  ) {
    self.root = root
    self.blank = blank
    self.home = home
    self.foreign = foreign
  }

  /// The flags that can be set, the command's own first.
  package var flags: [Flag<Invocation>] { (root.flags + root.commonFlags).filter { $0.scope != .typed } }

  // MARK: A line of a file

  /// Returns the setting that a line of a config file makes.
  ///
  /// - Throws: an error if the name cannot be set here, or the option refuses the value.
  package mutating func setting(
    _ entry: ConfigFile.Entry, under heading: String?
  ) throws(SettingError) -> Setting<Invocation> {
    let bytes = entry.name.bytes[...]
    let origin = SettingOrigin.file(line: entry.line, heading: heading)
    if let flag = find({ $0.isNamed(bytes) }) {
      return Setting(flag, try given(entry.value, flag, isNegated: false, called: entry.name.visible), from: origin)
    }
    if let positive = Negation.positive(of: bytes), let flag = find({ $0.negation != nil && $0.isNamed(positive) }) {
      return Setting(flag, try given(entry.value, flag, isNegated: true, called: entry.name.visible), from: origin)
    }
    throw unknown(entry.name)
  }

  private func unknown(_ name: ArgumentText) -> SettingError {
    // The name may have been written with its dashes, as it is typed.
    let bytes = name.bytes.drop { $0 == .hyphen }
    let spelling = ArgumentText(bytes).visible
    let isCalled = { (flag: Flag<Invocation>) in flag.isNamed(bytes) }
    if (root.flags + root.commonFlags).contains(where: isCalled) {
      return bytes.count == name.bytes.count ? .onlyTyped(spelling) : .unknownName(name, nearest: spelling)
    }
    if let command = CommandPath(root).withDescendants.first(where: { $0.last.flags.contains(where: isCalled) }) {
      return .ofCommand(spelling, command: command.words)
    }
    let names = flags.flatMap { [$0.name] + $0.aliases }
    if let (owner, option) = foreign().first(where: { $0.isNamed(bytes) }) {
      return .foreignName(
        spelling, owner: owner, program: root.name, hint: option.hint(among: names))
    }
    return .unknownName(name, nearest: Suggestion.nearest(to: bytes, among: names))
  }

  // MARK: A variable of the environment

  /// Returns the name of an option's variable without the program's prefix: `CACHE_DIR` for `--cache-dir`.
  package static func variableName(of name: String) -> String {
    String(decoding: name.utf8.map(variableByte), as: UTF8.self)
  }

  private static func variableByte(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte & ~0x20
    case .hyphen, .period: .underscore
    default: byte
    }
  }

  /// Returns the setting that a variable makes; `nil` if no option has that name.
  ///
  /// - Parameters:
  ///   - name: the variable's name without the program's prefix.
  ///   - variable: the whole name.
  /// - Throws: an error if the option refuses the value.
  package mutating func setting(
    variable: String, named name: ArraySlice<UInt8>, value: ArgumentText
  ) throws(SettingError) -> Setting<Invocation>? {
    guard let flag = find({ Self.isNamed($0, name) }) else { return nil }
    return Setting(
      flag, try given(value, flag, isNegated: false, called: variable), from: .environment(variable: variable))
  }

  private static func isNamed(_ flag: Flag<Invocation>, _ variable: ArraySlice<UInt8>) -> Bool {
    isVariable(variable, of: flag.name)
  }

  private static func isVariable(_ variable: ArraySlice<UInt8>, of name: String) -> Bool {
    let name = name.utf8
    guard name.count == variable.count else { return false }
    var index = variable.startIndex
    for byte in name {
      if variableByte(byte) != variable[index] { return false }
      index += 1
    }
    return true
  }

  /// Returns the assignment that takes an option back, for a variable that is named like its `--no-NAME`: `FAIL=0` for
  /// `NO_FAIL`. Neither has the program's prefix. `nil` if there is no such option.
  package mutating func assignment(takingBack name: ArraySlice<UInt8>) -> String? {
    let prefix = Self.variableName(of: Negation.prefix).utf8
    guard name.starts(with: prefix), let flag = find({ Self.isNamed($0, name.dropFirst(prefix.count)) }) else {
      return nil
    }
    if case .required = flag.shape { return nil }
    return Self.variableName(of: flag.name) + "=0"
  }

  /// Returns the variable that was probably meant, without the program's prefix.
  package func nearestVariable(to name: ArraySlice<UInt8>) -> String? {
    // An option's exact name is no typing error: an option that can only be typed has no variable, and of an option's
    // several names only the first has one.
    for flag in root.flags + root.commonFlags
    where ([flag.name] + flag.aliases).contains(where: { Self.isVariable(name, of: $0) }) {
      return flag.scope == .typed ? nil : Self.variableName(of: flag.name)
    }
    return Suggestion.nearest(to: name, among: flags.map { Self.variableName(of: $0.name) })
  }

  // MARK: Values

  private mutating func find(_ matches: (Flag<Invocation>) -> Bool) -> Flag<Invocation>? {
    // Without `flatMap`, for which the runtime would make types.
    if let flag = ArgumentParser<Invocation>.first(in: commonFlags, where: matches) {
      return flag.scope == .typed ? nil : flag
    }
    guard let flag = root.firstFlag(where: matches), flag.scope != .typed else { return nil }
    return flag
  }

  private func given(
    _ value: ArgumentText?, _ flag: Flag<Invocation>, isNegated: Bool, called name: String
  ) throws(SettingError) -> Given {
    switch flag.kind {
    case .plain, .toggle, .question, .separator:
      guard let isOn = value.map(Self.truth) ?? true else {
        throw .invalidValue(name, value: value ?? "", reason: .notOneOf(["yes", "no"]))
      }
      return .on(isOn != isNegated)
    case .required(let placeholder), .listable(let placeholder), .inclusion(let placeholder):
      guard let given = value else { throw .missingValue(name, placeholder: placeholder) }
      let value = try expanded(given, flag, called: name)
      if let refusal = refusal(of: value, by: flag) { throw .invalidValue(name, value: value, reason: refusal) }
      return .value(value)
    case .optional:
      guard let value else { return .noValue }
      // A value that the option itself accepts comes first: `1` may be a number.
      guard let refusal = refusal(of: value, by: flag) else { return .value(value) }
      switch Self.truth(value) {
      case true?: return .noValue
      case false?: return .on(false)
      case nil:
        var reason = refusal
        if case .notOneOf(let words, not: _) = refusal { reason = .notOneOf(words + ["yes", "no"]) }
        throw .invalidValue(name, value: value, reason: reason)
      }
    }
  }

  /// Replaces `~` or `~/` before the name of a file by the home directory. A shell does that for what is typed, but not
  /// for a config file, and not for every environment.
  private func expanded(
    _ value: ArgumentText, _ flag: Flag<Invocation>, called name: String
  ) throws(SettingError) -> ArgumentText {
    let start: Int
    switch flag.completion {
    case .file, .directory: start = 0
    case .fileBehindAt where value.bytes.first == .at: start = 1
    default: return value
    }
    let path = value.bytes[start...]
    guard path.first == .tilde, path.count == 1 || path[start + 1] == .slash else { return value }
    guard let home else {
      throw .invalidValue(name, value: value, reason: .unacceptable("~ stands for HOME, which names no directory"))
    }
    return ArgumentText(value.bytes[..<start] + home.bytes + path.dropFirst())
  }

  private func refusal(of value: ArgumentText, by flag: Flag<Invocation>) -> InvalidValue? {
    var trial = blank
    do throws(InvalidValue) {
      try flag.apply(&trial, .value(value))
      return nil
    } catch {
      return error
    }
  }

  /// Reads a truth value, without regard to case; `nil` if the value is neither true nor false.
  private static func truth(_ value: ArgumentText) -> Bool? {
    switch value.string?.lowercased() {
    case "yes", "true", "on", "1": true
    case "no", "false", "off", "0": false
    default: nil
    }
  }
}
