import Platform

extension Store {
  /// The key under which credentials are digested: 32 random bytes, made when they are first asked for.
  ///
  /// - Parameter creating: whether it may be made; a store that cannot be written has none.
  /// - Returns: `nil` where there is none and none may be made.
  package func secret(creating: Bool) throws(StoreError) -> [UInt8]? {
    if let root = try StoreRoot.open(root), let secret = try readSecret(in: root) { return secret }
    guard creating else { return nil }
    let store = try WritableStore(root, durable: true)
    try makeSecret(in: store)
    if let secret = try readSecret(in: store.root) { return secret }
    // One that has been cut short: what was digested under it is lost anyway.
    try storing(.handlingSecret) { () throws(Errno) in try store.version.unlink(StoreLayout.secret) }
    try makeSecret(in: store)
    return try readSecret(in: store.root)
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

  private func readSecret(in root: borrowing StoreRoot) throws(StoreError) -> [UInt8]? {
    let path = StoreLayout.version.appending(StoreLayout.secret)
    do throws(Errno) {
      let file = try root.directory.openBeneath(path, [.readOnly, .nonBlocking])
      let status = try file.status()
      if status.kind == .regular, status.userID == EffectiveUser.id {
        let secret = try file.readBytes(limit: Self.secretBytes)
        // Digests under a part of it would be digests under next to nothing.
        return secret.count == Self.secretBytes ? secret : nil
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

  package static let secretBytes = 32
}
