/// The completion script of a command for zsh: a file `_NAME` for a directory of `fpath`, or a script to be sourced.
package struct ZshCompletion<Invocation> {
  private let root: CommandPath<Invocation>

  package init(of root: Command<Invocation>) {
    self.root = CommandPath(root)
  }

  package var script: String {
    "#compdef \(root.last.name)\n# zsh completion of \(root.last.name), printed from its table of flags\n\n"
      + output + root.withDescendants.reversed().map(function).joined(separator: "\n")
      + "\n" + ending
  }

  /// The end of the script. If zsh finds the file in `fpath`, the file is the body of the function at its first call,
  /// and so calls the function. If the file is sourced, it registers the function.
  private var ending: String {
    let name = root.functionName
    return """
      if [ "$funcstack[1]" = \(name) ]; then
        \(name) "$@"
      else
        compdef \(name) \(root.last.name)
      fi

      """
  }

  /// The functions that offer what the program prints for the word that is being typed. zsh quotes it if necessary.
  ///
  /// The program is called in a process of its own, because the tilde of an unknown user ends the process. One loop
  /// looks for the options of all commands, so it takes a value that is spelt like an option for one.
  private var output: String {
    let name = root.functionName
    let common = root.commonOptions
    return """
      \(name)_output() {
        local -a found
        found=(${(f)"$(\(name)_ask "$@" </dev/null 2>/dev/null)"})
        compadd -a found
      }

      # Asks with the options of the line that count for it, too; a tilde is what it would be.
      \(name)_ask() {
        local -a common
        local word letter
        integer at
        for (( at = 1; at <= $#typed; at++ )); do
          word=${(Q)typed[at]}
          case $word in
            (--) break ;;
            (\(common.beforeValue.joined(separator: "|")))
              common+=("$word")
              (( at++ ))
              word=${(Q)${~typed[at]}}
              common+=("$word") ;;
            ((\(common.spellings.joined(separator: "|")))(|=*)) common+=("$word") ;;
            (-[^-]*)
              for letter in ${(s::)word[2,-1]}; do
                case $letter in
                  (\(common.lettersBeforeValue.joined(separator: "|"))) break ;;
                  (\(common.letters.joined(separator: "|"))) common+=(-$letter) ;;
                esac
              done ;;
          esac
        done
        \(root.last.name) "${common[@]}" "$@" -- "${(Q)PREFIX}"
      }


      """
  }

  private func function(of path: CommandPath<Invocation>) -> String {
    var lines = ["\(path.functionName)() {"]
    if path.commands.count == 1 { lines.append("  local -a typed=(\"${(@)words[2,CURRENT-1]}\")") }
    if !path.steps.isEmpty { lines += walk(path) }
    lines.append("  _arguments -s -S \\")
    let arguments = path.flags.flatMap(specifications) + operands(of: path)
    lines.append(arguments.map { "    " + ShellText.quote($0) }.joined(separator: " \\\n"))
    lines.append("}")
    if !path.steps.isEmpty { lines += commandList(of: path) }
    for operand in path.last.operands {
      if case .path(let steps) = operand.completion { lines += followingWords(steps, path) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Looks for the first operand before the cursor, and goes down to the command that it names.
  private func walk(_ path: CommandPath<Invocation>) -> [String] {
    var lines = ["  integer at=2", "  while (( at < CURRENT )); do", "    case ${words[at]} in"]
    let spellings = path.spellingsBeforeValue
    if !spellings.isEmpty {
      lines.append("      (\(spellings.joined(separator: "|"))) (( at += 2 )) ;;")
    }
    lines += [
      "      (--) break ;;", "      (-?*) (( at += 1 )) ;;", "      (*) break ;;", "    esac", "  done",
      "  if (( at < CURRENT )); then", "    case ${words[at]} in",
    ]
    for step in path.steps {
      lines.append("      (\(step.words.joined(separator: "|")))")
      lines.append("        shift $(( at - 1 )) words; (( CURRENT -= at - 1 ))")
      lines.append("        \(step.path.functionName); return ;;")
    }
    return lines + ["    esac", "  fi"]
  }

  private func commandList(of path: CommandPath<Invocation>) -> [String] {
    let entries = path.steps.map { step in
      "    " + ShellText.quote(step.path.last.name + ":" + ShellText.menuText(step.path.last.summary))
    }
    // Behind `--`, a word names no command.
    let start = ["", "\(path.functionName)_commands() {", "  (( ${words[(i)--]} < CURRENT )) && return 1"]
    return start + ["  local -a commands=("] + entries + ["  )", "  _describe command commands", "}"]
  }

  /// The function that offers words for the second operand, depending on the first.
  private func followingWords(_ steps: [CompletionStep], _ path: CommandPath<Invocation>) -> [String] {
    let cases = steps.compactMap { step in
      step.previous.map { "    (\($0)) compadd -- \(step.words.joined(separator: " ")) ;;" }
    }
    return ["", "\(path.functionName)_following() {", "  case ${line[1]} in"] + cases + ["  esac", "}"]
  }

  private func specifications(of flag: Flag<Invocation>) -> [String] {
    let text = "[" + Self.escape(ShellText.menuText(flag.summary)) + "]"
    let letter = flag.short.map { "-" + String(UnicodeScalar($0)) }
    var specifications: [String]
    switch flag.shape {
    case .none:
      specifications = (letter.map { [$0 + text] } ?? []) + ["--" + flag.name + text]
    case .required(let placeholder):
      let value = ":" + Self.escape(placeholder) + ":" + action(flag.completion)
      specifications = (letter.map { ["*" + $0 + "+" + text + value] } ?? []) + ["*--" + flag.name + "=" + text + value]
    case .optional(let placeholder):
      specifications = [
        "--" + flag.name + "=-" + text + "::" + Self.escape(placeholder) + ":" + action(flag.completion)
      ]
    }
    if let negation = flag.listedNegation {
      specifications.append(negation.spelling + "[" + Self.escape(ShellText.menuText(negation.summary)) + "]")
    }
    return specifications
  }

  private func operands(of path: CommandPath<Invocation>) -> [String] {
    let commands = path.steps.isEmpty ? [] : ["1:command:\(path.functionName)_commands"]
    let operands = path.last.operands.flatMap { operand in
      if case .path(let steps) = operand.completion {
        let first = steps.filter { $0.previous == nil }.flatMap(\.words)
        return ["1", "2"].map { place in
          place + ":" + Self.escape(operand.name) + ":"
            + (place == "1" ? action(.choices(first)) : " \(path.functionName)_following")
        }
      }
      return [
        (operand.count.repeats ? "*:" : ":") + Self.escape(operand.name) + ":" + operandAction(operand.completion)
      ]
    }
    return commands + operands
  }

  private func operandAction(_ completion: ValueCompletion) -> String {
    // An operand without completion must not show what is expected either: zsh would then not insert an option in its
    // place.
    completion == .none ? "{false}" : action(completion)
  }

  private func action(_ completion: ValueCompletion) -> String {
    switch completion {
    // A space is the action that completes nothing.
    case .none, .path: " "
    case .file: "_files"
    case .fileBehindAt: "{compset -P @ && _files}"
    case .directory: "_files -/"
    case .choices(let words), .examples(let words): "(" + words.joined(separator: " ") + ")"
    case .pairs(let names, let values): action(.choices(ValueCompletion.pairs(of: names, values)))
    // With a space before the function's name, zsh calls it with these words alone.
    case .output(let words): " \(root.functionName)_output " + words.joined(separator: " ")
    }
  }

  private static func escape(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
      if "\\[]:".contains(character) { escaped.append("\\") }
      escaped.append(character)
    }
  }
}
