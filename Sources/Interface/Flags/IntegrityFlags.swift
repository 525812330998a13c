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
    summary: "Deliver the body only if this is its SHA-256.",
    details: #"""
      HEX is what sha256sum prints, with `sha256:` before it or without. The body is that which is delivered: with
      \flag{compressed}, as it is decoded. What has another digest is neither stored nor delivered, not even to standard
      output, and the exit status is 111. Nor is an error, whatever its body, and the exit status is 22; `--no-fail`
      takes it as any other response.

      Where a stored response has the digest, it is delivered, from whatever URL it came and however old it is: the
      digest says all that there is to know. One that a digest has been asked of before is found at once; else some of
      what is stored is looked through before the server is asked (1,000 responses and 32 MiB at most), and all of it
      where nothing may be sent, or the server cannot be asked. `--reload`, `--refresh` and `--no-store` ask the server
      all the same, and `network-first` asks it before.

      A digest is for one URL, and for whatever that redirects to. With several that differ, or another digest beside
      it, nothing is fetched, and the exit status is 2: \flag{next} gives each URL its own.
      """#
  ) { invocation, text throws(InvalidValue) in
    // The prefix that container images and many APIs write before the digits.
    let prefix = "sha256:".utf8
    let digits =
      ASCII.equalIgnoringCase(text.bytes.prefix(prefix.count), prefix)
      ? Array(text.bytes.dropFirst(prefix.count)) : text.bytes
    guard let expected = Integrity(.sha256, hexadecimal: digits) else {
      // The place is told, because a quoted value is cut and may lack the last digits.
      let other = digits.firstIndex { Base16.value(of: $0) == nil }
      if digits.count == 64, let other {
        throw .unacceptable("expected 64 hexadecimal digits, and the one at \(other + 1) is none")
      }
      if other == nil, !digits.isEmpty {
        throw .unacceptable("expected 64 hexadecimal digits, and there are \(digits.count)")
      }
      throw .expected("64 hexadecimal digits")
    }
    invocation.integrity.expect(expected)
  }

  static let integrity = Flag<Invocation>(
    "integrity", value: "METADATA", in: .integrity, facts: { _ in .init(also: .integrity) },
    summary: "Deliver the body only if it has one of these digests.",
    details: #"""
      METADATA is that of Subresource Integrity: `sha256-`, `sha384-` or `sha512-` and the digest in Base64; several
      with spaces between them. Of those, only the ones of the strongest algorithm count; `sha1-` and the like are
      passed over beside them. Otherwise as \flag{sha256}.

          garner --integrity sha256-DIGEST URL
      """#
  ) { invocation, text throws(InvalidValue) in
    guard let expected = Integrity(metadata: text.bytes) else {
      throw .expected("sha256-, sha384- or sha512- and a digest in Base64")
    }
    invocation.integrity.expect(expected)
  }
}
