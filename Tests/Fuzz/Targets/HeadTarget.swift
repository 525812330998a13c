import HTTPCaching

@testable import CacheStore

extension FuzzTarget {
  /// The payload of a head whose checksums are assumed to be right.
  static let head = FuzzTarget("head", longestInput: 4_096) { (bytes) throws(Violation) in
    var input = FuzzInput(bytes)
    let kind = Preamble.Kind(rawValue: input.byte() % 4) ?? .response
    let length = kind == .variants ? 0 : UInt64(input.byte())
    let preamble = Preamble(kind, Generation(low: 1, high: 2), contentLength: length)
    guard let head = try? HeadCodec.decode(input.rest, preamble) else { return }
    try HeadChecks.check(head, preamble)
  }
}

/// The properties of every head that can be read.
enum HeadChecks {
  static func check(_ head: EntryHead, _ preamble: Preamble) throws(Violation) {
    guard let bytes = encoded(head) else {
      // Invalid UTF-8 grows when it is read as text. Only a head near its size limit cannot be encoded again for that
      // reason.
      return
    }
    guard let again = try? HeadCodec.decode(bytes[...], preamble) else {
      throw Violation("what was encoded cannot be decoded")
    }
    try require(again == head, "a head that is encoded and decoded is another one")
    try require(encoded(again) == bytes, "a head has two encodings")
    switch head {
    case .response(let stored, _):
      try require(stored.contentLength == preamble.contentLength, "the length is not the preamble's")
      let held = stored.heldBytes
      try require(held.upperBound - held.lowerBound == stored.contentLength, "what is held is not the content")
      try check(EntryName(stored.key), selectedBy: stored.selecting)
    case .variants(let list):
      try require(list.variants.count <= VariantList.maximumCount, "there are too many variants")
      for variant in list.variants { try check(EntryName(list.key), selectedBy: variant) }
    }
  }

  /// - Returns: `nil` if the head exceeds its bounds.
  private static func encoded(_ head: EntryHead) -> [UInt8]? {
    var writer = ByteWriter()
    return HeadCodec.append(head, to: &writer) ? writer.bytes : nil
  }

  private static func check(_ name: EntryName, selectedBy selecting: SelectingFields) throws(Violation) {
    let variant = name.variant(selecting)
    for name in [name, variant, name.part] {
      try require(EntryName(inListing: name.fileName) == name, "a listing does not find \(name)")
    }
    try require(variant.isVariant(of: name) && !name.isVariant(of: variant), "\(variant) is no variant of \(name)")
    try require(name.part.isPart && !name.isPart && !variant.isPart, "\(name) and its part are not told apart")
    let canonical = HeadCodec.canonicalBytes(of: selecting)
    let read = canonical.withUnsafeBufferPointer { try? HeadCodec.selecting($0) }
    try require(read == selecting, "selecting fields do not survive their encoding")
  }
}
