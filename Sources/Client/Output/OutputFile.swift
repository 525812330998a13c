import HTTPSemantics
import Platform

/// A file that content goes to, as the options say.
struct OutputFile: Equatable {
  /// Relative to `directory`; `nil` where the URL has none to give.
  var name: Path?
  /// Before the name, absolute or not: curl's `--output-dir`.
  var directory: Path?
  /// Whether the response may give the file another name.
  private(set) var takesServersName = false
  var collision = AtomicFile.Collision.replace
  /// Whether the directories that lead to it are made; `nil` where nobody has a say in that.
  var createsDirectories: Bool?
  /// Whether the file is as old as the response says that its content is.
  var takesServersTime = false

  /// Set where what comes is put behind what the file holds.
  var front: Front?

  /// What a file begins with.
  struct Front: Equatable {
    /// As long as the file must be, in bytes; `nil` for however long.
    var length: UInt64?
  }

  /// A file that another option names.
  struct Other: Equatable {
    let path: Path
    let option: String
    /// Or read alone.
    var isWritten = true
  }

  /// What no response may name: what the run writes besides, which takes the place of whatever has its name by then,
  /// and what a run believes.
  private var others: [Other] = []

  init(_ name: Path?) { self.name = name }

  /// Where it is, as far as that is known; `nil` while it has no name.
  var path: Path? {
    guard let name else { return nil }
    return directory?.appending(name) ?? name
  }

  /// Leaves the name to the response. Where that has none, the URL's counts as if the response had said it: a URL, too,
  /// may be somebody else's word.
  mutating func takeServersName(apartFrom others: [Other]) {
    takesServersName = true
    self.others = others
    name = name.flatMap { ContentDisposition.safeName($0.bytes[...]) }.flatMap { Path($0) }
    // Nothing is overwritten at a server's word, whatever was typed.
    if collision == .replace { collision = .refuse }
  }

  /// The option whose file this one is, too; what is written directly takes both, one behind the other.
  static func option(naming file: Path, among others: some Sequence<Other>) -> String? {
    others.first { AtomicFile.areOne(file, $0.path) && !AtomicFile.isDirect(file) }?.option
  }

  /// Takes from a response what the options leave to it.
  ///
  /// - Returns: the time that the file is to have.
  /// - Throws: where what the response is called by is the file of something else.
  mutating func heed(_ response: Response, now: Timestamp) throws(Failure) -> WallTime? {
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
