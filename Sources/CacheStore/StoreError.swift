package import Platform

/// Why the store could not do what was asked. None of these errors makes a fetch fail.
///
/// It is indirect because every look-up has a place for an error, and hardly any look-up has one.
package indirect enum StoreError: Error, Equatable, Sendable {
  /// The place is not safe: nothing is read from it or written to it.
  case unsafe(UnsafePlace)
  /// A system call failed.
  case failed(Step, Errno)
  /// An entry is not what it was when it was written.
  case damaged(DamagedEntry)
  /// The head exceeds the bounds of an entry.
  case headTooLarge
  /// The content is longer than an entry can hold.
  case contentTooLong
  /// The content is longer than the user lets a stored response be.
  case tooLarge
  /// No room can be made: the other entries are pinned, or cannot be removed in time.
  case full
  /// The response has as many variants as it may have, and all are pinned.
  case variantsPinned
  /// The content of a part does not have the length of the part's extent.
  case notItsExtent
  /// Somebody has changed the content while it waited to be stored.
  case contentChanged

  /// Whether the cause is that an existing store may not be written to, and not a fault.
  package var isReadOnly: Bool {
    switch self {
    case .failed(.creatingStore, _): false
    case .failed(_, .accessDenied), .failed(_, .readOnlyFileSystem), .failed(_, .notPermitted): true
    default: false
    }
  }

  /// Whether the cause is a lack of room on the disk, which the next entry would meet as well.
  package var isSpaceShortage: Bool {
    if case .failed(_, let error) = self { error.isSpaceShortage } else { false }
  }

  /// Whether the cause lies in the response that was to be stored: the next one may well be stored.
  package var concernsResponse: Bool {
    switch self {
    case .headTooLarge, .contentTooLong, .tooLarge, .full, .variantsPinned, .notItsExtent, .contentChanged: true
    case .unsafe, .failed, .damaged: false
    }
  }

  /// The step that failed.
  package enum Step: String, Equatable, Sendable {
    case openingStore = "open the store"
    case creatingStore = "create the store"
    case readingEntry = "read an entry"
    case writingEntry = "write an entry"
    case publishingEntry = "publish an entry"
    case updatingEntry = "update an entry"
    case removingEntry = "remove an entry"
    case listing = "list the store"
    case counting = "count what is in the store"
    case handlingSecret = "use the store's secret"
  }
}

/// Why a directory is not used as a store.
package enum UnsafePlace: Equatable, Sendable {
  case symbolicLink
  case notDirectory
  case foreign(ownerID: UInt32)
  /// It does not exist, and neither it nor a directory that leads to it is created in another user's directory.
  case foreignParent(ownerID: UInt32)
  /// It would be in a home directory that does not exist.
  case absentHome
  case writableByOthers(FileMode)
  /// In the place of one of the store's directories. The path is relative to the root.
  case linkWithin(Path)
  case noDirectoryWithin(Path)
  /// One of the store's directories.
  case unreadableWithin(Path, Errno)
  /// In the place of one of the store's files.
  case noFileWithin(Path)
  /// In the place of an entry, and not empty.
  case directoryWithin(Path)
}

/// An entry that is not in good order, and what is wrong with it.
package struct DamagedEntry: Equatable, Sendable {
  package let name: EntryName
  package let damage: Damage
  /// Whether the file is another user's. It may be in good order.
  package var isForeign: Bool { damage.isForeign }
  /// The status of the file that had the name; `nil` if nothing had it any more.
  let status: FileStatus?
}

