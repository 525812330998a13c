import FlagTable
import Foundation
import Testing

@Suite("Completions are printed from the table")
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
    Row("negations that are told of", ["toy", "--no"], ["--no-location"]),
    Row("the words of a value", ["toy", "--color", "a"], ["always", "auto"]),
    Row("the words of a value behind a broken-out equals sign", ["toy", "--color", "=", "al"], ["always"]),
    Row("the words of a value directly behind the equals sign", ["toy", "--color", "="], ["always", "auto"]),
    Row("the words of a value in one word", ["toy", "--color=al"], ["--color=always"]),
    Row("the words of an optional value", ["toy", "--offline", "=", ""], ["strict"]),
    Row("command words", ["toy", "s"], ["say", "store"]),
    Row("command words behind a common flag and its value", ["toy", "--color", "auto", "st"], ["store"]),
    Row("command words behind a value that is none", ["toy", "-o", "store", "sa"], ["say"]),
    Row("command words of a command", ["toy", "store", ""], ["ls", "show"]),
    Row("no command word behind an operand", ["toy", "http://a/", "s"], []),
    Row("no command word behind two dashes", ["toy", "--", "x", "s"], []),
    Row("options of a command", ["toy", "store", "ls", "--"], ["--color", "--help", "--json", "--verbose"]),
    Row("options of a command under its alias", ["toy", "store", "list", "--j"], ["--json"]),
    Row("words of an operand", ["toy", "say", "y"], ["yes"]),
    Row("files as a value", ["toy", "-o", "/etc/hostn"], ["/etc/hostname"]),
    Row("files as a value behind a bundle", ["toy", "-so", "/etc/hostn"], ["/etc/hostname"]),
    Row("nothing where a value is attached", ["toy", "-ox", "/etc/hostn"], []),
    Row("files as an operand", ["toy", "store", "show", "/etc/hostn"], ["/etc/hostname"]),
    Row("nothing for a value without words", ["toy", "-H", "s"], []),
    Row("no option behind two dashes", ["toy", "--", "--o"], []),
  ]

  @Test("bash offers", arguments: rows)
  func bash(_ row: Row) throws {
    let words = row.line.map { "'" + $0 + "'" }.joined(separator: " ")
    let script =
      BashCompletion(of: Toy.table).script
      + "COMP_WORDS=(\(words)); COMP_CWORD=\(row.line.count - 1); _toy; printf '%s\\n' \"${COMPREPLY[@]}\"\n"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["--norc", "-u", "-c", script]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let offered = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    #expect(offered.sorted() == row.offered)
  }

  @Test(
    "zsh is told",
    arguments: [
      "#compdef toy\n",
      "'*-o+[Write to FILE]:FILE:_files'",
      "'*--color=[Colour it]:WHEN:(auto always)'",
      #"'--offline=-[Stay \[off\] line]::MODE:(strict)'"#,
      "'--no-location[Stay]'",
      "(ls|list)\n        shift $(( at - 1 )) words; (( CURRENT -= at - 1 ))\n        _toy_store_ls; return ;;",
      "'*:PATTERN: '",
      "':PLACE:_files -/'",
      "'1:command:_toy_commands'",
      "if [ \"$funcstack[1]\" = _toy ]; then\n  _toy \"$@\"\nelse\n  compdef _toy toy\nfi\n",
    ])
  func zsh(_ passage: String) {
    #expect(ZshCompletion(of: Toy.table).script.contains(passage))
  }

  @Test(
    "fish is told",
    arguments: [
      "complete -c toy -n '__toy_at toy' -s 'o' -l output -r -F -d 'Write to FILE'",
      "complete -c toy -n '__toy_at toy store ls' -s 'j' -l json -d 'Print JSON'",
      "complete -c toy -n '__toy_at toy' -l color -r -f -a 'auto always' -d 'Colour it'",
      "complete -c toy -n '__toy_at toy' -l no-location -d 'Stay'",
      "complete -c toy -n '__toy_first toy store' -a ls -d 'List the store'",
      "complete -c toy -n '__toy_at toy say' -f -a 'yes no'",
    ])
  func fish(_ line: String) {
    #expect(FishCompletion(of: Toy.table).script.contains(line + "\n"))
  }

  @Test("No completion tells of what is hidden")
  func hidden() {
    for script in [
      BashCompletion(of: Toy.table).script, ZshCompletion(of: Toy.table).script, FishCompletion(of: Toy.table).script,
    ] {
      #expect(!script.contains("hidden"))
      #expect(!script.contains("wipe"))
    }
  }
}
