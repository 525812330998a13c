import Glibc
import TestSupport

/// What can be seen of a run from outside.
struct Outcome: Equatable {
  let ending: ToolResult.Ending
  let output: [UInt8]
  /// What `@out` has become; `nil` where it is not there.
  let file: [UInt8]?
  /// What it says beside warnings.
  let messages: [Substring]
  let warnings: [Substring]

  init(_ result: ToolResult, in sandbox: Sandbox) {
    ending = result.ending
    output = result.stdout
    file = try? readFile(sandbox.output)
    (warnings, messages) = Self.sorted(result.errorText.split(separator: "\n"))
  }

  /// A hint belongs to what it follows: the warning has it among its own text.
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

  /// Whether nobody but a reader of warnings could tell them apart.
  func isLike(_ other: Outcome) -> Bool {
    ending == other.ending && output == other.output && file == other.file && messages == other.messages
  }

  /// What somebody saw until the process was killed.
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
