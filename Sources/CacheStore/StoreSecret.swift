import Platform

extension Store {
  /// The key under which credentials are digested: 32 random bytes, made when they are first asked for.
  ///
  /// - Parameter creating: whether it may be made; a store that cannot be written has none.
  /// - Returns: `nil` where there is none and none may be made.
  package func secret(creating: Bool) throws(StoreError) -> [UInt8]? {
    if let root = try StoreRoot.open(root), let secret = try readSecret(in: root) { return secret }
    guard creating else { return nil }
    let store = try WritableStore(root)
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
    do throws(Errno) {
      let path = StoreLayout.version.appending(StoreLayout.secret)
      let file = try root.directory.openBeneath(path, [.readOnly, .nonBlocking])
      let status = try file.status()
      guard status.kind == .regular, status.userID == EffectiveUser.id else { throw .accessDenied }
      let secret = try file.readBytes(limit: Self.secretBytes)
      // Digests under a part of it would be digests under next to nothing.
      return secret.count == Self.secretBytes ? secret : nil
    } catch {
      guard error == .noSuchFile else { throw .failed(.handlingSecret, error) }
      return nil
    }
  }

  package static let secretBytes = 32
}
