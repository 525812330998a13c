import Platform

extension Store {
  /// The key under which credentials are digested: 32 random bytes, made when they are first asked for.
  ///
  /// - Parameter creating: whether it may be made; a store that cannot be written has none.
  /// - Returns: `nil` where there is none and none may be made.
  package func secret(creating: Bool) throws(StoreError) -> [UInt8]? {
    if let root = try StoreRoot.open(root), let found = try SecretFile(in: root), let secret = found.secret {
      return secret
    }
    guard creating else { return nil }
    let store = try WritableStore(root, durable: true)
    if let found = try SecretFile(in: store.root), found.secret == nil { try found.remove(from: store) }
    try makeSecret(in: store)
    guard let made = try SecretFile(in: store.root) else { return nil }
    return made.secret
  }

  private func makeSecret(in store: borrowing WritableStore) throws(StoreError) {
    do throws(Errno) {
      let temporary = try TemporaryFile(in: store)
      let secret = try SecureRandom.bytes(count: Self.secretBytes)
      try temporary.file.writeAll(secret)
      try temporary.publishIfAbsent(as: StoreLayout.secret, in: store, durable: true)
    } catch {
      // Of two that make one at the same time, the first's counts.
      guard error == .fileExists else { throw .failed(.handlingSecret, error) }
    }
  }

  package static let secretBytes = 32
}

/// The file of the secret, open: as long as it is, its inode is no other file's.
struct SecretFile: ~Copyable {
  private let file: OwnedDescriptor
  private let status: FileStatus
  /// `nil` where it has been cut short: digests under a part of it would be digests under next to nothing.
  let secret: [UInt8]?

  /// - Returns: `nil` where there is none.
  init?(in root: borrowing StoreRoot) throws(StoreError) {
    let path = StoreLayout.version.appending(StoreLayout.secret)
    do throws(Errno) {
      let file = try root.directory.openBeneath(path, [.readOnly, .nonBlocking])
      let status = try file.status()
      if status.kind == .regular, status.userID == EffectiveUser.id {
        let bytes = try file.readBytes(limit: Store.secretBytes)
        secret = bytes.count == Store.secretBytes ? bytes : nil
        self.status = status
        self.file = file
        return
      }
    } catch {
      if error == .noSuchFile { return nil }
      guard error == .tooManyLinks || error == .notDirectory || error == .noSuchDevice else {
        throw .failed(.handlingSecret, error)
      }
      // The link may be on the way.
      let version = try? root.directory.status(of: StoreLayout.version, followingLinks: false)
      if version?.kind != .directory {
        throw .misplaced(StoreLayout.version, in: root.directory, nil, .handlingSecret, error)
      }
    }
    throw .unsafe(.noFileWithin(path))
  }

  /// What was digested under it is lost then; what others have made in its place meanwhile stays.
  func remove(from store: borrowing WritableStore) throws(StoreError) {
    try storing(.handlingSecret) { () throws(Errno) in
      _ = try store.version.unlink(StoreLayout.secret, .ifSameFile, seenAs: status)
    }
  }
}
