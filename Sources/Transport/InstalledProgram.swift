import HTTPSemantics
import Platform

/// Finds and starts the programs that are a part of garner.
enum InstalledProgram {
  /// The directory in which `make install` puts such programs, relative to that of garner.
  private static let directory: Path = "../libexec/garner"

  /// - Throws: `programMissing` or `programUnusable`.
  static func find(_ name: Path) throws(TransportError) -> Path {
    let own: Path
    do throws(Errno) {
      own = try OwnExecutable.directory()
    } catch {
      throw .programMissing(reason: "garner's own directory is unknown: cannot read /proc/self/exe: \(error)")
    }
    for path in [own.appending(name), own.appending(directory).appending(name)] {
      do throws(Errno) {
        try path.checkExecutable()
        return path
      } catch {
        if error != .noSuchFile, error != .notDirectory { throw .programUnusable(reason: "\(path): \(error)") }
      }
    }
    throw .programMissing(reason: "it is not in \(own)")
  }

  /// Starts the program that was found, as `ChildProcess` does.
  ///
  /// - Throws: `programUnusable` or `programNotStarted`.
  static func start(_ path: Path, argument: String, variable: String) throws(TransportError) -> ChildProcess {
    do throws(Errno) {
      return try ChildProcess(path, argument: argument, variable: variable)
    } catch {
      if error.isResourceShortage { throw .programNotStarted(reason: "\(error)") }
      // The file was there a moment ago.
      let lacksInterpreter = error == .noSuchFile
      let reason = lacksInterpreter ? "the interpreter that it names is missing" : "\(error)"
      throw .programUnusable(reason: "\(path): \(reason)")
    }
  }

  /// Room for the dynamic linker's message about a missing library: a sentence with a path in it.
  private static let longestLine = 1 << 10

  /// Returns why a program could not begin, if it has said anything: the dynamic linker ends a program with one line.
  /// Before that, it may have warned, for example about a library of LD_PRELOAD.
  static func lastLine(of text: some BidirectionalCollection<UInt8>) -> String {
    let lines = text.split(separator: ASCII.lineFeed)
    return String(decoding: (lines.last ?? text[text.startIndex..<text.startIndex]).prefix(longestLine), as: UTF8.self)
  }
}
