import FlagTable
import Foundation
import Testing

@Suite("Completion scripts are made from the table")
struct CompletionTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let line: [String]
    let offered: [String]

    init(_ rule: String, _ line: [String], _ offered: [String]) {
      self.testDescription = rule
      self.line = line
      self.offered = offered
    }
  }

  static let rows: [Row] = [
    Row("long options", ["toy", "--o"], ["--offline", "--output"]),
    Row("visible negations", ["toy", "--no"], ["--no-location"]),
    Row("the words of a value as the next argument", ["toy", "--color", "a"], ["always", "auto"]),
    Row("the words of a value after an equals sign", ["toy", "--color=al"], ["always"]),
    Row("the words of an empty value after an equals sign", ["toy", "--color="], ["always", "auto"]),
    Row("the words of an optional value", ["toy", "--offline="], ["strict"]),
    Row("files after an at sign", ["toy", "-H", "@/etc/hostn"], ["@/etc/hostname"]),
    Row("files after an at sign in one word", ["toy", "--header=@/etc/hostn"], ["@/etc/hostname"]),
    Row("command words", ["toy", "s"], ["say", "store"]),
    Row("command words after a common flag and its value", ["toy", "--color", "auto", "st"], ["store"]),
    Row("command words after a value that looks like a command", ["toy", "-o", "store", "sa"], ["say"]),
    Row("command words of a command", ["toy", "store", ""], ["find", "ls", "show"]),
    Row("no command word after an operand", ["toy", "http://a/", "s"], []),
    Row("no command word after two dashes", ["toy", "--", "x", "s"], []),
    Row("options of a command", ["toy", "store", "ls", "--"], ["--color", "--help", "--json", "--verbose"]),
    Row("options of a command under its alias", ["toy", "store", "list", "--j"], ["--json"]),
    Row("words of an operand", ["toy", "say", "y"], ["yes"]),
    Row("files as a value", ["toy", "-o", "/etc/hostn"], ["/etc/hostname"]),
    Row("files as a value after a bundle", ["toy", "-so", "/etc/hostn"], ["/etc/hostname"]),
    Row("nothing if the value is attached", ["toy", "-ox", "/etc/hostn"], []),
    Row("files as an operand", ["toy", "store", "show", "/etc/hostn"], ["/etc/hostname"]),
    Row("nothing for a value without words", ["toy", "-H", "s"], []),
    Row("no option after two dashes", ["toy", "--", "--o"], []),
    Row("no command word directly after two dashes", ["toy", "--", "s"], []),
    Row("the first of two words", ["toy", "tell", "s"], ["say", "store"]),
    Row("the second of two words, depending on the first", ["toy", "tell", "store", "l"], ["ls"]),
    Row("no second word after another first word", ["toy", "tell", "say", "l"], []),
    Row("no third word", ["toy", "tell", "store", "ls", "l"], []),
    Row("words after words in quotes", ["toy", "'store'", "\"l\"s", "--j"], ["--json"]),
  ]

  @Test("bash offers the words that may stand at the cursor", arguments: rows)
  func bash(_ row: Row) throws {
    #expect(try Self.offered(at: row.line.joined(separator: " ")) == row.offered)
  }

  struct HostileRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The part of the word that has been typed, with its quotation mark.
    let typed: String
    let stored: String
    let offered: [String]
    var breaks = " \t\n\"'@><=;|&(:"

    init(_ rule: String, _ typed: String, _ stored: String, _ offered: String..., breaks: String? = nil) {
      (testDescription, self.typed, self.stored, self.offered) = (rule, typed, stored, offered)
      if let breaks { self.breaks = breaks }
    }
  }

  static let hostileRows: [HostileRow] = [
    HostileRow("unquoted", "a", "a$(b)&'c", #"a\$\(b\)\&\'c"#),
    HostileRow("unquoted, behind a colon", "a:b", "a:b$(c)", #"b\$\(c\)"#),
    HostileRow("unquoted, directly behind a colon", "a:", "a:$(c)", #"\$\(c\)"#),
    HostileRow("unquoted, behind an at sign", "a@b", "a@b$(c)", #"@b\$\(c\)"#),
    HostileRow("unquoted, behind an escaped part", #"a\$\("#, "a$(b:", #"a\$\(b:"#),
    HostileRow("in single quotes", "'a", "a$(b)&'c\\", #"a$(b)&'\''c\"#),
    HostileRow("in single quotes, behind a backslash", #"'a\"#, #"a\b:c"#, #"a\b:c"#),
    HostileRow("in double quotes", #""a"#, #"a$(b)`c`"d\e&'f"#, #"a\$(b)\`c\`\"d\\e&'f"#),
    HostileRow("in double quotes, with a history character", #""a"#, "a!b", #"a"'!'"b"#),
    HostileRow("in double quotes, with a double quote in the word", #""a"#, #"a""#, #"a\"""#),
    HostileRow("in single quotes, with a single quote in the word", "'a", "a'", #"a'\'''"#),
    HostileRow("in double quotes, behind an escaped part", #""a\$"#, "a$(b)", #"a\$(b)"#),
    HostileRow("in double quotes, behind a space", #""a b"#, "a b$(c)", #"a b\$(c)"#),
    HostileRow("in double quotes that open within the word", #"a:"b"#, "a:b$(c)", #"b\$(c)"#),
    HostileRow("a value in double quotes", #"--key="a"#, "a$(b)", #"a\$(b)"#),
    HostileRow("a value, if the equals sign does not break words", "--key=a", "a$(b)", #"--key=a\$\(b\)"#, breaks: " "),
    HostileRow(
      "a value in single quotes, if the equals sign breaks no words", "--key='a", "a$(b)", "a$(b)", breaks: " "),
    HostileRow("a value that contains an equals sign", "--key=a=b", "a=b$(c)", #"b\$\(c\)"#),
    HostileRow("nothing after closed quotes", #""a":b"#, "a:b$(c)"),
    HostileRow("nothing in quotes that open a second time", #""a"'b"#, "ab$(c)"),
    HostileRow("nothing in quotes of another kind", "$'a", "$a$(c)"),
  ]

  @Test("bash quotes the words that it offers, so that no part of them is executed", arguments: hostileRows)
  func hostile(_ row: HostileRow) throws {
    // The program prints the stored word if that begins with what has been typed.
    let program = "toy() { [[ $STORED != \"$4\"* ]] || printf '%s\\n' \"$STORED\"; }\n"
    let line = "toy store find \(row.typed)"
    let offered = try Self.offered(
      at: line, after: program, in: ["STORED": row.stored, "BREAKS": row.breaks])
    #expect(offered == row.offered)
  }

  /// `offered` holds the options that the program gets before the words that ask it for completions.
  static let handedOnRows: [Row] = [
    Row("nothing if there is no option", ["toy", "store", "find"], []),
    Row("one option before the command", ["toy", "--color", "auto", "store", "find"], ["--color", "auto"]),
    Row("one option after the command", ["toy", "store", "find", "--color", "auto"], ["--color", "auto"]),
    Row("one option with its value in one word", ["toy", "store", "find", "--color=auto"], ["--color=auto"]),
    Row(
      "all options, in the order of the line", ["toy", "-v", "store", "--color=a", "find", "--verbose"],
      ["-v", "--color=a", "--verbose"]),
    Row("letters of a bundle", ["toy", "store", "find", "-vv"], ["-v", "-v"]),
    Row("a value in quotes", ["toy", "--color", #"'a b'\ "c""#, "store", "find"], ["--color", "a b c"]),
    Row("a value in quotes, in one word", ["toy", #"--color="a b""#, "store", "find"], ["--color=a b"]),
    Row("a value with a tilde", ["toy", "--color", #"~/a\ b"#, "store", "find"], ["--color", "/home dir/a b"]),
    Row("a tilde alone", ["toy", "--color", "~", "store", "find"], ["--color", "/home dir"]),
    Row("another user's tilde", ["toy", "--color", "~root/a", "store", "find"], ["--color", "/root/a"]),
    Row("an unknown user's tilde", ["toy", "--color", "~no.body/a", "store", "find"], ["--color", "~no.body/a"]),
    Row("a tilde in quotes", ["toy", "--color", "'~/a'", "store", "find"], ["--color", "~/a"]),
    Row("a tilde behind a backslash", ["toy", "--color", #"\~/a"#, "store", "find"], ["--color", "~/a"]),
    Row("a tilde before a quoted part", ["toy", "--color", "~'/a'", "store", "find"], ["--color", "~/a"]),
    Row("a tilde within a word", ["toy", "--color=~/a", "store", "find"], ["--color=~/a"]),
    Row("a command substitution, unexpanded", ["toy", "--color", "$(exit)", "store", "find"], ["--color", "$(exit)"]),
    Row("no option that only the command has", ["toy", "-o", "x", "store", "find"], []),
    Row("no value that looks like an option", ["toy", "store", "find", "--key", "--color"], []),
    Row("no option after two dashes", ["toy", "store", "find", "--", "--color=auto"], []),
    Row("no option that asks for help", ["toy", "--help", "store", "find", "-h"], []),
  ]

  @Test("bash passes the common options of the line on to the program that completes", arguments: handedOnRows)
  func handedOn(_ row: Row) throws {
    let program = "exec 3>&1; toy() { printf '%s|' \"$@\" >&3; }\n"
    let given = try Self.offered(
      at: (row.line + ["a"]).joined(separator: " "), after: program, in: ["HOME": "/home dir"])
    #expect(given == [(row.offered + ["list", "words", "--", "a"]).map { $0 + "|" }.joined()])
  }

  /// The sorted completions that bash offers for the line.
  static func offered(at line: String, after setup: String = "", in environment: [String: String] = [:]) throws
    -> [String]
  {
    let script =
      setup + BashCompletion(of: Toy.table).script
      + "COMP_WORDBREAKS=${BREAKS:-$' \\t\\n\"\\'@><=;|&(:'}; COMP_POINT=${#COMP_LINE}; _toy\n"
      + "printf '%s\\n' \"${COMPREPLY[@]}\"\n"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["--norc", "-u", "-c", script]
    process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "COMP_LINE": line].merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init).sorted()
  }

  @Test(
    "The zsh script has the commands, options and values",
    arguments: [
      "#compdef toy\n",
      "'*-o+[Write to FILE]:FILE:_files'",
      "'*--color=[Colour it]:WHEN:(auto always)'",
      #"'--offline=-[Stay \[off\] line]::MODE:(strict)'"#,
      "'--no-location[Stay]'",
      "(ls|list)\n        shift $(( at - 1 )) words; (( CURRENT -= at - 1 ))\n        _toy_store_ls; return ;;",
      "'*:PATTERN:{false}'",
      "_toy() {\n  local -a typed=(\"${(@)words[2,CURRENT-1]}\")\n",
      "      (--color)\n        common+=(\"$word\")\n",
      "      ((--color|-v|--verbose)(|=*)) common+=(\"$word\") ;;\n",
      "            (o|H|m) break ;;\n            (v) common+=(-$letter) ;;\n",
      "':PLACE:_files -/'",
      "'*--header=[Send LINE]:LINE:{compset -P @ && _files}'",
      "'1:WORD:(store say)'",
      "'2:WORD: _toy_tell_following'",
      "_toy_tell_following() {\n  case ${line[1]} in\n    (store) compadd -- ls show ;;\n  esac\n}\n",
      "'1:command:_toy_commands'",
      "_toy_commands() {\n  (( ${words[(i)--]} < CURRENT )) && return 1\n  local -a commands=(\n",
      "if [ \"$funcstack[1]\" = _toy ]; then\n  _toy \"$@\"\nelse\n  compdef _toy toy\nfi\n",
    ])
  func zsh(_ passage: String) {
    #expect(ZshCompletion(of: Toy.table).script.contains(passage))
  }

  @Test(
    "The fish script has the commands, options and values",
    arguments: [
      "complete -c toy -n '__toy_at toy' -s 'o' -l output -r -F -d 'Write to FILE'",
      "complete -c toy -n '__toy_at toy store ls' -s 'j' -l json -d 'Print JSON'",
      "complete -c toy -n '__toy_at toy' -l color -r -f -a 'auto always' -d 'Colour it'",
      "complete -c toy -n '__toy_at toy' -l no-location -d 'Stay'",
      "complete -c toy -n '__toy_first toy store' -a ls -d 'List the store'",
      "complete -c toy -n '__toy_at toy say' -f -a 'yes no'",
      "            contains -- $pending --color\n            and set -a common $pending (__toy_expanded $word)",
      "                    contains -- (string split -f 1 = -- $word) --color -v --verbose",
      "                    string match -q -r -- '^-[^-oHm]*v' $word\n                    and set -a common -v",
      "    test \"$state[1]\" = \"$argv\" -a \"$state[2]\" = 0 -a \"$state[3]\" = no\nend",
      "complete -c toy -n '__toy_first toy tell' -f -a 'store say'",
      "complete -c toy -n '__toy_at toy tell; and test (commandline -opc)[-1] = store' -f -a 'ls show'",
      "complete -c toy -n '__toy_at toy' -s 'H' -l header -r -f -a '(__toy_behind_at)' -d 'Send LINE'",
    ])
  func fish(_ line: String) {
    #expect(FishCompletion(of: Toy.table).script.contains(line + "\n"))
  }

  @Test("No completion script mentions hidden commands")
  func hidden() {
    for script in [
      BashCompletion(of: Toy.table).script, ZshCompletion(of: Toy.table).script, FishCompletion(of: Toy.table).script,
    ] {
      #expect(!script.contains("wipe"))
    }
  }
}
