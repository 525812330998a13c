/// The completion of a command for bash, which needs no other script.
package struct BashCompletion<Invocation> {
  private let root: CommandPath<Invocation>

  package init(of root: Command<Invocation>) {
    self.root = CommandPath(root)
  }

  package var script: String {
    let name = root.last.name
    let table = [
      function("descend", "The command that the word $2 chooses below the command $1.", descents),
      function("takes_value", "Whether the option $2 of the command $1 takes the next word.", valueOptions),
      function("options", "The options of the command $1.", options),
      function("complete_value", "The values of the option $2 of the command $1 that begin with $3.", values),
      function("complete_operand", "The operands of the command $1 that begin with $2; $3 precede it.", operands),
    ]
    return "# bash completion of \(name), printed from its table of flags\n\n"
      + Self.offering.replacingName(with: name)
      + Self.output.replacingName(with: name)
      + table.joined()
      + Self.walk.replacingName(with: name)
      + "complete -F _\(name) \(name)\n"
  }

  private func function(_ suffix: String, _ remark: String, _ cases: [String]) -> String {
    let subject = suffix == "options" || suffix == "complete_operand" ? "$1" : "$1:$2"
    return """
      # \(remark)
      \(root.functionName)_\(suffix)() {
        case "\(subject)" in
      \(cases.map { "    " + $0 }.joined(separator: "\n"))
          *) return 1 ;;
        esac
      }


      """
  }

  private var descents: [String] {
    root.withDescendants.flatMap { path in
      path.steps.map { step in
        pattern(path, step.words) + " REPLY=" + Shell.quote(step.path.words) + " ;;"
      }
    }
  }

  private var valueOptions: [String] {
    root.withDescendants.compactMap { path in
      let spellings = path.spellingsBeforeValue
      return spellings.isEmpty ? nil : pattern(path, spellings) + " return 0 ;;"
    }
  }

  private var options: [String] {
    root.withDescendants.map { path in
      let words = path.visibleFlags.flatMap { flag in
        ["--" + flag.name] + (flag.listedNegation.map { [$0.spelling] } ?? [])
      }
      return Shell.quote(path.words) + ") REPLY=" + Shell.quote(words.joined(separator: " ")) + " ;;"
    }
  }

  private var values: [String] {
    root.withDescendants.flatMap { path in
      path.flags.compactMap { flag in
        offer(flag.completion, prefix: "$3").map { pattern(path, flag.spellings) + " " + $0 + " ;;" }
      }
    }
  }

  private var operands: [String] {
    root.withDescendants.compactMap { path in
      let commands = path.last.visibleSubcommands.map(\.name)
      let words = commands.isEmpty ? nil : "[[ $3 != 0 ]] || " + (offer(.choices(commands), prefix: "$2") ?? "")
      let offers = [words] + path.last.operands.map { offer($0.completion, prefix: "$2") }
      let known = offers.compactMap { $0 }
      guard !known.isEmpty else { return nil }
      return Shell.quote(path.words) + ") " + known.joined(separator: "; ") + " ;;"
    }
  }

  private func pattern(_ path: CommandPath<Invocation>, _ words: [String]) -> String {
    words.map { Shell.quote(path.words + ":" + $0) }.joined(separator: "|") + ")"
  }

  private func offer(_ completion: ValueCompletion, prefix: String) -> String? {
    let offer = "\(root.functionName)_offer"
    return switch completion {
    case .none: nil
    case .file: "\(offer) \"\(prefix)\" -o filenames -f"
    case .directory: "\(offer) \"\(prefix)\" -o filenames -d"
    case .choices(let words), .examples(let words):
      "\(offer) \"\(prefix)\" -o default -W \(Shell.quote(words.joined(separator: " ")))"
    case .output(let words): "\(root.functionName)_output \"\(prefix)\" \(words.joined(separator: " "))"
    }
  }

  private static var offering: String {
    #"""
    # Offers what compgen finds for the prefix $1; $2 and $3 are for compopt, the rest for compgen.
    _NAME_offer() {
      local prefix=$1 word
      [[ $3 == default ]] || compopt "$2" "$3" 2>/dev/null
      while IFS= read -r word; do
        COMPREPLY+=("$word")
      done < <(compgen "${@:4}" -- "$prefix")
    }


    """#
  }

  /// A URL is several words to bash, which replaces the last of them only: what is before that is taken off what is
  /// offered.
  private static var output: String {
    #"""
    # Offers the lines that NAME prints for the words $2 and on, and for what has been typed, which ends in $1.
    _NAME_output() {
      local current=$1 typed=${COMP_LINE:0:COMP_POINT} before word
      typed=${typed##*[[:space:]]}
      [[ $typed == --*=* ]] && typed=${typed#--*=}
      [[ $current == [:=] ]] && current=
      before=${typed%"$current"}
      if [[ $typed == [\'\"]* ]]; then
        typed=${typed:1} before=
      fi
      typed=${typed//\\/}
      while IFS= read -r word; do
        word=${word#"${before//\\/}"}
        [[ $current == [\'\"]* ]] || printf -v word %q "$word"
        COMPREPLY+=("$word")
      done < <(NAME "${@:2}" -- "$typed" 2>/dev/null)
    }


    """#
  }

  /// Bash breaks words at `=`, unless the user has taken it out of COMP_WORDBREAKS: both are understood.
  private static var walk: String {
    #"""
    _NAME() {
      local current=${COMP_WORDS[COMP_CWORD]} command=NAME pending= ended= previous= word i letter
      local -i operands=0
      local REPLY=
      COMPREPLY=()

      for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word == = && $previous == --* && ! $ended ]]; then
          pending=$previous
        elif [[ $pending ]]; then
          pending=
        elif [[ $ended || $word != -?* ]]; then
          if [[ ! $ended ]] && ((operands == 0)) && _NAME_descend "$command" "$word"; then
            command=$REPLY
          else
            operands+=1
          fi
        elif [[ $word == -- ]]; then
          ended=1
        elif [[ $word == --* ]]; then
          _NAME_takes_value "$command" "$word" && pending=$word
        else
          for ((letter = 1; letter < ${#word}; letter++)); do
            if _NAME_takes_value "$command" "-${word:letter:1}"; then
              ((letter + 1 < ${#word})) || pending=-${word:letter:1}
              break
            fi
          done
        fi
        previous=$word
      done

      if [[ $current == = && $previous == --* && ! $ended ]]; then
        _NAME_complete_value "$command" "$previous" ''
      elif [[ $pending ]]; then
        _NAME_complete_value "$command" "$pending" "$current"
      elif [[ $current == --*=* && ! $ended ]]; then
        _NAME_complete_value "$command" "${current%%=*}" "${current#*=}"
        COMPREPLY=("${COMPREPLY[@]/#/${current%%=*}=}")
      elif [[ $current == -* && ! $ended ]]; then
        _NAME_options "$command" && _NAME_offer "$current" -o default -W "$REPLY"
      else
        _NAME_complete_operand "$command" "$current" "$operands"
      fi
      return 0
    }


    """#
  }
}

extension String {
  /// The script's `NAME` made the program's.
  fileprivate func replacingName(with name: String) -> String {
    let placeholder = "NAME"
    var result = ""
    var rest = self[...]
    while let first = rest.first {
      if rest.hasPrefix(placeholder) {
        result += name
        rest = rest.dropFirst(placeholder.count)
      } else {
        result.append(first)
        rest = rest.dropFirst()
      }
    }
    return result
  }
}
