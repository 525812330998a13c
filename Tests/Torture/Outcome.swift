import Glibc
import TestSupport

/// The visible outcome of a run.
struct Outcome: Equatable {
  let ending: ToolResult.Ending
  let output: [UInt8]
  /// The content of the file that `@out` stands for; `nil` if it does not exist.
  let file: [UInt8]?
  /// The lines of standard error that are not warnings.
  let messages: [Substring]
  let warnings: [Substring]

  init(_ result: ToolResult, in sandbox: Sandbox) {
    ending = result.ending
    output = result.stdout
    file = try? readFile(sandbox.output)
    (warnings, messages) = Self.sorted(result.errorText.split(separator: "\n"))
  }

  /// Sorts lines of standard error. A hint belongs to the line before it: behind a warning it joins the warning's text.
  private static func sorted(_ lines: [Substring]) -> (warnings: [Substring], messages: [Substring]) {
    var (warnings, messages): ([Substring], [Substring]) = ([], [])
    var isBehindWarning = false
    for line in lines {
      if line.hasPrefix("hint: "), isBehindWarning {
        warnings[warnings.count - 1] += "\n      " + line
        continue
      }
      isBehindWarning = line.hasPrefix("garner: warning: ")
      if isBehindWarning { warnings.append(line) } else { messages.append(line) }
    }
    return (warnings, messages)
  }

  /// Whether two outcomes are equal but for their warnings.
  func isLike(_ other: Outcome) -> Bool {
    ending == other.ending && output == other.output && file == other.file && messages == other.messages
  }

  /// Whether this may be the outcome of a run that was killed before it could end like `other`.
  func isBeginning(of other: Outcome) -> Bool {
    other.output.starts(with: output) && (file == nil || file == other.file)
  }
}

extension Outcome: CustomStringConvertible {
  var description: String {
    let file = file.map { ", a file of \($0.count) bytes" } ?? ""
    let said = (warnings + messages).joined(separator: "\n      ")
    return "\(ending), \(output.count) bytes of output\(file)" + (said.isEmpty ? "" : "\n      " + said)
  }
}
