package import HTTPCaching
import Platform

/// Hints that lead from a known digest to an entry with that content.
///
/// They are a table of slots in one file, which may be missing, be removed, or hold anything: a caller that follows a
/// hint must check the content. A digest has one slot, and the latest note in it counts, so the file never grows and
/// needs no cleaning.
extension Store {
  /// Finds the content that a hint assigns to a digest.
  ///
  /// - Parameter digest: 32 bytes or more.
  /// - Returns: a whole response, whatever request it answered. Its content has not been compared with the digest.
  package func lookup(digest: [UInt8]) -> Lookup {
    do throws(StoreError) {
      guard let opened = try openRoot() else { return Lookup(.uriMiss) }
      guard let name = Self.hint(for: digest, in: opened.root) else { return Lookup(.uriMiss) }
      return try Self.whole(name, in: opened.root)
    } catch {
      return Lookup(.uriMiss, fault: error)
    }
  }

  /// Looks up an entry that a walk has shown. Anything but a whole response is a miss.
  package func lookup(_ entry: WalkedEntry) -> Lookup {
    do throws(StoreError) {
      guard let opened = try openRoot() else { return Lookup(.uriMiss) }
      return try Self.whole(entry.name, in: opened.root)
    } catch {
      return Lookup(.uriMiss, fault: error)
    }
  }

  private static func whole(_ name: EntryName, in root: borrowing StoreRoot) throws(StoreError) -> Lookup {
    guard let entry = try OpenEntry.open(name, in: root, .content), case .response(let stored, _) = entry.head,
      !stored.isPart
    else { return Lookup(.uriMiss) }
    return Lookup(StoredContent(entry, stored))
  }

  /// Notes that a stored response has this digest. A failure is ignored, because the content is still found by its URL.
  package func note(digest: [UInt8], of stored: StoredResponse) {
    guard let slot = DigestSlot(digest, EntryName(of: stored)) else { return }
    do throws(StoreError) {
      guard let opened = try openRoot() else { return }
      try storing(.writingEntry) { () throws(Errno) in try slot.write(in: opened.root, for: digest) }
    } catch {
      // The hint is lost.
    }
  }

  private static func hint(for digest: [UInt8], in root: borrowing StoreRoot) -> EntryName? {
    do throws(Errno) {
      let file = try root.directory.openBeneath(
        StoreLayout.digests, [.readOnly, .nonBlocking, .noControllingTerminal])
      let bytes = try file.readBytes(limit: DigestSlot.byteCount, at: DigestSlot.offset(of: digest))
      return DigestSlot.name(in: bytes, for: digest)
    } catch {
      return nil
    }
  }
}

/// A digest and the name of an entry, in the format of docs/entry-format.md.
private struct DigestSlot {
  static let byteCount = 256
  /// More slots than anybody has downloads by digest. They take 1 MiB in all, of which only written slots occupy the
  /// disk.
  private static let count: UInt64 = 4_096
  private static let longestDigest = 64

  let bytes: [UInt8]

  init?(_ digest: [UInt8], _ name: EntryName) {
    let text = Array(name.description.utf8)
    guard digest.count <= Self.longestDigest, 2 + digest.count + text.count <= Self.byteCount else { return nil }
    let used = [UInt8(digest.count)] + digest + [UInt8(text.count)] + text
    bytes = used + [UInt8](repeating: 0, count: Self.byteCount - used.count)
  }

  func write(in root: borrowing StoreRoot, for digest: [UInt8]) throws(Errno) {
    let options: OpenOptions = [.readWrite, .create, .nonBlocking, .noControllingTerminal]
    var file = try root.directory.openBeneath(StoreLayout.digests, options, mode: .privateFile)
    var status = try file.status()
    guard status.isRegularFile(ownedBy: root.ownerID) else { throw .accessDenied }
    if status.linkCount > 1 {
      // A second hard link is probably a backup's, which writing here would change.
      try root.directory.unlink(StoreLayout.digests)
      file = try root.directory.openBeneath(StoreLayout.digests, options.union(.exclusive), mode: .privateFile)
      status = try file.status()
    }
    // The umask may have taken permissions away.
    if status.mode != .privateFile { try file.setMode(.privateFile) }
    let offset = Self.offset(of: digest)
    if try file.readBytes(limit: Self.byteCount, at: offset) != bytes { try file.writeAll(bytes, at: offset) }
  }

  static func offset(of digest: [UInt8]) -> Int64 {
    let start = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int64(start % count) * Int64(byteCount)
  }

  static func name(in bytes: [UInt8], for digest: [UInt8]) -> EntryName? {
    var rest = bytes[...]
    guard let length = rest.popFirst(), rest.prefix(Int(length)).elementsEqual(digest) else { return nil }
    rest = rest.dropFirst(digest.count)
    guard let nameLength = rest.popFirst(), let path = Path(rest.prefix(Int(nameLength))) else { return nil }
    return EntryName(inListing: path)
  }
}
