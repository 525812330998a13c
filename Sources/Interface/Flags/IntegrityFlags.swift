import FlagTable
package import HTTPSemantics

/// The digest that a body must have.
package struct IntegrityOptions: Equatable, Sendable {
  package private(set) var expected: Integrity?
  /// Whether options name two different digests: it cannot be told which one is meant for a body.
  package private(set) var isContradicted = false

  package mutating func expect(_ integrity: Integrity) {
    if let expected, expected != integrity { isContradicted = true }
    expected = integrity
  }
}

enum IntegrityFlags {
  static let all: [Flag<Invocation>] = [sha256, integrity]

  static let sha256 = Flag<Invocation>(
    "sha256", value: "HEX", in: .integrity, facts: { _ in .init(also: .integrity) },
    summary: "Deliver the body only if HEX is its SHA-256 digest.",
    details: #"""
      HEX has 64 hexadecimal digits, with or without `sha256:` before them. It may be a line that sha256sum has printed;
      the name in it does not matter. The digest is that of the body as it is delivered: with \flag{compressed}, of the
      decoded body. A body with another digest is neither stored nor delivered, not even to standard output, and the
      exit status is 111. An error response is not delivered either, whatever its body, and the exit status is 22; with
      `--no-fail`, it is treated like any other response.

      If a stored response has the digest, it is delivered, whatever URL it came from and however old it is, because the
      digest identifies the content. A response that was requested with a digest before is found at once. Otherwise
      garner searches some of the stored responses before it asks the server (at most 1,000 responses and 32 MiB), and
      all of them if nothing may be sent or the server cannot be asked. With `--reload`, `--refresh` and `--no-store`,
      the server is asked in any case, and `network-first` asks it first.

      A digest is for one URL and its redirects. With several different URLs, or a second digest that differs, nothing
      is fetched, and the exit status is 2. Use \flag{next} to give each URL its own digest.
      """#
  ) { invocation, text throws(InvalidValue) in
    // The prefix that container images and many APIs write before the digits.
    let prefix = "sha256:".utf8
    var digits =
      ASCII.equalIgnoringCase(text.bytes.prefix(prefix.count), prefix)
      ? Array(text.bytes.dropFirst(prefix.count)) : text.bytes
    if digits.contains(ASCII.lineFeed) { throw .unacceptable("expected one digest, but there are several lines") }
    // The name of the file is behind it.
    if digits.count > digitCount, digits[digitCount] == ASCII.space { digits.removeLast(digits.count - digitCount) }
    guard let expected = Integrity(sha256: digits) else { throw fault(in: digits) }
    invocation.integrity.expect(expected)
  }

  /// The number of hexadecimal digits of a SHA-256 digest.
  private static let digitCount = 64

  /// Returns what is wrong with text that is no SHA-256 digest. The place is told, because a quoted value is cut, and
  /// may lack the last digits.
  private static func fault(in digits: [UInt8]) -> InvalidValue {
    let other = digits.firstIndex { Base16.value(of: $0) == nil }
    if digits.count == digitCount, let other {
      return .unacceptable("expected \(digitCount) hexadecimal digits, but character \(other + 1) is not one")
    }
    if other == nil, !digits.isEmpty {
      return .unacceptable("expected \(digitCount) hexadecimal digits, but there are \(digits.count)")
    }
    return .expected("\(digitCount) hexadecimal digits")
  }

  static let integrity = Flag<Invocation>(
    "integrity", value: "METADATA", in: .integrity, facts: { _ in .init(also: .integrity) },
    summary: "Deliver the body only if it has one of these digests.",
    details: #"""
      METADATA has the format of Subresource Integrity: `sha256-`, `sha384-` or `sha512-` and a digest in Base64, with
      several separated by spaces. Only the digests of the strongest algorithm count; digests of other algorithms beside
      them, such as `sha1-`, are ignored. Otherwise like \flag{sha256}.

          garner --integrity sha256-DIGEST URL
      """#
  ) { invocation, text throws(InvalidValue) in
    guard let expected = Integrity(metadata: text.bytes) else {
      throw .expected("sha256-, sha384- or sha512- and a digest in Base64")
    }
    invocation.integrity.expect(expected)
  }
}
