import HTTPSemantics
import Platform

/// A program that is a part of garner, and knows one thing about names of hosts. It is asked once for each name.
final class NameProgram: @unchecked Sendable {
  struct Unusable: Error {
    let reason: String
  }

  /// So that what the dynamic linker has to say is in no language.
  private static let locale = "LC_ALL=C"
  /// More than a name may have (RFC 1035 section 2.3.4).
  private static let longestAnswer = 1 << 10
  /// The URLs of one run are of few hosts.
  private static let mostKnown = 64

  private let file: Path
  private let lock = Lock()
  // Under the lock.
  private var known: [(name: [UInt8], answer: [UInt8]?)] = []

  init(_ file: Path) { self.file = file }

  /// What it writes about a name; `nil` where it ends with 1, which stands for no.
  func answer(to name: [UInt8]) throws(Unusable) -> [UInt8]? {
    lock.lock()
    defer { lock.unlock() }
    if let known = known.first(where: { $0.name == name }) { return known.answer }
    let answer = try asked(name)
    if known.count == Self.mostKnown { known.removeFirst() }
    known.append((name, answer))
    return answer
  }

  private func asked(_ name: [UInt8]) throws(Unusable) -> [UInt8]? {
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
    case .exit(0): return said
    case .exit(1): return nil
    default:
      // What the dynamic linker says where a library is missing.
      let text = String(decoding: said.prefix { $0 != ASCII.lineFeed }, as: UTF8.self)
      throw unusable(text.isEmpty ? ending.words : text)
    }
  }

  private func unusable(_ reason: String) -> Unusable { Unusable(reason: "\(file) cannot be used: \(reason)") }
}
