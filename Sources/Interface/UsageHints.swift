import FlagTable

extension CommandLineInterface {
  /// Returns the error, with a hint if there is one that a table of flags does not suffice to find.
  ///
  /// - Parameter command: the one that the arguments had chosen before the error.
  static func hinting(_ error: UsageError, at arguments: [ArgumentText], of command: CommandChoice) -> UsageError {
    switch error {
    case .missingOperand(let name, let command, hint: nil):
      .missingOperand(name: name, command: command, hint: takerOfURL(among: arguments))
    case .irrevocableOption(let spelling, option: "--offline", hint: _):
      .irrevocableOption(spelling: spelling, option: "--offline", hint: "--cache-policy protocol allows the network")
    // wget's letters, which `WgetOptions` does not have. curl's options with these letters are for other protocols.
    case .foreignOption("-P", let owner, let program, hint: _) where command == .fetch:
      .foreignOption(spelling: "-P", owner: owner, program: program, hint: "wget's -P is --output-dir")
    case .foreignOption("-t", let owner, let program, hint: _) where command == .fetch || command == .prefetch:
      .foreignOption(spelling: "-t", owner: owner, program: program, hint: "wget's -t is --retry")
    case .unknownOption("--", nearest: _) where arguments.contains(where: isOutputToStandardOutput):
      .foreignOption(
        spelling: "-O-", owner: "wget", program: "garner", hint: "without it, the content goes to standard output")
    default: error
    }
  }

  /// Whether an argument is like wget's `-qO-`: a bundle of letters, and a file name, `-`, that is read as one more
  /// letter here.
  private static func isOutputToStandardOutput(_ argument: ArgumentText) -> Bool {
    let text = argument.bytes
    return text.count > 2 && text[0] == UInt8(ascii: "-") && text[1] != text[0]
      && text.suffix(2).elementsEqual("O-".utf8)
  }

  /// Returns a hint at the last option whose value looks like a URL but is meant to be something else. If there is
  /// none, the hint may be at `--config`, which in curl names a file that may hold URLs.
  private static func takerOfURL(among arguments: [ArgumentText]) -> String? {
    var invocation = Invocation()
    var hint: String?
    try? ArgumentParser(Commands.root).parse(arguments, into: &invocation) { setting in
      if hint == nil, setting.name == "config" {
        hint = "--config reads garner's own config file; curl's --config is --curl-config (-K)"
      }
      guard case .required(let placeholder) = setting.flag.shape, placeholder != "URL" else { return }
      if setting.value.isPlainlyURL {
        hint = "--\(setting.name) took the URL as its \(placeholder)"
      }
    }
    return hint
  }
}

extension ArgumentText {
  /// Whether the argument can only be meant as a URL that can be fetched.
  package var isPlainlyURL: Bool { bytes.starts(with: "http://".utf8) || bytes.starts(with: "https://".utf8) }
}