/// What is wrong with the file of an entry.
package enum Damage: Error, Equatable, Sendable {
  /// A directory, a link, a FIFO ...
  case notRegularFile
  /// Another user's.
  case foreign(ownerID: UInt32)
  /// Shorter than its own lengths say.
  case truncated
  case notAnEntry
  case unknownVersion(UInt16)
  /// A sum does not match its bytes.
  case preambleSum, headSum, tableSum
  case blockSum(index: UInt64)
  /// The sum is right, but what it covers makes no sense.
  case malformedPreamble, malformedHead
  /// The file of a listed variant holds something else.
  case notTheVariant
  /// A variant that its list does not name.
  case unlistedVariant
  /// A part in the place of a whole, or a whole in the place of a part.
  case misplacedPart
  /// The name is not the one that the key in the head leads to.
  case misnamed
  /// Somebody has written to the file while its pages were handed on, and the reader of those may see the change.
  case changedMeanwhile
  case unreadable(Errno)

  package var isForeign: Bool {
    if case .foreign = self { true } else { false }
  }

  /// Whether the file is the user's own, but may not be read; the entry may be in good order.
  package var isAccessDenied: Bool { self == .unreadable(.accessDenied) }

  /// Whether nothing is wrong with the entry as far as this user can tell: its file is another user's, or may not be
  /// read.
  package var mayBeInGoodOrder: Bool { isForeign || isAccessDenied }
}

extension StoreError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unsafe(let place): place.description
    case .failed(let step, let error): "cannot \(step.rawValue): \(error)"
    case .damaged(let entry):
      switch entry.damage {
      case .foreign(let owner): "the entry \(entry.name) belongs to another user (\(owner))"
      case .unreadable(.accessDenied): "the entry \(entry.name) cannot be read: \(Errno.accessDenied)"
      default: "the entry \(entry.name) is damaged: \(entry.damage)"
      }
    case .headTooLarge: "the head is too large to be stored"
    case .contentTooLong: "the content is too long to be stored"
    case .tooLarge: "the content is larger than the limit for stored responses"
    case .full: "there is no room left in the store"
    case .variantsPinned: "it has \(VariantList.maximumCount) variants already, and all are pinned"
    case .contentChanged: "the content was changed before it was stored"
    case .notItsExtent: "the content does not have the length of its byte range"
    }
  }
}

extension StoreError {
  /// Completes "cannot ... the cache: ...".
  package var reason: String {
    if case .failed(_, let error) = self { error.description } else { description }
  }
}

extension UnsafePlace: CustomStringConvertible {
  package var description: String {
    switch self {
    case .symbolicLink: "it is a symbolic link"
    case .notDirectory: "it is not a directory"
    case .foreign(let owner): "it belongs to another user (\(owner))"
    case .foreignParent(let owner): "it would be made in a directory that belongs to another user (\(owner))"
    case .absentHome: "the home directory does not exist"
    case .writableByOthers(let mode): "others can write to it (mode \(String(mode.rawValue, radix: 8)))"
    case .linkWithin(let path): "\(path) in it is a symbolic link, and should be a directory"
    case .noDirectoryWithin(let path): "\(path) in it is not a directory"
    case .unreadableWithin(let path, let error): "\(path) in it cannot be read: \(error)"
    case .noFileWithin(let path): "\(path) in it is not a regular file of this user"
    case .directoryWithin(let path): "\(path) in it is a directory with something in it, and should be a file"
    }
  }
}

extension Damage: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notRegularFile: "it is not a regular file"
    case .foreign(let owner): "it belongs to another user (\(owner))"
    case .truncated: "it is too short"
    case .notAnEntry: "it is not an entry"
    case .unknownVersion(let version): "it has the unknown version \(version)"
    case .preambleSum: "the checksum of its preamble is wrong"
    case .headSum: "it has no complete head"
    case .tableSum: "the checksum of its block checksums is wrong"
    case .blockSum(let index): "the checksum of block \(index) is wrong"
    case .malformedPreamble: "its preamble is malformed"
    case .malformedHead: "its head is malformed"
    case .notTheVariant: "it is not the listed variant"
    case .unlistedVariant: "it is a variant that is not listed"
    case .misplacedPart: "it is a partial response under a name for a whole one, or the reverse"
    case .misnamed: "it has the name of another entry"
    case .changedMeanwhile: "it was changed while it was read"
    case .unreadable(let error): "it cannot be read: \(error)"
    }
  }
}
