/// A file that appears whole or not at all: written beside its final place, and renamed there by `commit()`.
///
/// Letting go abandons it: what was there before stays. Where the file system has unnamed files not even a killed
/// process leaves anything behind. A target that is no regular file (a device, a FIFO, /dev/stdout) is written
/// directly, and a symbolic link is written through to what it points at.
package struct AtomicFile: ~Copyable {
  // Not private: Swift 6.3.1 then hides the type's metadata from the release build of other modules, which destroy it.
  enum Form: ~Copyable {
    case direct(OwnedDescriptor)
    case staged(StagedFile)
  }

  private let form: Form

  /// What had the name when the file was opened; `nil` where nothing had, or the target is written directly.
  package let replaced: FileStatus?

  /// - Throws: `.isDirectory` for a directory, `.accessDenied` for a file that may not be written or a directory in
  ///   which no file may be made, `.tooManyLinks` for links that lead in a circle.
  package init(
    _ path: Path, relativeTo directory: borrowing some OpenDescriptor & ~Copyable
  ) throws(Errno) {
    if let number = Self.standardDescriptor(namedBy: path) {
      form = .direct(try number.duplicate())
      replaced = nil
      return
    }
    let place = try Self.followingLinks(path, relativeTo: directory)
    let status = try Self.status(of: place, in: directory)
    if let status, status.kind != .regular {
      form = .direct(try directory.open(place, [.writeOnly, .noControllingTerminal]))
      replaced = nil
      return
    }
    guard status == nil || directory.isWritable(place) else { throw .accessDenied }
    guard let name = place.lastComponent else { throw .isDirectory }
    let parent = try directory.open(place.parent, [.directory])
    let staged = try StagedFile(beside: name, in: parent)
    if let status {
      // Its permissions stay; set-user-ID does not survive a write to a file either.
      try staged.file.setMode(FileMode(rawValue: status.mode.rawValue & 0o777))
    }
    form = .staged(staged)
    replaced = status
  }

  package init(_ path: Path) throws(Errno) {
    try self.init(path, relativeTo: Descriptor.workingDirectory)
  }

  /// Where to write; borrowed, and to be used only while this value lives.
  package var descriptor: Descriptor {
    switch form {
    case .direct(let file): file.borrowed
    case .staged(let staged): staged.file.borrowed
    }
  }

  /// Whether nothing is seen of the file before `commit()`.
  package var isAtomic: Bool {
    switch form {
    case .direct: false
    case .staged: true
    }
  }

  /// Publishes what has been written.
  ///
  /// - Parameter durable: whether content and name are on the disk before this returns.
  package consuming func commit(durable: Bool = false) throws(Errno) {
    let replaces = replaced != nil
    switch consume form {
    case .direct(let file): try file.close()
    case .staged(let staged): try staged.publish(replacing: replaces, durable: durable)
    }
  }

  // MARK: Where it goes

  /// A symbolic link in the place of the file leads to the file itself, which may be absent.
  private static func followingLinks(
    _ path: Path, relativeTo directory: borrowing some OpenDescriptor & ~Copyable
  ) throws(Errno) -> Path {
    var place = path
    for _ in 0..<maximumLinks {
      // What such a link says may name nothing ("pipe:[12]"): only the kernel can follow it.
      if place.hasPrefix("/proc/") || place.hasPrefix("/dev/fd/") { return place }
      guard let status = try? directory.status(of: place, followingLinks: false), status.kind == .symbolicLink else {
        return place
      }
      let link = try directory.linkTarget(of: place)
      place = link.isAbsolute ? link : place.parent.appending(link)
    }
    throw .tooManyLinks
  }

  private static func status(
    of place: Path, in directory: borrowing some OpenDescriptor & ~Copyable
  ) throws(Errno) -> FileStatus? {
    do throws(Errno) {
      return try directory.status(of: place)
    } catch {
      if error == .noSuchFile { return nil }
      throw error
    }
  }

  /// These names stand for what is open already: opened anew, a file would be written from its start.
  private static func standardDescriptor(namedBy path: Path) -> Descriptor? {
    switch path {
    case "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1": .standardOutput
    case "/dev/stderr", "/dev/fd/2", "/proc/self/fd/2": .standardError
    default: nil
    }
  }

  /// As many as the kernel follows (path_resolution(7)).
  private static let maximumLinks = 40
}
