import FlagTable

extension Theme {
  static let request = Theme("Request")
  static let output = Theme("Output")
  static let cache = Theme("Cache")
  static let integrity = Theme("Integrity")
  static let connection = Theme("Connection")
  static let many = Theme("Many URLs")
  static let listing = Theme("Listing")
  static let selection = Theme("Selection")
  static let removal = Theme("Removal")
  static let archives = Theme("Archives")
  static let common = Theme("Common")
}
