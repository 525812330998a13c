import FlagTable
import HTTPSemantics
import Interface
import Platform

/// The config file of a run, as it is on the disk.
struct ConfigSource {
  /// The place where a config file is looked for.
  enum Place {
    case none
    /// Named by an option, an operand or a variable: the file must be there. `-` is standard input.
    case named(Path, isTyped: Bool)
    /// The usual place. The file may be missing.
    case usual(Path)

    init(_ options: ConfigOptions, _ environment: Environment) {
      if let typed = options.file, let path = Path(typed.bytes) {
        self = .named(path, isTyped: true)
      } else if options.isDisabled {
        self = .none
      } else if let path = BaseDirectories(environment).path(ConfigKeys.fileVariable) {
        self = .named(path, isTyped: false)
      } else if let directory = BaseDirectories(environment).configuration {
        self = .usual(directory.appending("garner/config"))
      } else {
        self = .none
      }
    }
  }

  let path: Path
  let bytes: [UInt8]
  let status: FileStatus

  /// The longest config file, in bytes: more than anybody writes by hand, and each run reads all of it.
  private static let longestFile = 1 << 20

  /// Reads the config file that the options and the environment lead to.
  static func read(_ options: ConfigOptions, _ context: ProcessContext) throws(Failure) -> ConfigSource? {
    try read(Place(options, context.environment), context)
  }

  /// Reads the config file at `place`; `nil` if none need be there and none is.
  static func read(_ place: Place, _ context: ProcessContext) throws(Failure) -> ConfigSource? {
    switch place {
    case .none:
      return nil
    case .named(let path, let isTyped):
      if path == "-" { try context.standardInput(for: isTyped ? "--config" : ConfigKeys.fileVariable) }
      do throws(Errno) { return try read(path, context) } catch { throw .config(path, error, isTyped: isTyped) }
    case .usual(let path):
      do throws(Errno) {
        return try read(path, context)
      } catch {
        if isAbsent(path, error) { return nil }
        throw .config(path, error, isTyped: false)
      }
    }
  }

  /// Returns whether a file counts as absent. A directory that this user may not enter, such as a HOME that a change of
  /// user left behind, hides nothing that is meant for them.
  private static func isAbsent(_ path: Path, _ error: Errno) -> Bool {
    if error == .noSuchFile || error == .notDirectory { return true }
    return error == .accessDenied && barrier(before: path) != nil
  }

  /// Returns the error that keeps this user from the place of a config file; `nil` if nothing does.
  static func barrier(before path: Path) -> Errno? {
    do throws(Errno) {
      _ = try Descriptor.workingDirectory.status(of: path)
    } catch {
      return error == .accessDenied ? error : nil
    }
    return nil
  }

  private static func read(_ path: Path, _ context: ProcessContext) throws(Errno) -> ConfigSource {
    if path == "-" { return try read(path, from: context.standardInput) }
    let file = try Descriptor.workingDirectory.open(path, .readOnly)
    return try read(path, from: file)
  }

  private static func read(
    _ path: Path, from descriptor: borrowing some OpenDescriptor & ~Copyable
  ) throws(Errno) -> ConfigSource {
    let bytes = try descriptor.readBytes(limit: longestFile + 1)
    if bytes.count > longestFile { throw .fileTooLarge }
    return ConfigSource(path: path, bytes: bytes, status: try descriptor.status())
  }
}

extension ArgumentText {
  /// The user's home directory, which replaces `~` in a value that no shell has read.
  static func home(in environment: Environment) -> ArgumentText? {
    BaseDirectories(environment).home.map { ArgumentText($0.bytes) }
  }
}
