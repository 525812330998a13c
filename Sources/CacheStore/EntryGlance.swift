import HTTPCaching
import Platform

/// What one look at an entry's file has shown. The file is not held open.
struct EntryGlance {
  let name: EntryName
  let status: FileStatus
  /// `nil` if the entry is damaged, as is `generation`.
  let head: EntryHead?
  let generation: Generation?

  // Inlined, both initializers would be in the program a dozen times, and nothing that calls them is in a hurry.
  /// Looks at the file under the entry's path from the store's root.
  @inline(never)
  init?(at name: EntryName, in root: borrowing StoreRoot) throws(StoreError) {
    do throws(Errno) {
      try self.init(at: name, path: name.path, in: root.directory, ownerID: root.ownerID)
    } catch {
      throw .failed(.readingEntry, error)
    }
  }

  /// - Parameter path: the path of the file, relative to `directory`.
  /// - Returns: `nil` if there is no such file.
  /// - Throws: an error of this process, such as a lack of descriptors: the entry may be in good order, and pinned.
  init?(at name: EntryName, path: Path, in directory: borrowing Directory, ownerID: UInt32) throws(Errno) {
    self.name = name
    do throws(StoreError) {
      guard let entry = try OpenEntry.open(name, at: path, in: directory, ownerID: ownerID, .head) else { return nil }
      status = entry.status
      head = entry.head
      generation = entry.preamble.generation
    } catch {
      if case .failed(_, let trouble) = error { throw trouble }
      // Whatever the file is, it has the name, and a size that counts.
      guard let status = directory.entryStatus(at: path) else { return nil }
      self.status = status
      (head, generation) = (nil, nil)
    }
  }

  var stored: StoredResponse? {
    if case .response(let stored, _) = head { stored } else { nil }
  }

  var variants: VariantList? {
    if case .variants(let list) = head { list } else { nil }
  }

  var key: CacheKey? { stored?.key ?? variants?.key }

  var weight: EntryWeight { EntryWeight(name, status.countedBytes, head) }
}

extension EntryGlance? {
  /// The marks of the stored response, if it has that key; otherwise none.
  @inline(never)
  func marks(under key: CacheKey) -> Marks {
    guard let stored = self?.stored, stored.key == key else { return .none }
    return stored.marks
  }

  /// The variants listed for that key; `nil` if the entry is no list, or another key's, whose name is the same hash.
  func variants(under key: CacheKey) -> [SelectingFields]? {
    guard let list = self?.variants, list.key == key else { return nil }
    return list.variants
  }
}
