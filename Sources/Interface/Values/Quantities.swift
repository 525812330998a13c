package import FlagTable
import HTTPSemantics

/// The syntax of numbers with a unit.
package enum Quantities {
  /// 2^31 seconds: the greatest delta-seconds, and more than anybody waits.
  static let longestSeconds: Int64 = 1 << 31
  static var tooLong: InvalidValue { .expected("a time of at most \(longestSeconds - 1) seconds") }

  /// Reads `30s`, `10m`, `12h`, `7d`, `4w`, or a plain number of seconds, each with an optional decimal fraction.
  ///
  /// - Returns: less than `longestSeconds`.
  package static func duration(_ text: ArgumentText) throws(InvalidValue) -> Duration {
    let expectation = InvalidValue.expected("a time such as 30, 1.5, 30s, 10m, 12h, 7d or 4w")
    var rest = text.bytes[...]
    guard let number = Decimal(parsing: &rest), let unit = secondsPerUnit(rest) else { throw expectation }
    guard let (whole, fraction) = number.multiplied(by: unit), whole < longestSeconds else {
      throw tooLong
    }
    return .seconds(whole) + .nanoseconds(fraction)
  }

  /// As `duration`, in whole seconds.
  static func wholeSeconds(_ text: ArgumentText, roundingUp: Bool = false) throws(InvalidValue) -> Int64 {
    let (seconds, attoseconds) = try duration(text).components
    return roundingUp && attoseconds > 0 ? seconds + 1 : seconds
  }

  /// Reads `500K`, `20M`, `2GiB`, or a plain number of bytes, each with an optional decimal fraction.
  ///
  /// K, M, G and T, also with `iB`, are powers of 1024; with `B` alone they are powers of 1000. Their case does not
  /// matter.
  package static func byteCount(_ text: ArgumentText) throws(InvalidValue) -> Int64 {
    let expectation = InvalidValue.expected("a size such as 4096, 500K, 20M or 2GiB")
    var rest = text.bytes[...]
    guard let number = Decimal(parsing: &rest), let unit = bytesPerUnit(rest) else { throw expectation }
    guard let (whole, _) = number.multiplied(by: unit) else { throw .expected("a smaller size") }
    return whole
  }

  /// Reads a decimal number without sign.
  package static func count(_ text: ArgumentText) throws(InvalidValue) -> Int {
    let isNumber = !text.bytes.isEmpty && text.bytes.allSatisfy(ASCII.isDigit)
    guard isNumber, let string = text.string else { throw .expected("a whole number") }
    guard let number = Int(string) else { throw .expected("a smaller number") }
    return number
  }

  private static func secondsPerUnit(_ unit: ArraySlice<UInt8>) -> Int64? {
    switch ArgumentText(unit).string {
    case "", "s": 1
    case "m": 60
    case "h": 3_600
    case "d": 86_400
    case "w": 604_800
    default: nil
    }
  }

  private static func bytesPerUnit(_ unit: ArraySlice<UInt8>) -> Int64? {
    let powers = "kmgt".utf8
    guard let letter = unit.first else { return 1 }
    if letter | 0x20 == UInt8(ascii: "b"), unit.count == 1 { return 1 }
    guard let place = powers.firstIndex(of: letter | 0x20) else { return nil }
    let power = powers.distance(from: powers.startIndex, to: place) + 1
    let base: Int64
    switch ArgumentText(unit.dropFirst()).string {
    case "", "iB", "ib", "IB", "Ib": base = 1_024
    case "B", "b": base = 1_000
    default: return nil
    }
    return (0..<power).reduce(1) { product, _ in product * base }
  }
}

/// A number with at most nine decimals; further ones are dropped.
private struct Decimal {
  private static let scale: Int64 = 1_000_000_000
  /// The most digits of which an Int64 holds every number.
  private static let longestWhole = 18
  private static let longestFraction = 9

  private var whole: Int64 = 0
  /// Whether it has more digits than are read.
  private var isTooLong = false
  private var billionths: Int64 = 0

  /// Takes the number from the front of `text`.
  init?(parsing text: inout ArraySlice<UInt8>) {
    let digits = text.prefix(while: ASCII.isDigit)
    let significant = digits.drop { $0 == ASCII.zero }
    isTooLong = significant.count > Self.longestWhole
    whole = Self.value(of: significant.prefix(Self.longestWhole))
    text = text.dropFirst(digits.count)
    guard text.first == ASCII.period else {
      if digits.isEmpty { return nil }
      return
    }
    let decimals = text.dropFirst().prefix(while: ASCII.isDigit)
    guard !digits.isEmpty || !decimals.isEmpty else { return nil }
    let kept = decimals.prefix(Self.longestFraction)
    billionths = (kept.count..<Self.longestFraction).reduce(Self.value(of: kept)) { value, _ in value * 10 }
    text = text.dropFirst(1 + decimals.count)
  }

  /// - Returns: the whole part and billionths of the product; `nil` on overflow.
  func multiplied(by factor: Int64) -> (whole: Int64, billionths: Int64)? {
    if isTooLong { return nil }
    let (product, overflows) = whole.multipliedReportingOverflow(by: factor)
    // The quotient fits: as `billionths` is less than `scale`, it is less than `factor`.
    let (quotient, remainder) = Self.scale.dividingFullWidth(billionths.multipliedFullWidth(by: factor))
    let (sum, overflowsAgain) = product.addingReportingOverflow(quotient)
    return overflows || overflowsAgain ? nil : (sum, remainder)
  }

  private static func value(of digits: ArraySlice<UInt8>) -> Int64 {
    digits.reduce(0) { $0 * 10 + Int64($1 - ASCII.zero) }
  }
}
