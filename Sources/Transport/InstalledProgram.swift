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
}
