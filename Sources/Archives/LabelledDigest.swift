package import Digests
import HTTPSemantics

/// A digest with the name of its algorithm, as in WARC-Block-Digest and WARC-Payload-Digest.
///
/// - Source: WARC 1.1, section 5.8.
package struct LabelledDigest: Hashable, Sendable {
  package let algorithm: DigestAlgorithm
  package let bytes: [UInt8]

  package init(_ algorithm: DigestAlgorithm, _ bytes: [UInt8]) {
    self.algorithm = algorithm
    self.bytes = bytes
  }

  /// Reads `algorithm ":" digest`. The standard does not say how the digest is encoded: base32 is usual, base16 and
  /// base64 occur, and the length tells which one it is.
  ///
  /// - Returns: `nil` if the algorithm is unknown, or the text is no digest of that algorithm.
  package init?(_ value: [UInt8]) {
    guard let colon = value.firstIndex(of: ASCII.colon), let algorithm = Self.algorithm(value[..<colon]) else {
      return nil
    }
    let text = value[(colon + 1)...]
    let digits = text.prefix { $0 != ASCII.equals }.count
    let bits = algorithm.byteCount * 8
    let decoded =
      switch digits {
      case bits / 4: Base16.decode(text)
      case (bits + 4) / 5: Base32.decode(text)
      case (bits + 5) / 6: Base64.decode(text[...])
      default: [UInt8]?.none
      }
    guard let decoded, decoded.count == algorithm.byteCount else { return nil }
    self.init(algorithm, decoded)
  }

  /// The label and the digest in base32.
  package var text: String { "\(Self.name(of: algorithm)):\(Base32.encode(bytes))" }

  private static func algorithm(_ name: ArraySlice<UInt8>) -> DigestAlgorithm? {
    DigestAlgorithm.allCases.first { algorithm in
      let label = Self.name(of: algorithm)
      return ASCII.equalIgnoringCase(label.utf8, name.filter { $0 != ASCII.hyphen })
    }
  }

  private static func name(of algorithm: DigestAlgorithm) -> String {
    switch algorithm {
    case .sha1: "sha1"
    case .sha256: "sha256"
    case .sha384: "sha384"
    case .sha512: "sha512"
    }
  }
}
