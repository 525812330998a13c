import HTTPSemantics

extension FuzzTarget {
  /// Range and Content-Range. The first eight bytes are the length of the representation.
  static let ranges = FuzzTarget("ranges", longestInput: 96) { (bytes) throws(Violation) in
    var input = FuzzInput(bytes)
    let length = input.number()
    let value = FieldValue(input.rest)
    if let range = ByteRange(value) {
      try require(ByteRange(range.fieldValue) == range, "a range that is printed is another one")
      for length in [length] + lengths(about: range) {
        guard let resolved = range.resolved(in: length) else { continue }
        try require(!resolved.isEmpty && resolved.upperBound <= length, "\(range) is beyond \(length) bytes")
      }
    }
    if let range = ContentRange(value) {
      try require(!range.bytes.isEmpty, "a Content-Range is empty")
      try require(range.completeLength.map { range.bytes.upperBound <= $0 } ?? true, "\(range) is beyond its end")
      try require(ContentRange(printed(range)) == range, "a Content-Range that is printed is another one")
    }
  }

  /// Lengths at which a range is just cut short, or just not.
  private static func lengths(about range: ByteRange) -> [UInt64] {
    switch range {
    case .from(let first, through: let last): [first, last ?? first].flatMap { [$0, $0 &+ 1, $0 &+ 2] }
    case .suffix(let length): [0, length, length &+ 1, .max]
    }
  }

  private static func printed(_ range: ContentRange) -> FieldValue {
    let length = range.completeLength.map { "\($0)" } ?? "*"
    return FieldValue("bytes \(range.bytes.lowerBound)-\(range.bytes.upperBound - 1)/\(length)")
  }
}
