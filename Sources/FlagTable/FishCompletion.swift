/// The completion script of a command for fish.
package struct FishCompletion<Invocation> {
  private let root: CommandPath<Invocation>

  package init(of root: Command<Invocation>) {
    self.root = CommandPath(root)
  }

  package var script: String {
    var lines = ["# fish completion of \(name), printed from its table of flags", ""]
    lines += walk
    lines += output
    lines += ["complete -c \(name) -f", ""]
    for path in root.withDescendants {
      let condition = "__\(name)_at \(path.words)"
      lines += commands(below: path)
      for flag in path.flags { lines += options(flag, condition) }
      for operand in path.last.operands {
        if case .path(let steps) = operand.completion {
          lines += steps.map { self.step($0, path) }
        } else if let values = values(operand.completion) {
          lines.append("complete -c \(name) -n \(ShellText.quote(condition)) \(values)")
        }
      }
      lines.append("")
    }
    return lines.joined(separator: "\n")
  }

  private var name: String { root.last.name }

  private func commands(below path: CommandPath<Invocation>) -> [String] {
    path.steps.map { step in
      "complete -c \(name) -n \(ShellText.quote("__\(name)_first \(path.words)")) -a \(step.path.last.name)"
        + " -d \(Self.quote(ShellText.menuText(step.path.last.summary)))"
    }
  }

  private func options(_ flag: Flag<Invocation>, _ condition: String) -> [String] {
    let letter = flag.short.map { " -s " + Self.quote(String(UnicodeScalar($0))) } ?? ""
    let value =
      switch flag.shape {
      case .none: ""
      case .required: " -r " + (values(flag.completion) ?? "-f")
      case .optional: " " + (values(flag.completion) ?? "-f")
      }
    let start = "complete -c \(name) -n \(ShellText.quote(condition))"
    var lines = ["\(start)\(letter) -l \(flag.name)\(value) -d \(Self.quote(ShellText.menuText(flag.summary)))"]
    if let negation = flag.listedNegation {
      lines.append("\(start) -l \(Negation.name(of: flag.name)) -d \(Self.quote(ShellText.menuText(negation.summary)))")
    }
    return lines
  }

  private func step(_ step: CompletionStep, _ path: CommandPath<Invocation>) -> String {
    let condition =
      step.previous.map { "__\(name)_at \(path.words); and test (commandline -opc)[-1] = \($0)" }
      ?? "__\(name)_first \(path.words)"
    return "complete -c \(name) -n \(ShellText.quote(condition)) " + (values(.choices(step.words)) ?? "")
  }

  private func values(_ completion: ValueCompletion) -> String? {
    switch completion {
    case .none, .path: nil
    case .file: "-F"
    case .fileBehindAt: "-f -a '(__\(name)_behind_at)'"
    case .directory: "-f -a '(__fish_complete_directories (commandline -ct))'"
    case .choices(let words), .examples(let words): "-f -a " + Self.quote(words.joined(separator: " "))
    case .pairs(let names, let words): values(.choices(ValueCompletion.pairs(of: names, words)))
    case .output(let words): "-f -a " + Self.quote("(__\(name)_output \(words.joined(separator: " ")))")
    }
  }

  /// The functions that offer what the program prints for the word that is being typed, or for an option's value within
  /// that word, and files behind `@`.
  ///
  /// Fish gives the words before that one without their quotation, so a tilde is looked for in the line, too.
  private var output: [String] {
    [
      "function __\(name)_output",
      "    set -l word (commandline -ct | string replace -r -- '^--[^=]+=' '' | string unescape)",
      "    set -l state (__\(name)_walk)",
      "    \(name) $state[4..-1] $argv -- \"$word\" </dev/null 2>/dev/null", "end", "",
      "function __\(name)_expanded",
      "    set -l tilde (string match -r -- '^~[\\w.-]*(?=/|$)' $argv)",
      "    and string match -q -r -- \"\\s$tilde\" (commandline -pc)",
      "    and set argv (string replace -- $tilde (eval echo $tilde) $argv)",
      "    printf '%s\\n' $argv", "end", "",
      "function __\(name)_behind_at",
      "    set -l word (commandline -ct | string replace -r -- '^(-[^-]|--[^=]+=)' '' | string unescape)",
      "    string match -q -- '@*' $word; or return",
      "    string replace -r -- '^' @ (__fish_complete_path (string sub -s 2 -- $word) | string split -f 1 \\t)",
      "end", "",
    ]
  }

  /// The functions that tell which command the words before the cursor have chosen, how many operands it has, whether
  /// `--` has ended the options, and which options are passed on to the program that completes the line.
  private var walk: [String] {
    let common = root.commonOptions
    var lines = [
      "function __\(name)_walk",
      "    set -l path \(name)",
      "    set -l operands 0",
      "    set -l pending",
      "    set -l common",
      "    set -l ended no",
      "    for word in (commandline -opc)[2..-1]",
      "        if set -q pending[1]",
      "            contains -- $pending \(common.beforeValue.joined(separator: " "))",
      "            and set -a common $pending (__\(name)_expanded $word)",
      "            set pending",
      "            continue",
      "        end",
      "        if test $ended = no",
      "            switch \"$path:$word\"",
    ]
    for path in root.withDescendants {
      let spellings = path.spellingsBeforeValue
      if !spellings.isEmpty {
        lines.append("                case " + patterns(path, spellings))
        lines += ["                    set pending $word", "                    continue"]
      }
    }
    lines += [
      "                case '*:--'", "                    set ended yes", "                    continue",
      "                case '*:--*'",
      "                    contains -- (string split -f 1 = -- $word) \(common.spellings.joined(separator: " "))",
      "                    and set -a common $word",
      "                    continue",
      "                case '*:-?*'",
    ]
    lines += common.letters.flatMap { letter in
      [
        "                    string match -q -r -- '^-[^-\(common.lettersBeforeValue.joined())]*\(letter)' $word",
        "                    and set -a common -\(letter)",
      ]
    }
    lines += [
      "                    continue", "            end",
      "            if test $operands = 0", "                switch \"$path:$word\"",
    ]
    for path in root.withDescendants {
      for step in path.steps {
        lines.append("                    case " + patterns(path, step.words))
        lines.append("                        set path \(Self.quote(step.path.words))")
        lines.append("                        continue")
      }
    }
    lines += [
      "                end", "            end", "        end", "        set operands (math $operands + 1)", "    end",
      "    echo $path", "    echo $operands", "    echo $ended",
      "    string join -- \\n $common", "end", "",
      "function __\(name)_at", "    set -l state (__\(name)_walk)", "    test \"$state[1]\" = \"$argv\"", "end", "",
      "function __\(name)_first", "    set -l state (__\(name)_walk)",
      "    test \"$state[1]\" = \"$argv\" -a \"$state[2]\" = 0 -a \"$state[3]\" = no", "end", "",
    ]
    return lines
  }

  private func patterns(_ path: CommandPath<Invocation>, _ words: [String]) -> String {
    words.map { Self.quote(path.words + ":" + $0) }.joined(separator: " ")
  }

  /// Returns `text` as one word: within single quotes, fish knows `\'` and `\\`.
  private static func quote(_ text: String) -> String {
    var quoted = "'"
    for character in text {
      if character == "'" || character == "\\" { quoted += "\\" }
      quoted.append(character)
    }
    return quoted + "'"
  }
}
