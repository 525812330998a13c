import CDigest

/// The digests that garner checks: those of RFC 9530 and of Subresource Integrity, and SHA-1, which archives name.
package enum DigestAlgorithm: Equatable, Sendable, CaseIterable {
  /// Detects damage, but not forgery.
  case sha1
  case sha256
  case sha384
  case sha512

  /// The length of a digest, in bytes.
  package var byteCount: Int {
    switch self {
    case .sha1: Int(SHA_DIGEST_LENGTH)
    case .sha256: Int(SHA256_DIGEST_LENGTH)
    case .sha384: Int(SHA384_DIGEST_LENGTH)
    case .sha512: Int(SHA512_DIGEST_LENGTH)
    }
  }
}

/// A digest of bytes that come piece by piece.
///
/// - Source: FIPS 180-4, by libcrypto. Its functions fail only for a context of another algorithm, so their results are
///   not checked.
package struct Digester {
  private enum Context {
    case sha1(SHA_CTX)
    case sha256(SHA256_CTX)
    // SHA-384 is SHA-512 with other initial values, cut short in the end.
    case sha384(SHA512_CTX)
    case sha512(SHA512_CTX)
  }

  private var context: Context

  /// Makes libcrypto find out what the processor can do. It is done here, so that a start that digests nothing does not
  /// wait.
  private static let knownProcessor: Void = OPENSSL_cpuid_setup()

  package init(_ algorithm: DigestAlgorithm) {
    _ = Self.knownProcessor
    switch algorithm {
    case .sha1:
      var state = SHA_CTX()
      SHA1_Init(&state)
      context = .sha1(state)
    case .sha256:
      var state = SHA256_CTX()
      SHA256_Init(&state)
      context = .sha256(state)
    case .sha384:
      var state = SHA512_CTX()
      SHA384_Init(&state)
      context = .sha384(state)
    case .sha512:
      var state = SHA512_CTX()
      SHA512_Init(&state)
      context = .sha512(state)
    }
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    switch context {
    case .sha1(var state):
      SHA1_Update(&state, bytes.baseAddress, bytes.count)
      context = .sha1(state)
    case .sha256(var state):
      SHA256_Update(&state, bytes.baseAddress, bytes.count)
      context = .sha256(state)
    case .sha384(var state):
      SHA384_Update(&state, bytes.baseAddress, bytes.count)
      context = .sha384(state)
    case .sha512(var state):
      SHA512_Update(&state, bytes.baseAddress, bytes.count)
      context = .sha512(state)
    }
  }

  package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

  /// - Returns: as many bytes as the algorithm's `byteCount`.
  package consuming func finish() -> [UInt8] {
    switch context {
    case .sha1(var state):
      var digest = [UInt8](repeating: 0, count: DigestAlgorithm.sha1.byteCount)
      SHA1_Final(&digest, &state)
      return digest
    case .sha256(var state):
      var digest = [UInt8](repeating: 0, count: DigestAlgorithm.sha256.byteCount)
      SHA256_Final(&digest, &state)
      return digest
    case .sha384(var state):
      var digest = [UInt8](repeating: 0, count: DigestAlgorithm.sha384.byteCount)
      SHA384_Final(&digest, &state)
      return digest
    case .sha512(var state):
      var digest = [UInt8](repeating: 0, count: DigestAlgorithm.sha512.byteCount)
      SHA512_Final(&digest, &state)
      return digest
    }
  }
}

/// Returns the digest of all of `bytes`.
package func digest(of bytes: [UInt8], _ algorithm: DigestAlgorithm) -> [UInt8] {
  var digester = Digester(algorithm)
  digester.update(bytes)
  return digester.finish()
}

/// HMAC-SHA-256: without the key, nobody can tell whether two messages are the same.
///
/// - Returns: 32 bytes.
/// - Source: RFC 2104 section 2.
package func keyedDigest(key: [UInt8], message: [UInt8]) -> [UInt8] {
  let blockBytes = Int(SHA256_CBLOCK)
  var block = key.count > blockBytes ? digest(of: key, .sha256) : key
  block += [UInt8](repeating: 0, count: blockBytes - block.count)
  var inner = Digester(.sha256)
  inner.update(block.map { $0 ^ 0x36 })
  inner.update(message)
  var outer = Digester(.sha256)
  outer.update(block.map { $0 ^ 0x5c })
  outer.update(inner.finish())
  return outer.finish()
}
