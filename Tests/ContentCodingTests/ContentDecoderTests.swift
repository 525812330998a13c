import ContentCoding
import Testing

/// Decodes content in pieces, and returns the result or throws the error that ends it.
private func decode(_ content: [UInt8], _ codings: [ContentCoding], pieceBytes: Int = .max) throws -> [UInt8] {
  var decoder = try ContentDecoder(codings)
  var decoded: [UInt8] = []
  var rest = content[...]
  while !rest.isEmpty {
    let piece = Array(rest.prefix(pieceBytes))
    rest = rest.dropFirst(piece.count)
    _ = try feed(&decoder, piece) { decoded += $0 }
  }
  try decoder.finish()
  return decoded
}

private func feed(
  _ decoder: inout ContentDecoder, _ piece: [UInt8], _ sink: (UnsafeRawBufferPointer) -> Void
) throws -> Bool {
  try piece.withUnsafeBytes { bytes in
    try decoder.feed(bytes) { decoded in
      sink(decoded)
      return true
    }
  }
}

struct ContentDecoderTests {
  struct Sample: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let codings: [ContentCoding]
    let coded: [UInt8]
    let plain: [UInt8]
  }

  static let sentence = Array(String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 40).utf8)
  /// Longer than an output buffer, and with little repetition.
  static let long: [UInt8] = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
  static let brotliSentence = Compression.bytes(
    hexadecimal: "1b0707882c0e78d3d0955d9710bb172ba9cad092cc8cad415ce6f236c8199e9e0a7b83"
      + "0d387048206f24bf41a715ce1c1e27aa2938c2a9749f0603")

  static let samples: [Sample] = [
    Sample(testDescription: "identity", codings: [.identity], coded: sentence, plain: sentence),
    Sample(testDescription: "no coding at all", codings: [], coded: sentence, plain: sentence),
    Sample(testDescription: "gzip", codings: [.gzip], coded: Compression.gzip(long), plain: long),
    Sample(testDescription: "gzip of nothing", codings: [.gzip], coded: Compression.gzip([]), plain: []),
    Sample(
      testDescription: "gzip of two members", codings: [.gzip],
      coded: Compression.gzip(sentence) + Compression.gzip(long), plain: sentence + long),
    Sample(
      testDescription: "gzip padded with zeros", codings: [.gzip],
      coded: Compression.gzip(sentence) + [0, 0, 0], plain: sentence),
    Sample(
      testDescription: "deflate in zlib's format", codings: [.deflate],
      coded: Compression.deflated(long, windowBits: 15), plain: long),
    Sample(
      testDescription: "raw deflate", codings: [.deflate],
      coded: Compression.deflated(long, windowBits: -15), plain: long),
    Sample(testDescription: "br", codings: [.brotli], coded: brotliSentence, plain: sentence),
    Sample(testDescription: "zstd", codings: [.zstd], coded: Compression.zstd(long), plain: long),
    Sample(
      testDescription: "zstd of two frames", codings: [.zstd],
      coded: Compression.zstd(sentence) + Compression.zstd(long), plain: sentence + long),
    Sample(
      testDescription: "gzip after zstd after deflate", codings: [.deflate, .zstd, .gzip],
      coded: Compression.gzip(Compression.zstd(Compression.deflated(long, windowBits: 15))), plain: long),
  ]

  static let pieces = [1, 2, 1021, Int.max]

  @Test("Content is decoded unchanged, in pieces of any size", arguments: samples, pieces)
  func roundTrip(sample: Sample, pieceBytes: Int) throws {
    let decoded = try decode(sample.coded, sample.codings, pieceBytes: pieceBytes)
    #expect(decoded == sample.plain)
  }

  @Test("Content that ends early is truncated", arguments: samples.filter { $0.codings.contains { $0 != .identity } })
  func truncation(sample: Sample) throws {
    // Every length of a short sample, some of a long one. A cut between two members leaves whole content.
    let count = sample.coded.count
    for cut in stride(from: 1, to: count, by: max(1, count / 50)) {
      let outcome = Result { try decode(Array(sample.coded[..<cut]), sample.codings) }
      switch outcome {
      case .failure(let error as ContentCodingError):
        guard case .truncated = error else {
          Issue.record("cut at \(cut): \(error.reason)")
          return
        }
      case .failure(let error): Issue.record("cut at \(cut): \(error)")
      case .success(let decoded): #expect(decoded == sample.plain, "cut at \(cut)")
      }
    }
  }

  @Test("Empty content is complete in any coding", arguments: ContentCoding.allCases)
  func emptyContent(coding: ContentCoding) throws {
    #expect(try decode([], [coding]) == [])
  }

  static let malformed: [Sample] = [
    Sample(testDescription: "text that is called gzip", codings: [.gzip], coded: sentence, plain: []),
    Sample(testDescription: "text that is called deflate", codings: [.deflate], coded: [0xff, 0xff, 1], plain: []),
    Sample(testDescription: "text that is called br", codings: [.brotli], coded: [0xff, 0xff, 1, 2], plain: []),
    Sample(testDescription: "text that is called zstd", codings: [.zstd], coded: sentence, plain: []),
    Sample(
      testDescription: "gzip with a wrong checksum", codings: [.gzip],
      coded: flipped(Compression.gzip(sentence), fromEnd: 6), plain: []),
    Sample(
      testDescription: "gzip with text after it", codings: [.gzip],
      coded: Compression.gzip(sentence) + Array("tail".utf8), plain: []),
    Sample(
      testDescription: "br with a byte after it", codings: [.brotli], coded: brotliSentence + [0], plain: []),
    Sample(
      testDescription: "zstd with text after it", codings: [.zstd],
      coded: Compression.zstd(sentence) + Array("tail".utf8), plain: []),
    Sample(
      testDescription: "gzip that does not contain the announced zstd", codings: [.zstd, .gzip],
      coded: Compression.gzip(sentence), plain: []),
    // The magic number of zstd 0.5, and a window of 64 MiB.
    Sample(
      testDescription: "zstd in a format before RFC 8878", codings: [.zstd],
      coded: [0x25, 0xb5, 0x2f, 0xfd, 0x0f, 0xc0, 0x00, 0x00], plain: []),
    Sample(
      testDescription: "zstd before RFC 8878 after a current frame", codings: [.zstd],
      coded: Compression.zstd(sentence) + [0x25, 0xb5, 0x2f, 0xfd, 0x0f, 0xc0, 0x00, 0x00], plain: []),
  ]

  private static func flipped(_ bytes: [UInt8], fromEnd distance: Int) -> [UInt8] {
    var bytes = bytes
    bytes[bytes.count - distance] ^= 1
    return bytes
  }

  @Test("Data that does not match its coding is malformed", arguments: malformed, pieces)
  func malformedContent(sample: Sample, pieceBytes: Int) throws {
    let error = try #require(throws: ContentCodingError.self) {
      try decode(sample.coded, sample.codings, pieceBytes: pieceBytes)
    }
    guard case .malformed = error else {
      Issue.record("\(error.reason)")
      return
    }
  }

  @Test("A zstd window larger than RFC 9659 allows is reported as too large", arguments: pieces)
  func window(pieceBytes: Int) {
    // A frame header that asks for a window of 16 MiB: descriptor 0, window descriptor 14 << 3.
    let coded: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 14 << 3, 0x01, 0x00, 0x00]
    #expect(throws: ContentCodingError.windowTooLarge) { try decode(coded, [.zstd], pieceBytes: pieceBytes) }
  }

  /// 80 MiB of zeros, which is above the size from which the ratio counts.
  static let zeros = [UInt8](repeating: 0, count: 80 << 20)
  static let brotliZeros = Compression.bytes(
    hexadecimal: "cbffff3ff82700e2b14020f7fe8fffff7ff04f00c4611180eefd1fffffffe09f0088c30200ddfb3ffeffffc1"
      + "3f0110870500baf77ffcffff837f02200e0b0074effff8ffff07ff04401c1600e8defff1ffff0ffe0980382c00d0bdffe3ffff1f"
      + "fc1300715800a07bffc7ffff3ff82700e2b00040f7fe2ffffffff04f00c4610180eefd1f")
  static let bombs: [Sample] = [
    Sample(testDescription: "gzip", codings: [.gzip], coded: Compression.gzip(zeros), plain: []),
    Sample(testDescription: "br", codings: [.brotli], coded: brotliZeros, plain: []),
    Sample(testDescription: "zstd", codings: [.zstd], coded: Compression.zstd(zeros), plain: []),
    Sample(
      testDescription: "gzip in gzip", codings: [.gzip, .gzip],
      coded: Compression.gzip(Compression.gzip(zeros)), plain: []),
  ]

  @Test("Content that grows above the default ratio is a bomb", arguments: bombs)
  func bomb(sample: Sample) throws {
    var decoder = try ContentDecoder(sample.codings)
    var decoded = 0
    let error = try #require(throws: ContentCodingError.self) {
      _ = try feed(&decoder, sample.coded) { decoded += $0.count }
    }
    guard case .bomb = error else {
      Issue.record("\(error.reason)")
      return
    }
    #expect(decoded <= Int(ContentDecoder.ratioFloorBytes))
  }

  @Test("The caller sets the ratio from which content is a bomb", arguments: [nil, 16, 1_000_000])
  func ratio(_ ratio: Int64?) throws {
    let coded = Compression.gzip(Self.zeros)
    let isBomb = ratio == 16
    var decoder = try ContentDecoder([.gzip], maximumRatio: ratio)
    var decoded = 0
    var failure: ContentCodingError?
    do {
      _ = try feed(&decoder, coded) { decoded += $0.count }
    } catch let error as ContentCodingError {
      failure = error
    }
    #expect(failure == (isBomb ? .bomb(ratio: 16) : nil))
    #expect((decoded == Self.zeros.count) == !isBomb)
  }

  @Test("A sink that wants no more stops the decoder")
  func sinkStops() throws {
    var decoder = try ContentDecoder([.gzip])
    var calls = 0
    let wantsMore = try Compression.gzip(Self.long).withUnsafeBytes { bytes in
      try decoder.feed(bytes) { _ in
        calls += 1
        return false
      }
    }
    #expect(!wantsMore)
    #expect(calls == 1)
  }
}

struct ContentCodingNameTests {
  @Test(
    "A coding is recognised by its names in any case",
    arguments: [
      ("gzip", ContentCoding.gzip), ("x-gzip", .gzip), ("GZip", .gzip), ("deflate", .deflate), ("br", .brotli),
      ("zstd", .zstd), ("identity", .identity), ("None", .identity),
    ])
  func knownNames(name: String, coding: ContentCoding) {
    #expect(ContentCoding(name: name.utf8) == coding)
  }

  @Test("An unknown coding is refused with its name", arguments: ["compress", "", "gzi", "gzip ", "MZIP"])
  func unknownNames(name: String) {
    let names = [Array("gzip".utf8), Array(name.utf8)]
    #expect(throws: ContentCodingError.unknown(name: Array(name.utf8))) {
      _ = try ContentDecoder(names: names).isIdentity
    }
  }

  @Test("Five codings are decoded, and six are refused")
  func limit() throws {
    let gzip = Array("gzip".utf8)
    #expect(try !ContentDecoder(names: Array(repeating: gzip, count: 5)).isIdentity)
    #expect(throws: ContentCodingError.tooMany(count: 6)) {
      _ = try ContentDecoder(names: Array(repeating: gzip, count: 6)).isIdentity
    }
  }
}
