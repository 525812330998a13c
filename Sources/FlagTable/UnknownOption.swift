/// What there is to say of an option that a command has not got.
struct UnknownOption<Invocation> {
  let path: CommandPath<Invocation>
  /// What other tools have.
  let foreign: @Sendable () -> [ForeignOptions]

  /// - Parameters:
  ///   - spelling: with its dashes.
  ///   - name: without them; empty for a letter.
  func error(
    for spelling: String, name: [UInt8], foreignWhere isForeign: (ForeignOption) -> Bool
  ) -> UsageError {
    if let error = elsewhere(spelling) { return error }
    if let (owner, option) = foreign().first(where: isForeign) {
      return .foreignOption(
        spelling: spelling, owner: owner, program: path.commands[0].name,
        hint: option.hint(among: names, dashes: "--"))
    }
    guard let positive = Negation.positive(of: name[...]) else {
      let nearest = Suggestion.nearest(to: name, among: names)
      return .unknownOption(spelling: spelling, nearest: nearest.map { "--" + $0 })
    }
    let option = "--" + String(decoding: positive, as: UTF8.self)
    if let owner = foreign().first(where: { $0.isNamed(positive) })?.owner {
      // Whether the owner has the contrary, too, is not known here.
      return .foreignOption(spelling: option, owner: owner, program: path.commands[0].name, hint: nil)
    }
    if let flag = path.visibleFlags.first(where: { $0.isNamed(positive) }) {
      // Another value may be what was meant; without one, the option is the contrary.
      guard case .required = flag.shape else { return .irrevocableOption(spelling: spelling, option: option) }
      return .unknownOption(spelling: spelling, nearest: "--" + flag.name)
    }
    // What is negated is compared alone: that both are is no likeness.
    let negated = names.compactMap { name in
      Negation.positive(of: Array(name.utf8)[...]).map { String(decoding: $0, as: UTF8.self) }
    }
    let nearest = Suggestion.nearest(to: positive, among: negated)
    return .unknownOption(spelling: spelling, nearest: nearest.map { "--" + Negation.name(of: $0) })
  }

  /// Where another command has it, above or below.
  private func elsewhere(_ spelling: String) -> UsageError? {
    let isMeant = { (flag: Flag<Invocation>) in flag.isSpelt(spelling) }
    if path.last.select == nil, path.withDescendants.contains(where: { $0.last.flags.contains(where: isMeant) }) {
      return .earlyOption(option: spelling, command: path.words + " COMMAND")
    }
    let root = CommandPath(path.commands[0])
    guard let owner = root.withDescendants.first(where: { $0.last.flags.contains(where: isMeant) }) else { return nil }
    // Of the outermost command's, everybody knows whose they are.
    return .misplacedOption(
      option: spelling, command: path.words, owner: owner.commandWords.isEmpty ? nil : owner.words)
  }

  private var names: [String] {
    path.visibleFlags.flatMap { flag in [flag.name] + flag.aliases + (flag.negatedName.map { [$0] } ?? []) }
  }
}
