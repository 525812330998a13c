/// The completion script of a command for bash. It needs no other script.
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
      function("is_common", "Whether the option $1 counts for what completes the line, too.", common),
      function("options", "The options of the command $1.", options),
      function("complete_value", "The values of the option $2 of the command $1 that begin with $3.", values),
      function("complete_operand", "The operands of the command $1 that begin with $2; $3 precede, $4 last.", operands),
    ]
    return "# bash completion of \(name), printed from its table of flags\n\n"
      + Self.offering.replacingName(with: name)
      + Self.quotation.replacingName(with: name)
      + Self.reading.replacingName(with: name)
      + table.joined()
      + Self.walk.replacingName(with: name)
      + "complete -F _\(name) \(name)\n"
  }

  private func function(_ suffix: String, _ remark: String, _ cases: [String]) -> String {
    let subject = ["is_common", "options", "complete_operand"].contains(suffix) ? "$1" : "$1:$2"
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
        pattern(path, step.words) + " REPLY=" + ShellText.quote(step.path.words) + " ;;"
      }
    }
  }

  private var valueOptions: [String] {
    root.withDescendants.compactMap { path in
      let spellings = path.spellingsBeforeValue
      return spellings.isEmpty ? nil : pattern(path, spellings) + " return 0 ;;"
    }
  }

  private var common: [String] {
    let spellings = root.commonOptions.spellings
    return spellings.isEmpty ? [] : [spellings.joined(separator: "|") + ") return 0 ;;"]
  }

  private var options: [String] {
    root.withDescendants.map { path in
      let words = path.flags.flatMap { flag in
        ["--" + flag.name] + (flag.listedNegation.map { [$0.spelling] } ?? [])
      }
      return ShellText.quote(path.words) + ") REPLY=" + ShellText.quote(words.joined(separator: " ")) + " ;;"
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
      let words = commands.isEmpty ? nil : "[[ $3 != 0 || $5 ]] || " + (offer(.choices(commands), prefix: "$2") ?? "")
      let operands = path.last.operands
      let offers = operands.indices.map { index in
        offer(operands[index].completion, prefix: "$2").map { offer in
          if operands.count == 1 { return offer }
          return "[[ $3 \(operands[index].count.repeats ? "-lt" : "!=") \(index) ]] || \(offer)"
        }
      }
      let known = ([words] + offers).compactMap { $0 }
      guard !known.isEmpty else { return nil }
      return ShellText.quote(path.words) + ") " + known.joined(separator: "; ") + " ;;"
    }
  }

  private func pattern(_ path: CommandPath<Invocation>, _ words: [String]) -> String {
    words.map { ShellText.quote(path.words + ":" + $0) }.joined(separator: "|") + ")"
  }

  private func offer(_ completion: ValueCompletion, prefix: String) -> String? {
    let name = root.functionName
    return switch completion {
    case .none: nil
    case .file: "\(name)_names \"\(prefix)\" -f"
    case .fileBehindAt: "\(name)_behind_at \"\(prefix)\""
    case .directory: "\(name)_names \"\(prefix)\" -d"
    case .choices(let words), .examples(let words): offer(words, prefix)
    case .pairs(let names, let values): offer(ValueCompletion.pairs(of: names, values), prefix)
    case .path(let steps):
      "case \"$3:$4\" in "
        + steps.map { step in
          (step.previous.map { "1:" + ShellText.quote($0) } ?? "0:*") + ") " + offer(step.words, prefix) + " ;; "
        }.joined() + "esac"
    case .output(let words): "\(name)_output \"\(prefix)\" \(words.joined(separator: " "))"
    }
  }

  private func offer(_ words: [String], _ prefix: String) -> String {
    "\(root.functionName)_offer \"\(prefix)\" -W \(ShellText.quote(words.joined(separator: " ")))"
  }

  private static var offering: String {
    #"""
    # Offers what compgen finds for the prefix $1 and the options $2 and on.
    _NAME_offer() {
      local word
      while IFS= read -r word; do
        COMPREPLY+=("$word")
      done < <(IFS=$' \t\n'; compgen "${@:2}" -- "$1")
    }

    # As above, where it finds names of files, which Readline puts into quotes.
    _NAME_names() {
      compopt -o filenames 2>/dev/null
      names=1
      _NAME_offer "$@"
    }

    # Offers the files whose names stand behind @ in $1.
    _NAME_behind_at() {
      [[ $1 != @* ]] || _NAME_names "${1#@}" -f -P @
    }

    # Offers the lines that NAME prints for the words $2 and on, and for what has been typed, which is $1. It is called
    # with the options of the line that count for it, too.
    _NAME_output() {
      local word
      while IFS= read -r word; do
        COMPREPLY+=("$word")
      done < <("${call[@]}" "${@:2}" -- "$1" </dev/null 2>/dev/null)
    }


    """#
  }

  /// The function that quotes what is offered. Some of it comes from origins, and it becomes part of a command line.
  private static var quotation: String {
    #"""
    # Puts $1 into REPLY so that it stands for itself behind the quotation mark $2, or without one.
    _NAME_quote() {
      local letter
      local -i i
      if [[ ! $2 ]]; then
        printf -v REPLY %q "$1"
        return
      fi
      REPLY=
      for ((i = 0; i < ${#1}; i++)); do
        letter=${1:i:1}
        case $2$letter in
          \'\') letter="'\''" ;;
          # A backslash before it would stay; within single quotation marks it is not looked up in the history.
          \"!) letter="\"'!'\"" ;;
          \"[\\\$\`\"]) letter=\\$letter ;;
        esac
        REPLY+=$letter
      done
      # Readline takes a mark at the end for the one that closes, and adds none.
      [[ $REPLY != *"$2" ]] || REPLY+=$2
    }


    """#
  }

  /// The function that reads the line as Readline does. Readline replaces what follows an open quotation mark, or else
  /// what follows the last of the characters at which it breaks words, such as the colon of a URL.
  private static var reading: String {
    #"""
    # Reads the line up to the cursor into words, without their quotation; the last is being typed, and those before it
    # have a home for a tilde. Sets before to what of the last stays as it is, and quote to the mark that is open. Fails
    # where it is quoted in a way of its own.
    _NAME_read() {
      local line=${COMP_LINE:0:COMP_POINT} typed= letter is_odd= has_begun= tilde= home=
      local -i i
      for ((i = 0; i < ${#line}; i++)); do
        letter=${line:i:1}
        if [[ $letter == [[:space:]] && ! $quote ]]; then
          [[ ! $has_begun ]] || words+=("$home${typed#"$tilde"}")
          typed= before= is_odd= has_begun= tilde= home=
          continue
        fi
        if [[ ! $has_begun && ${line:i} =~ ^~[[:alnum:]._+-]*[/[:space:]] ]]; then
          tilde=${BASH_REMATCH[0]%?}
          # There is nothing else in it than a name.
          eval "home=$tilde"
        fi
        has_begun=1
        if [[ $letter == "$quote" ]]; then
          quote= is_odd=1
        elif [[ $letter == \\ && $quote != \' ]]; then
          i+=1
          letter=${line:i:1}
          [[ ! $quote || $letter == [\\\$\`\"] ]] || typed+=\\
          typed+=$letter
        elif [[ $letter == [\'\"] && ! $quote ]]; then
          [[ $typed != *\$ ]] || is_odd=1
          quote=$letter before=$typed
        else
          typed+=$letter
          # An at sign begins a word, where it breaks one.
          [[ $quote || $COMP_WORDBREAKS != *"$letter"* ]] || before=${typed%@}
        fi
      done
      words+=("$typed")
      [[ ! $is_odd ]]
    }


    """#
  }

  private static var walk: String {
    #"""
    _NAME() {
      local current command=NAME pending= ended= previous= lead= names= quote= before= word option i letter
      local -a words=() call=(NAME)
      local -i operands=0
      local REPLY=
      COMPREPLY=()
      _NAME_read || return 0
      current=${words[${#words[@]} - 1]}

      for ((i = 1; i < ${#words[@]} - 1; i++)); do
        word=${words[i]}
        if [[ $pending ]]; then
          ! _NAME_is_common "$pending" || call+=("$pending" "$word")
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
          if _NAME_takes_value "$command" "$word"; then
            pending=$word
          elif _NAME_is_common "${word%%=*}"; then
            call+=("$word")
          fi
        else
          for ((letter = 1; letter < ${#word}; letter++)); do
            option=-${word:letter:1}
            if _NAME_takes_value "$command" "$option"; then
              ((letter + 1 < ${#word})) || pending=$option
              break
            fi
            ! _NAME_is_common "$option" || call+=("$option")
          done
        fi
        previous=$word
      done

      if [[ $pending ]]; then
        _NAME_complete_value "$command" "$pending" "$current"
      elif [[ $current == --*=* && ! $ended ]]; then
        lead=${current%%=*}=
        _NAME_complete_value "$command" "${current%%=*}" "${current#*=}"
      elif [[ $current == -* && ! $ended ]]; then
        _NAME_options "$command" && _NAME_offer "$current" -o default -W "$REPLY"
      else
        _NAME_complete_operand "$command" "$current" "$operands" "$previous" "$ended"
      fi
      for i in "${!COMPREPLY[@]}"; do
        REPLY=$lead${COMPREPLY[i]}
        REPLY=${REPLY#"$before"}
        [[ $names ]] || _NAME_quote "$REPLY" "$quote"
        COMPREPLY[i]=$REPLY
      done
      return 0
    }


    """#
  }
}

extension String {
  /// Returns the script with each `NAME` replaced by the program's name.
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
