import FlagTable

extension CommandLineInterface {
  /// The error with a hint that takes more than a table of flags to know, where there is one.
  static func hinting(_ error: UsageError, at arguments: [ArgumentText]) -> UsageError {
    switch error {
    case .missingOperand(let name, let command, hint: nil):
      .missingOperand(name: name, command: command, hint: takerOfURL(among: arguments))
    case .irrevocableOption(let spelling, option: "--offline", hint: _):
      .irrevocableOption(spelling: spelling, option: "--offline", hint: "--cache-policy protocol asks the network")
    // wget's letters, which are not among its options here; what curl has by them is for other protocols.
    case .foreignOption("-P", let owner, let program, hint: _):
      .foreignOption(spelling: "-P", owner: owner, program: program, hint: "wget's -P is --output-dir")
    case .foreignOption("-t", let owner, let program, hint: _):
      .foreignOption(spelling: "-t", owner: owner, program: program, hint: "wget's -t is --retry")
    case .unknownOption("--", nearest: _) where arguments.contains(where: isOutputToStandardOutput):
      .foreignOption(
        spelling: "-O-", owner: "wget", program: "garner", hint: "what is fetched goes to standard output without it")
    default: error
    }
  }

  /// wget's `-qO-`: letters, and a name that is here an option's letter.
  private static func isOutputToStandardOutput(_ argument: ArgumentText) -> Bool {
    let text = argument.bytes
    return text.count > 2 && text[0] == UInt8(ascii: "-") && text[1] != text[0]
      && text.suffix(2).elementsEqual("O-".utf8)
  }

  /// The last option whose value looks like a URL, and is not meant to be one, or that has URLs under curl's name.
  private static func takerOfURL(among arguments: [ArgumentText]) -> String? {
    var invocation = Invocation()
    var hint: String?
    try? ArgumentParser(Commands.root).parse(arguments, into: &invocation) { setting in
      if hint == nil, setting.name == "config" {
        hint = "--config is garner's own; what curl calls so is --curl-config (-K)"
      }
      guard case .required(let placeholder) = setting.flag.shape, placeholder != "URL" else { return }
      if setting.value.isPlainlyURL {
        hint = "--\(setting.name) has taken the URL for its \(placeholder)"
      }
    }
    return hint
  }
}

extension ArgumentText {
  /// Whether it is meant for a URL that can be fetched, and for nothing else.
  package var isPlainlyURL: Bool { bytes.starts(with: "http://".utf8) || bytes.starts(with: "https://".utf8) }
}
