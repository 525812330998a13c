/// The error for an option that a command does not have.
struct UnknownOption<Invocation> {
  let path: CommandPath<Invocation>
  /// Returns the options of other tools.
  let foreign: @Sendable () -> [ForeignOptions]

  /// - Parameters:
  ///   - spelling: the option with its dashes.
  ///   - name: the option without its dashes; empty for a letter.
  func error(
    for spelling: String, name: [UInt8], foreignWhere isForeign: (ForeignOption) -> Bool
  ) -> UsageError {
    if let error = elsewhere(spelling) { return error }
    if let (owner, option) = foreign().first(where: isForeign) {
      return .foreignOption(
        spelling: spelling, owner: owner, program: path.commands[0].name,
        hint: option.hint(among: names, dashes: "--") { spelling in
          path.flags.contains { $0.isSpelt(spelling) }
        })
    }
    guard let positive = Negation.positive(of: name[...]) else {
      let nearest = Suggestion.nearest(to: name, among: names)
      return .unknownOption(spelling: spelling, nearest: nearest.map { "--" + $0 })
    }
    let option = "--" + String(decoding: positive, as: UTF8.self)
    if let owner = foreign().first(where: { $0.isNamed(positive) })?.owner {
      // Whether the other tool has the negation, too, is not known here.
      return .foreignOption(spelling: option, owner: owner, program: path.commands[0].name, hint: nil)
    }
    if let flag = path.flags.first(where: { $0.isNamed(positive) }) {
      // If the option takes a value, the user may want another one. If it takes none, it is the opposite of what was
      // typed, and so no suggestion.
      guard case .required = flag.shape else { return .irrevocableOption(spelling: spelling, option: option) }
      return .unknownOption(spelling: spelling, nearest: "--" + flag.name)
    }
    // Only what follows `no-` is compared: that prefix in common makes no similarity.
    let negated = names.compactMap { name in
      Negation.positive(of: Array(name.utf8)[...]).map { String(decoding: $0, as: UTF8.self) }
    }
    let nearest = Suggestion.nearest(to: positive, among: negated)
    return .unknownOption(spelling: spelling, nearest: nearest.map { "--" + Negation.name(of: $0) })
  }

  /// Returns the error for an option that another command has, above or below this one.
  private func elsewhere(_ spelling: String) -> UsageError? {
    let isMeant = { (flag: Flag<Invocation>) in flag.isSpelt(spelling) }
    if path.last.select == nil, path.withDescendants.contains(where: { $0.last.flags.contains(where: isMeant) }) {
      return .earlyOption(option: spelling, command: path.words + " COMMAND")
    }
    let root = CommandPath(path.commands[0])
    guard let owner = root.withDescendants.first(where: { $0.last.flags.contains(where: isMeant) }) else { return nil }
    // The outermost command is not named: everybody knows that its options are its own.
    return .misplacedOption(
      option: spelling, command: path.words, owner: owner.commandWords.isEmpty ? nil : owner.words)
  }

  private var names: [String] {
    path.flags.flatMap { flag in [flag.name] + flag.aliases + (flag.negatedName.map { [$0] } ?? []) }
  }
}
