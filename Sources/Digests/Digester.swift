import CryptoBinding

/// The digests of RFC 9530 and of Subresource Integrity that garner checks.
package enum DigestAlgorithm: Hashable, Sendable, CaseIterable {
  case sha256
  case sha512

  /// The length of a digest, in bytes.
  package var byteCount: Int {
    switch self {
    case .sha256: 32
    case .sha512: 64
    }
  }
}

/// Why there is no digest.
package enum DigestError: Error, Hashable, Sendable {
  /// libcrypto is not on this machine; with the dynamic linker's reason.
  case libraryMissing(String)
  /// libcrypto refused: without memory, or where a policy of the machine forbids the algorithm.
  case refused

  /// Completes "the digest cannot be computed: ...".
  package var reason: String {
    switch self {
    case .libraryMissing(let reason): "libcrypto cannot be loaded: \(reason)"
    case .refused: "libcrypto refused"
    }
  }
}

/// A digest of bytes that come piece by piece. Letting go of it forgets it.
///
/// - Source: FIPS 180-4, by libcrypto, which is loaded when the first one is made.
package struct Digester: ~Copyable {
  private let context: UnsafeMutableRawPointer
  private let algorithm: DigestAlgorithm

  package init(_ algorithm: DigestAlgorithm) throws(DigestError) {
    try Self.loadLibrary()
    guard let context = crypto_digest_start(algorithm == .sha256 ? crypto_sha256 : crypto_sha512) else {
      throw .refused
    }
    self.context = context
    self.algorithm = algorithm
  }

  deinit { crypto_digest_free(context) }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) throws(DigestError) {
    guard crypto_digest_update(context, bytes.baseAddress, bytes.count) else { throw .refused }
  }

  package mutating func update(_ bytes: [UInt8]) throws(DigestError) {
    let isTaken = bytes.withUnsafeBytes { crypto_digest_update(context, $0.baseAddress, $0.count) }
    guard isTaken else { throw .refused }
  }

  /// - Returns: as many bytes as the algorithm's `byteCount`.
  package consuming func finish() throws(DigestError) -> [UInt8] {
    let context = context
    var isFinished = false
    let digest = [UInt8](unsafeUninitializedCapacity: Int(CRYPTO_DIGEST_MAXIMUM_SIZE)) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      isFinished = crypto_digest_finish(context, start)
      count = isFinished ? algorithm.byteCount : 0
    }
    guard isFinished else { throw .refused }
    return digest
  }

  fileprivate static func loadLibrary() throws(DigestError) {
    if let failure = crypto_load() { throw .libraryMissing(String(cString: failure)) }
  }
}

/// The digest of bytes that are at hand.
package func digest(of bytes: [UInt8], _ algorithm: DigestAlgorithm) throws(DigestError) -> [UInt8] {
  var digester = try Digester(algorithm)
  try digester.update(bytes)
  return try digester.finish()
}

/// HMAC-SHA-256: what tells nobody without the key whether two messages are the same.
///
/// - Returns: 32 bytes.
/// - Source: RFC 2104, by libcrypto.
package func keyedDigest(key: [UInt8], message: [UInt8]) throws(DigestError) -> [UInt8] {
  try Digester.loadLibrary()
  var digest = [UInt8](repeating: 0, count: DigestAlgorithm.sha256.byteCount)
  let isDone = key.withUnsafeBytes { key in
    message.withUnsafeBytes { message in
      digest.withUnsafeMutableBufferPointer { digest in
        guard let start = digest.baseAddress else { return false }
        return crypto_hmac_sha256(key.baseAddress, key.count, message.baseAddress, message.count, start)
      }
    }
  }
  guard isDone else { throw .refused }
  return digest
}
