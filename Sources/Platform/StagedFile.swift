/// A file on its way to its name: without one where the file system can do that, else under a temporary name that is
/// removed when this value is let go.
struct StagedFile: ~Copyable {
  let file: OwnedDescriptor
  private let directory: OwnedDescriptor
  private let name: Path
  private var temporaryName: Path?

  /// - Parameter name: the final one, in `directory`.
  init(beside name: Path, in directory: consuming OwnedDescriptor) throws(Errno) {
    self.name = name
    // Without /proc such a file could not be given its name.
    if Descriptor.workingDirectory.isWritable("/proc/self/fd"),
      let unnamed = try? directory.open(".", [.unnamed, .readWrite])
    {
      file = unnamed
    } else {
      var opened: Int32 = -1
      temporaryName = try Self.withFreshName { (temporary) throws(Errno) in
        opened = try directory.open(temporary, [.readWrite, .create, .exclusive, .noFollow]).released()
      }
      file = OwnedDescriptor(owning: opened)
    }
    self.directory = directory
  }

  deinit {
    if let temporaryName { try? directory.unlink(temporaryName) }
  }

  /// Gives the file its name.
  ///
  /// - Parameter replacing: whether something is known to have that name.
  /// - Parameter durable: whether content and name are on the disk before this returns.
  consuming func publish(replacing: Bool, durable: Bool) throws(Errno) {
    if durable { try file.synchronize() }
    // A delayed write that failed shows at close, and then nothing may be published; the first descriptor has to live
    // on for the link.
    try file.duplicate().close()
    if try !linkedToFreeName(replacing: replacing) {
      let source = if let temporaryName { temporaryName } else { try linkedToTemporaryName() }
      // Known from here on, so that it is removed where the renaming fails.
      temporaryName = source
      try directory.rename(source, to: name, in: directory)
      temporaryName = nil
    }
    if durable { try directory.synchronize() }
  }

  private func linkedToFreeName(replacing: Bool) throws(Errno) -> Bool {
    guard temporaryName == nil, !replacing else { return false }
    do throws(Errno) {
      try directory.link(unnamed: file, to: name)
      return true
    } catch {
      // Somebody made one meanwhile: it is replaced like one that was there at first.
      guard error == .fileExists else { throw error }
      return false
    }
  }

  private func linkedToTemporaryName() throws(Errno) -> Path {
    try Self.withFreshName { (temporary) throws(Errno) in try directory.link(unnamed: file, to: temporary) }
  }

  private static func withFreshName(_ use: (Path) throws(Errno) -> Void) throws(Errno) -> Path {
    var attempt = 0
    while true {
      guard let name = Path(".garner-" + (try SecureRandom.hexadecimal(bytes: 8))) else { throw .invalidArgument }
      do throws(Errno) {
        try use(name)
        return name
      } catch {
        attempt += 1
        guard error == .fileExists, attempt < maximumAttempts else { throw error }
      }
    }
  }

  /// Two names of 64 random bits are equal once in an age; ten times only if something else is wrong.
  private static let maximumAttempts = 10
}
