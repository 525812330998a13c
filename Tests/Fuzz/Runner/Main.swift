import FuzzTargets
import Glibc
import TestSupport

// In a build with the fuzzer (`make fuzz`), the program's `main` is the fuzzer's, and this file defines the functions
// that it calls.

/// Returns the target that GARNER_FUZZ_TARGET names, and exits if there is none, because the fuzzer would go on without
/// one.
private func chosenTarget() -> FuzzTarget {
  let name = getenv("GARNER_FUZZ_TARGET").map { String(cString: $0) }
  guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
    say("GARNER_FUZZ_TARGET is none of: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
    exit(2)
  }
  return target
}

/// Prints the names of the targets, one a line, for `--list`.
private func listTargetsIfAsked() {
  guard CommandLine.arguments.contains("--list") else { return }
  for target in FuzzTarget.all { print(target.name) }
  exit(0)
}

private func say(_ text: String) {
  let line = Array("fuzz: \(text)\n".utf8)
  write(STDERR_FILENO, line, line.count)
}

#if FUZZING
  private let target = chosenTarget()

  /// Inserts the target's limits before the typed options, because the last of equal options counts.
  @_cdecl("LLVMFuzzerInitialize")
  public func initialize(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
  ) -> Int32 {
    listTargetsIfAsked()
    let limits = ["-max_len=\(target.longestInput)", "-malloc_limit_mb=\(target.largestAllocation)"]
    let typed = (0..<Int(count.pointee)).map { arguments.pointee[$0] }
    let all = typed.prefix(1) + limits.map { strdup($0) } + typed.dropFirst()
    let copy = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: all.count + 1)
    for (index, argument) in all.enumerated() { copy[index] = argument }
    copy[all.count] = nil
    arguments.pointee = copy
    count.pointee = Int32(all.count)
    return 0
  }

  @_cdecl("LLVMFuzzerTestOneInput")
  public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do throws(Violation) {
      try target.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
    } catch {
      say("\(target.name): \(error)")
      abort()
    }
    return 0
  }
#else
  /// Without the fuzzer, checks files one by one, for use in a debugger: `GARNER_FUZZ_TARGET=NAME fuzz FILE...`.
  @main
  struct Main {
    static func main() throws {
      listTargetsIfAsked()
      let target = chosenTarget()
      for path in CommandLine.arguments.dropFirst() {
        let input = try readFile(path)
        do throws(Violation) {
          try target.check(input)
        } catch {
          say("\(path): \(error)")
          exit(1)
        }
      }
    }
  }
#endif
