/// What is made of a value that a test writes down as a valid one; that it is none is the test's fault, and ends it.
package func certain<Source, Made>(_ source: Source, _ make: (Source) throws -> Made) -> Made {
  do {
    return try make(source)
  } catch {
    preconditionFailure("\(source): \(error)")
  }
}
