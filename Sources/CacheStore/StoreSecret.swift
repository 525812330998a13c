import Platform

extension Store {
  /// Returns the key under which credentials are digested: 32 random bytes, created when they are first asked for.
  ///
  /// - Parameter creating: whether the secret may be created; a store that cannot be written to has none.
  /// - Returns: `nil` if there is no secret and none may be created.
  package func secret(creating: Bool) throws(StoreError) -> [UInt8]? {
    if let root = try StoreRoot.open(root), let found = try SecretFile(in: root), let secret = found.secret {
      return secret
    }
    guard creating else { return nil }
    let store = try WritableStore(root, home: home, durable: true)
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
      // Of two processes that create a secret at the same time, the first one's counts.
      guard error == .fileExists else { throw .failed(.handlingSecret, error) }
    }
  }

  package static let secretBytes = 32
}

/// The file of the secret, open: as long as it is, no other file gets its inode.
struct SecretFile: ~Copyable {
  private let file: OwnedDescriptor
  private let status: FileStatus
  /// `nil` if the file has been cut short: digests under a part of the secret would be hardly better than none.
  let secret: [UInt8]?

  /// - Returns: `nil` if there is no secret.
  init?(in root: borrowing StoreRoot) throws(StoreError) {
    let path = StoreLayout.version.appending(StoreLayout.secret)
    do throws(Errno) {
      let file = try root.directory.openBeneath(path, [.readOnly, .nonBlocking])
      let status = try file.status()
      if status.isRegularFile(ownedBy: EffectiveUser.id) {
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
      // The link may be on the way to the file.
      let version = try? root.directory.status(of: StoreLayout.version, followingLinks: false)
      if version?.kind != .directory {
        throw .misplaced(StoreLayout.version, in: root.directory, nil, .handlingSecret, error)
      }
    }
    throw .unsafe(.noFileWithin(path))
  }

  /// Removes the file, unless another process has replaced it meanwhile. What was digested under its secret is lost.
  func remove(from store: borrowing WritableStore) throws(StoreError) {
    try storing(.handlingSecret) { () throws(Errno) in
      _ = try store.version.unlink(StoreLayout.secret, .ifSameFile, seenAs: status)
    }
  }
}
