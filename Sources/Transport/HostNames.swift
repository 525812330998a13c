package import HTTPSemantics
import Platform

/// Host names with letters beyond ASCII, in the form that DNS, certificates and every rule about hosts compare:
/// A-labels (RFC 5890 section 2.3.2.1).
package enum HostNames {
  private static let program: Path = "garner-idn"
  /// So that what the dynamic linker has to say is in no language.
  private static let locale = "LC_ALL=C"
  /// More than a name may have (RFC 1035 section 2.3.4).
  private static let longest = 1 << 10
  private static let known = KnownNames()

  /// The A-labels of a name in UTF-8, which garner-idn tells; it is asked once for each name.
  ///
  /// - Throws: `malformedHost` for what has none, `hostNotMapped` where nothing can tell.
  package static func ascii(_ name: [UInt8]) throws(URIError) -> [UInt8] {
    if let labels = known[name] { return labels }
    let labels = try asked(name)
    known.add(name, labels)
    return labels
  }

  private static func asked(_ name: [UInt8]) throws(URIError) -> [UInt8] {
    let process: ChildProcess
    do throws(TransportError) {
      process = try InstalledProgram.start(
        InstalledProgram.find(program), argument: String(decoding: name, as: UTF8.self), variable: locale)
    } catch {
      throw unusable(error.programFault)
    }
    let said: [UInt8]
    do throws(Errno) {
      said = try process.output.readBytes(limit: longest)
    } catch {
      throw unusable("\(error)")
    }
    let ending = process.wait()
    switch ending {
    case .exit(0): return said
    case .exit(1): throw .malformedHost
    default:
      // What the dynamic linker says where a library is missing.
      let text = String(decoding: said.prefix { $0 != ASCII.lineFeed }, as: UTF8.self)
      throw unusable(text.isEmpty ? ending.words : text)
    }
  }

  private static func unusable(_ reason: String) -> URIError {
    .hostNotMapped(reason: "\(program) cannot be used: \(reason)")
  }
}

/// What has been asked for already; URLs of one run are of few hosts.
private final class KnownNames: @unchecked Sendable {
  private static let most = 64

  private let lock = Lock()
  // Under the lock.
  private var names: [(name: [UInt8], labels: [UInt8])] = []

  subscript(name: [UInt8]) -> [UInt8]? {
    lock.lock()
    defer { lock.unlock() }
    return names.first { $0.name == name }?.labels
  }

  func add(_ name: [UInt8], _ labels: [UInt8]) {
    lock.lock()
    defer { lock.unlock() }
    if names.count == Self.most { names.removeFirst() }
    names.append((name, labels))
  }
}
