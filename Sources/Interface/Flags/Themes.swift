import FlagTable

extension Theme {
  static let request = Theme("Request")
  static let output = Theme("Output")
  static let cache = Theme("Cache")
  static let freshness = Theme("Freshness")
  static let keys = Theme("Cache keys")
  static let storing = Theme("Storing")
  static let reachability = Theme("Reachability")
  static let integrity = Theme("Integrity")
  static let connection = Theme("Connection")
  static let many = Theme("Many URLs")
  static let listing = Theme("Listing")
  static let selection = Theme("Selection")
  static let removal = Theme("Removal")
  static let archives = Theme("Archives")
  static let common = Theme("Common")
}
