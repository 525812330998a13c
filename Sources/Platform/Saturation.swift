extension FixedWidthInteger {
  /// The sum, or the greatest number where there is none.
  package func adding(saturating other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// The product, or the greatest number where there is none; of numbers that are not negative.
  package func multiplied(saturating other: Self) -> Self {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
