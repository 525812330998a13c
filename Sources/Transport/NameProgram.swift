import HTTPSemantics
import Platform

/// A program that is a part of garner and answers one question about host names. It is asked once for each name.
final class NameProgram: @unchecked Sendable {
  struct Unusable: Error {
    let reason: String
  }

  /// Keeps messages of the dynamic linker from being translated.
  private static let locale = "LC_ALL=C"
  /// Longer than any host name may be (RFC 1035 section 2.3.4), with room for what a library writes before the answer.
  private static let longestAnswer = 1 << 14
  /// The URLs of one run have few hosts.
  private static let maximumKnownNames = 64

  private let file: Path
  private let lock = Lock()
  // Guarded by the lock.
  private var known: [(name: [UInt8], answer: [UInt8]?)] = []

  init(_ file: Path) { self.file = file }

  /// Returns what the program writes about a name, between two NULs; `nil` if it ends with 1, which stands for no.
  func answer(to name: [UInt8]) throws(Unusable) -> [UInt8]? {
    lock.lock()
    defer { lock.unlock() }
    if let known = known.first(where: { $0.name == name }) { return known.answer }
    let answer = try ask(name)
    if known.count == Self.maximumKnownNames { known.removeFirst() }
    known.append((name, answer))
    return answer
  }

  private func ask(_ name: [UInt8]) throws(Unusable) -> [UInt8]? {
    let process: ChildProcess
    do throws(TransportError) {
      process = try InstalledProgram.start(
        InstalledProgram.find(file), argument: String(decoding: name, as: UTF8.self), variable: Self.locale)
    } catch {
      throw unusable(error.programFault)
    }
    let said: [UInt8]
    do throws(Errno) {
      said = try process.output.readBytes(limit: Self.longestAnswer)
    } catch {
      throw unusable("\(error)")
    }
    let ending = process.wait()
    switch ending {
    case .exit(0): return Self.answer(in: said)
    case .exit(1): return nil
    default:
      let text = InstalledProgram.lastLine(of: said)
      throw unusable(text.isEmpty ? ending.words : text)
    }
  }

  /// Returns what stands between two NULs. Around it, the dynamic linker and libraries that it loads in advance
  /// (LD_PRELOAD) may write what is meant for standard error.
  private static func answer(in said: [UInt8]) -> [UInt8] {
    let parts = said.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count == 3 ? Array(parts[1]) : []
  }

  private func unusable(_ reason: String) -> Unusable { Unusable(reason: "\(file) cannot be used: \(reason)") }
}
