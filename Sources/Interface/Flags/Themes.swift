import FlagTable

extension Theme {
  static let request = Theme("Request")
  static let output = Theme("Output")
  static let cache = Theme("Cache")
  static let connection = Theme("Connection")
  static let listing = Theme("Listing")
  static let removal = Theme("Removal")
  static let archives = Theme("Archives")
  static let common = Theme("Common")
}
