import HTTPSemantics

extension FuzzTarget {
  /// A date, read at a time that the first eight bytes specify.
  static let dates = FuzzTarget("dates", longestInput: 64) { (bytes) throws(Violation) in
    var input = FuzzInput(bytes)
    let now = Timestamp(secondsSinceEpoch: Int64(bitPattern: input.number()))
    if let read = HTTPDate.parse(FieldValue(input.rest), now: now) {
      try require(firstMoment <= read && read <= lastMoment, "a date is out of the four digits of a year")
      try checkRoundTrip(read)
    }
    try checkRoundTrip(Timestamp(secondsSinceEpoch: now.secondsSinceEpoch % lastMoment.secondsSinceEpoch))
    // A time that no date can express must still be formatted, because a stored response may claim to be of that time.
    _ = HTTPDate.format(now)
  }

  /// 0000-01-01T00:00:00Z and 9999-12-31T23:59:60Z.
  private static let firstMoment = Timestamp(secondsSinceEpoch: -62_167_219_200)
  private static let lastMoment = Timestamp(secondsSinceEpoch: 253_402_300_800)

  private static func checkRoundTrip(_ moment: Timestamp) throws(Violation) {
    guard firstMoment <= moment, moment < lastMoment else { return }
    let text = HTTPDate.format(moment)
    let read = HTTPDate.parse(text, now: moment)
    try require(read == moment, "\(text.text) is \(moment), and is read as \(String(describing: read))")
    try require(CivilTime(moment).timestamp == moment, "\(moment) is another day")
  }
}
