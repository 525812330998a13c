extension FixedWidthInteger {
  /// Returns the sum, or the greatest number if it overflows.
  package func adding(saturating other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// Returns the product, or the greatest number if it overflows. Neither factor may be negative.
  package func multiplied(saturating other: Self) -> Self {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
