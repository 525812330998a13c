import Platform
import TestSupport
import Testing

@Suite("Running commands with sh")
struct ShellCommandTests {
  private func run(
    _ text: String, input: String = "", environment: [String] = [], milliseconds: UInt64 = 60_000,
    shouldStop: () -> Bool = { false }
  ) throws -> ShellCommand.Outcome {
    let command = ShellCommand(
      Array(text.utf8), environment: environment.map { Array($0.utf8) }, timeLimitMilliseconds: milliseconds)
    return try command.run(input: Array(input.utf8), shouldStop: shouldStop)
  }

  @Test("Input, output, errors and environment are passed through")
  func through() throws {
    let outcome = try run("cat; echo $NAME; echo bad >&2; exit 7", input: "text\n", environment: ["NAME=a b"])
    #expect(outcome.ending == .ended(.exit(7)))
    #expect(String(decoding: outcome.output, as: UTF8.self) == "text\na b\n")
    #expect(String(decoding: outcome.errors, as: UTF8.self) == "bad\n")
  }

  @Test("A command may leave its input unread, or close its output early")
  func unread() throws {
    let long = String(repeating: "x", count: 300_000)
    #expect(try run("exec >&- 2>&-; exit 0", input: long).ending == .ended(.exit(0)))
    #expect(try run("exec >&- 2>&-; wc -c > /dev/null", input: "x").ending == .ended(.exit(0)))
  }

  @Test("A command has default actions for signals that this process ignores")
  func signals() throws {
    #expect(try run("kill -PIPE $$").ending == .ended(.signal(13)))
    #expect(try run("kill -INT $$").ending == .ended(.signal(2)))
  }

  @Test(
    "A command that exceeds its time limit is ended with its children",
    arguments: ["sleep 1000", "trap '' TERM; sleep 1000"])
  func timedOut(_ text: String) throws {
    #expect(try run(text, milliseconds: 50).ending == .timedOut)
  }

  @Test("A command is interrupted as by ^C when this process has to end")
  func stopped() throws {
    let directory = try TemporaryDirectory()
    let text =
      "trap 'echo tidied > \(directory.path("note")); exit' INT; echo > \(directory.path("begun")); sleep 1000 & wait"
    let isBegun = { !namesInDirectory(directory.path).isEmpty }
    #expect(try run(text, shouldStop: isBegun).ending == .stopped)
    #expect(namesInDirectory(directory.path) == ["begun", "note"])
  }

  @Test("Output is limited, and error output is cut off")
  func bounded() throws {
    #expect(try run("yes").ending == .tooMuchOutput)
    let outcome = try run("head -c 100000 /dev/zero >&2")
    #expect(outcome.ending == .ended(.exit(0)) && outcome.errors.count == 16_384)
  }

  @Test("A finished command leaves no zombie")
  func zombies() throws {
    let outcome = try run("echo $$")
    let number = String(decoding: outcome.output, as: UTF8.self).filter(\.isNumber)
    #expect(namesInDirectory("/proc/\(number)").isEmpty)
  }
}
