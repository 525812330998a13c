/// Paths and percent-encoding (RFC 3986 sections 2.1 and 5.2.4).
package enum PathSyntax {
  /// Returns path and query, with dot segments removed or kept, and with everything percent-encoded that a request line
  /// cannot carry.
  static func normalized(
    _ pathAndQuery: ArraySlice<UInt8>, _ dotSegments: URIReference.DotSegments = .removed
  ) -> String {
    let queryStart = pathAndQuery.firstIndex(of: ASCII.questionMark) ?? pathAndQuery.endIndex
    let isVisible = { (byte: UInt8) in byte > ASCII.space && byte < 0x7f }
    // Nearly always, nothing needs to be changed.
    if pathAndQuery.first == ASCII.slash, !hasSegmentWithLeadingPeriod(pathAndQuery[..<queryStart]),
      pathAndQuery.allSatisfy(isVisible)
    {
      return String(decoding: pathAndQuery, as: UTF8.self)
    }
    let path =
      switch dotSegments {
      case .removed: withoutDotSegments(pathAndQuery[..<queryStart])
      case .kept: rooted(pathAndQuery[..<queryStart])
      }
    let query = encoded(pathAndQuery[queryStart...], keeping: isVisible)
    return String(decoding: encoded(path[...], keeping: isVisible) + query, as: UTF8.self)
  }

  private static func rooted(_ path: ArraySlice<UInt8>) -> [UInt8] {
    path.first == ASCII.slash ? Array(path) : [ASCII.slash] + path
  }

  /// Encodes what an option adds to a query, including `#`, which would end it.
  static func encodedQuery(_ bytes: [UInt8]) -> String {
    String(
      decoding: encoded(bytes[...]) { $0 > ASCII.space && $0 < 0x7f && $0 != ASCII.numberSign }, as: UTF8.self)
  }

  /// Encodes a name as one segment of a path: everything but the unreserved characters is `%XX`.
  static func encodedSegment(_ bytes: [UInt8]) -> String {
    String(decoding: encoded(bytes[...], keeping: isUnreserved), as: UTF8.self)
  }

  /// `unreserved = ALPHA / DIGIT / "-" / "." / "_" / "~"`, RFC 3986 section 2.3.
  static func isUnreserved(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~".utf8.contains(byte)
  }

  /// Decodes each `%XX`. A percent sign without two hexadecimal digits behind it stays as it is.
  package static func percentDecoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == ASCII.percent, rest.count >= 2,
        let high = Base16.value(of: rest[rest.startIndex]), let low = Base16.value(of: rest[rest.startIndex + 1])
      {
        decoded.append(high << 4 | low)
        rest.removeFirst(2)
      } else {
        decoded.append(byte)
      }
    }
    return decoded
  }

  /// Encodes a value as a form sends it: a space becomes `+`, and everything but the unreserved characters `%XX`, as in
  /// curl.
  package static func formEncoded(_ bytes: [UInt8]) -> [UInt8] {
    let kept = encoded(bytes[...]) { isUnreserved($0) || $0 == ASCII.space }
    return kept.map { $0 == ASCII.space ? ASCII.plus : $0 }
  }

  private static func encoded(_ bytes: ArraySlice<UInt8>, keeping isKept: (UInt8) -> Bool) -> [UInt8] {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(bytes.count)
    for byte in bytes {
      if isKept(byte) {
        encoded.append(byte)
      } else {
        appendPercentEncoded(byte, to: &encoded)
      }
    }
    return encoded
  }

  /// Appends the byte as `%XX`, with capitals: "URI producers and normalizers should use uppercase hexadecimal digits"
  /// (RFC 3986 section 2.1).
  package static func appendPercentEncoded(_ byte: UInt8, to encoded: inout [UInt8]) {
    encoded.append(ASCII.percent)
    Base16.append(byte, to: &encoded, ten: UInt8(ascii: "A"))
  }

  /// Removes dot segments, and makes the path begin with a slash (RFC 3986 section 5.2.4).
  private static func withoutDotSegments(_ path: ArraySlice<UInt8>) -> [UInt8] {
    if path.first == ASCII.slash, !hasSegmentWithLeadingPeriod(path) { return Array(path) }
    var kept: [ArraySlice<UInt8>] = []
    var segments = path.split(separator: ASCII.slash, omittingEmptySubsequences: false)[...]
    if segments.first?.isEmpty == true { segments.removeFirst() }
    while let segment = segments.popFirst() {
      if segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8) {
        if segment.count == 2 { _ = kept.popLast() }
        // A dot segment at the end leaves the slash of the directory that it names.
        if segments.isEmpty { kept.append([]) }
      } else {
        kept.append(segment)
      }
    }
    var joined: [UInt8] = []
    for segment in kept {
      joined.append(ASCII.slash)
      joined += segment
    }
    return joined.isEmpty ? [ASCII.slash] : joined
  }

  /// Whether a segment begins with a period. Mostly none does, and the path need not be taken apart.
  private static func hasSegmentWithLeadingPeriod(_ path: ArraySlice<UInt8>) -> Bool {
    var isAtStart = false
    for byte in path {
      if isAtStart, byte == ASCII.period { return true }
      isAtStart = byte == ASCII.slash
    }
    return false
  }
}
