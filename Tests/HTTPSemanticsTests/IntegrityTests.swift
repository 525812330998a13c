import HTTPSemantics
import TestTraits
import Testing

/// Integrity metadata (Subresource Integrity section 3).
@Suite struct IntegrityTests {
  private static let zeros = String(repeating: "A", count: 43) + "="
  private static let ones = "//" + String(repeating: "/", count: 40) + "8="
  private static let longZeros = String(repeating: "A", count: 86) + "=="
  private static let middleZeros = String(repeating: "A", count: 64)
  private static let fs = String(repeating: "f", count: 63)
  private static let middleZeroBytes = [UInt8](repeating: 0, count: 48)
  private static let longZeroBytes = [UInt8](repeating: 0, count: 64)
  private static let zeroBytes = [UInt8](repeating: 0, count: 32)
  private static let oneBytes = [UInt8](repeating: 0xff, count: 32)

  @Test(
    arguments: [
      Row("one digest", "sha256-\(zeros)", Integrity(.sha256, [zeroBytes])),
      Row(
        "several digests, with any white space between them", " sha256-\(zeros)\t\nsha256-\(ones)  ",
        Integrity(.sha256, [zeroBytes, oneBytes])),
      Row(
        "the strongest algorithm counts", "sha256-\(ones) sha512-\(longZeros) sha256-\(zeros)",
        Integrity(.sha512, [longZeroBytes])),
      Row(
        "sha384 is stronger than sha256", "sha384-\(middleZeros) sha256-\(zeros)",
        Integrity(.sha384, [middleZeroBytes])),
      Row("the name of an algorithm is not case-sensitive", "SHA256-\(zeros)", Integrity(.sha256, [zeroBytes])),
      Row("options are ignored", "sha256-\(zeros)?foo", Integrity(.sha256, [zeroBytes])),
      Row("empty", "", nil), Row("an unknown algorithm", "md5-\(zeros)", nil),
      Row(
        "an unknown algorithm beside a digest is ignored", "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk= sha256-\(zeros) x-y",
        Integrity(.sha256, [zeroBytes])),
      Row("several unknown algorithms", "sha1-AAAA md5-AAAA", nil),
      Row("a digest of a wrong length", "sha512-\(zeros)", nil), Row("no digest", "sha256-", nil),
      Row("a digest of a wrong length beside a right one", "sha512-\(zeros) sha256-\(zeros)", nil),
      Row("a digest without an algorithm beside a right one", "-\(zeros) sha256-\(zeros)", nil),
      Row("an algorithm without a digest beside a right one", "sha1- sha256-\(zeros)", nil),
      Row("a digest with a space in it", "sha256-\(zeros.prefix(9)) \(zeros.dropFirst(9))", nil),
      Row("half a digest beside a right one", "sha256-\(zeros) \(zeros.dropFirst(9))", nil),
      Row("invalid Base64", "sha256-???", nil), Row("no hyphen", "sha256", nil),
    ] as [Row<String, Integrity?>])
  func `integrity metadata is read whole or not at all`(_ row: Row<String, Integrity?>) {
    #expect(Integrity(metadata: row.subject.utf8) == row.outcome)
  }

  @Test(
    arguments: [
      Row("64 digits in any case", fs + "F", Integrity(.sha256, [oneBytes])),
      Row("a digit too few", fs, nil), Row("nothing", "", nil),
      Row("a letter that is no digit", fs + "g", nil),
      Row("a space", fs + " ", nil),
    ] as [Row<String, Integrity?>])
  func `a digest in hexadecimal digits is read whole or not at all`(_ row: Row<String, Integrity?>) {
    #expect(Integrity(sha256: row.subject.utf8) == row.outcome)
  }
}
