import HTTPSemantics
import Platform

/// A file for content, as the options describe it.
struct OutputFile: Equatable {
  /// The name, relative to `directory`; `nil` if the URL does not provide one.
  var name: Path?
  /// The directory that is put before the name, even an absolute one: curl's `--output-dir`.
  var directory: Path?
  /// Whether the response may give the file another name.
  private(set) var takesServersName = false
  var collision = AtomicFile.Collision.replace
  /// Whether missing directories that lead to the file are created; `nil` if no option applies to that.
  var createsDirectories: Bool?
  /// Whether the file gets the time that the response states in Last-Modified.
  var takesServersTime = false

  /// Set if content is appended to what the file holds.
  var front: Front?

  /// The content that a file begins with.
  struct Front: Equatable {
    /// The length that the file must have, in bytes; `nil` for any length.
    var length: UInt64?
  }

  /// A file that another option names.
  struct Other: Equatable {
    let path: Path
    let option: String
    /// False for a file that is only read.
    var isWritten = true
  }

  /// The files that no response may name: those that the run writes besides content, which would replace the file of
  /// that name, and those whose content a run trusts.
  private var others: [Other] = []

  init(_ name: Path?) { self.name = name }

  /// The path of the file, as far as it is known; `nil` while the file has no name.
  var path: Path? {
    guard let name else { return nil }
    return directory?.appending(name) ?? name
  }

  /// Leaves the name to the response. If that has none, the URL's name counts as if the response had given it, because
  /// a URL may come from somebody else, too.
  mutating func takeServersName(apartFrom others: [Other]) {
    takesServersName = true
    self.others = others
    name = name.flatMap { ContentDisposition.safeName($0.bytes[...]) }.flatMap { Path($0) }
    // A server's name never replaces a file, whatever was typed.
    if collision == .replace { collision = .refuse }
  }

  /// Returns the option that names the same file. A file that is written directly does not count: it takes the output
  /// of both options, one after the other.
  static func option(naming file: Path, among others: some Sequence<Other>) -> String? {
    others.first { OutputPath.leadToOneFile(file, $0.path) && !OutputPath.isDirect(file) }?.option
  }

  /// Takes the name and the time from a response, as far as the options leave them to it.
  ///
  /// - Returns: the time that the file is to have.
  /// - Throws: `.takenName` if the response names another option's file.
  mutating func takeNameAndTime(of response: Response, now: Timestamp) throws(Failure) -> WallTime? {
    if takesServersName, let disposition = response.fields[.contentDisposition].flatMap({ ContentDisposition($0) }),
      let safe = disposition.safeName, let name = Path(safe)
    {
      self.name = name
    }
    if takesServersName, let path, let option = Self.option(naming: path, among: others) {
      throw .takenName(path.visible, by: option)
    }
    guard takesServersTime,
      let modified = response.fields[.lastModified].flatMap({ HTTPDate.parseLeniently($0, now: now) })
    else { return nil }
    return WallTime(seconds: modified.secondsSinceEpoch)
  }
}

extension Descriptor {
  /// Creates the directories that lead to a path, for `--create-dirs`: they are closed to others.
  func createParents(of path: Path) throws(Errno) {
    if path.parent != "." { try createDirectories(path.parent, mode: .groupReadableDirectory) }
  }
}
