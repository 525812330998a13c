import CacheStore
import Glibc
import HTTPCaching
import HTTPSemantics
import Platform
import TestSupport

/// Inspects what a run has left on the disk: every entry must be right, nothing may lie outside of the store, and no
/// other user may read it.
struct StoreInspection {
  let sandbox: Sandbox
  private(set) var complaints: [String] = []

  init(of sandbox: Sandbox) {
    self.sandbox = sandbox
    inspectHome()
    inspectModes(sandbox.store)
    inspectSecret()
    inspectEntries()
  }

  /// Checks that the run has written nothing outside of the store and the output that the user has named.
  private mutating func inspectHome() {
    let strangers = namesInDirectory(sandbox.home.path).filter { !["cache", "out", "backup"].contains($0) }
    if !strangers.isEmpty { complaints.append("it has left \(strangers) in the home") }
    let beside = namesInDirectory(sandbox.home.path("cache")).filter { $0 != "garner" }
    if !beside.isEmpty { complaints.append("it has left \(beside) beside the store") }
    let outputs = namesInDirectory(sandbox.home.path("out")).filter { $0 != "file" }
    if !outputs.isEmpty { complaints.append("it has left \(outputs) beside the output") }
  }

  private mutating func inspectModes(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    let mode = status.st_mode & 0o7777
    if mode != (isDirectory ? 0o700 : 0o600) { complaints.append("\(path) has mode \(String(mode, radix: 8))") }
    guard isDirectory else { return inspectForSecrets(path) }
    for name in namesInDirectory(path) { inspectModes("\(path)/\(name)") }
  }

  /// The value of `-u`, in the clear and as it is sent, and the beginning of a cookie or content. They are long enough
  /// that no digest holds them by chance.
  private static let secrets = ["me:secret", "bWU6c2VjcmV0", "secret="].map { Array($0.utf8) }

  private mutating func inspectForSecrets(_ path: String) {
    guard let bytes = try? readFile(path), bytes.count < Self.longestSearch else { return }
    for secret in Self.secrets where bytes.holds(secret) { complaints.append("\(path) holds a secret") }
  }

  /// Longer files are not searched: their contents are noise, in which a secret would be found by accident only.
  private static let longestSearch = 8_192

  private mutating func inspectSecret() {
    guard let secret = try? readFile("\(sandbox.store)/v1/secret") else { return }
    if secret.count != 32 { complaints.append("the secret has \(secret.count) bytes") }
  }

  private mutating func inspectEntries() {
    guard let root = Path(sandbox.store) else { return }
    let store = Store(root: root, clock: .system)
    var found: [WalkedEntry] = []
    do {
      try store.forEachEntry {
        found.append($0)
        return true
      }
      for entry in found { try inspect(entry, in: store) }
    } catch {
      complaints.append("the store cannot be read: \(error)")
    }
  }

  private mutating func inspect(_ entry: WalkedEntry, in store: Store) throws {
    guard let stored = entry.stored else {
      return complaints.append("the entry \(entry.name) is damaged: \(entry.state)")
    }
    guard let content = try store.open(entry) else {
      return complaints.append("the entry \(entry.name) cannot be opened")
    }
    let path = stored.key.target.pathAndQuery
    let tag = stored.fields[.etag]?.text ?? ""
    guard let right = Contents.bytes(tagged: tag, of: path) else {
      return complaints.append("the entry for \(path) has the entity tag \(tag)")
    }
    var bytes: [UInt8] = []
    try content.forEachVerifiedChunk { bytes += $0 }
    let held = stored.heldBytes
    let isRight =
      Int(held.upperBound) <= right.count && bytes.elementsEqual(right[Int(held.lowerBound)..<Int(held.upperBound)])
      && stored.completeLength.map { $0 == UInt64(right.count) } ?? stored.isPart
    if !isRight { complaints.append("the entry for \(path), \(tag), bytes \(held), has another content") }
  }
}

extension [UInt8] {
  func holds(_ sought: [UInt8]) -> Bool {
    guard let first = sought.first else { return true }
    return indices.contains { self[$0] == first && self[$0...].starts(with: sought) }
  }
}
