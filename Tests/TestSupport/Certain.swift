/// Returns what `make` makes of a source that a test gives as a valid one. An error is a mistake in the test, and ends
/// the process.
package func certain<Source, Made>(_ source: Source, _ make: (Source) throws -> Made) -> Made {
  do {
    return try make(source)
  } catch {
    preconditionFailure("\(source): \(error)")
  }
}
