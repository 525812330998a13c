import CPlatform

/// A row of 64-bit numbers in a file, which any number of processes change at the same time without a lock.
///
/// Every access is atomic. If the file cannot satisfy one, because it has been cut short or the disk is full, the
/// access throws an error instead of ending the process.
package struct SharedNumbers: ~Copyable, @unchecked Sendable {
  package let count: Int
  private let numbers: UnsafeMutablePointer<Int64>

  package enum Access: Equatable, Sendable {
    case reading, writing
  }

  /// - Parameter file: must be open for that access, and at least `count` numbers long.
  ///
  /// The corresponding C function is `mmap` with `MAP_SHARED`.
  package init(
    in file: borrowing some OpenDescriptor & ~Copyable, count: Int, for access: Access
  ) throws(Errno) {
    try self.init(file: file.rawValue, count: count, access)
  }

  /// Creates numbers that are 0 and belong to this process alone.
  package init(privately count: Int) throws(Errno) {
    try self.init(file: -1, count: count, .writing)
  }

  private init(file: Int32, count: Int, _ access: Access) throws(Errno) {
    var mapping: UnsafeMutablePointer<Int64>?
    _ = try checked(cplatform_map_numbers(file, count, access == .writing ? 1 : 0, &mapping))
    guard let mapping else { throw .invalidArgument }
    numbers = mapping
    self.count = count
  }

  deinit {
    cplatform_unmap_numbers(numbers, count)
  }

  /// - Parameter index: below `count`, as in all functions here.
  /// - Throws: `.inputOutput` if the file cannot satisfy the access, as in all functions here.
  package func load(_ index: Int) throws(Errno) -> Int64 {
    var number: Int64 = 0
    _ = try checked(cplatform_load_numbers(try address(of: index), 1, &number))
    return number
  }

  /// Loads a range of numbers. Each is whole, but they may be of different moments.
  package func load(_ range: Range<Int>) throws(Errno) -> [Int64] {
    guard range.lowerBound >= 0, range.upperBound <= count else { throw .invalidArgument }
    var result: Int32 = 0
    let loaded = [Int64](unsafeUninitializedCapacity: range.count) { buffer, loadedCount in
      result = cplatform_load_numbers(numbers + range.lowerBound, range.count, buffer.baseAddress)
      loadedCount = result == 0 ? range.count : 0
    }
    _ = try checked(result)
    return loaded
  }

  /// Adds up rows without copying them. The rows may be of different moments.
  ///
  /// - Parameters:
  ///   - range: the numbers that the rows consist of.
  ///   - width: how many numbers a row has, at least three. A row whose third number is 0 is skipped.
  ///   - most: the greatest first number. A row with a greater one is skipped, as is one whose first or second number
  ///     is negative.
  /// - Returns: the sum of the first numbers and that of the second numbers, each at most `Int64.max`, and the count of
  ///   the rows added.
  package func rowSums(
    _ range: Range<Int>, width: Int, upTo most: Int64
  ) throws(Errno) -> (first: Int64, second: Int64, count: Int64) {
    guard range.lowerBound >= 0, range.upperBound <= count, width >= 3, most >= 0 else { throw .invalidArgument }
    var sums: (first: Int64, second: Int64, count: Int64) = (0, 0, 0)
    let result = withUnsafeMutablePointer(to: &sums) { pointer in
      pointer.withMemoryRebound(to: Int64.self, capacity: 3) {
        cplatform_sum_rows(numbers + range.lowerBound, range.count / width, width, most, $0)
      }
    }
    _ = try checked(result)
    return sums
  }

  /// - Returns: the number before the addition.
  @discardableResult
  package func add(_ difference: Int64, at index: Int) throws(Errno) -> Int64 {
    var before: Int64 = 0
    _ = try checked(cplatform_add_number(try address(of: index), difference, &before))
    return before
  }

  /// Subtracts `difference`, or as much of it as leaves the number at 0.
  package func lower(by difference: Int64, at index: Int) throws(Errno) {
    _ = try checked(cplatform_lower_number(try address(of: index), difference))
  }

  /// - Returns: whether the number was the expected one, and so was replaced.
  @discardableResult
  package func replace(_ expected: Int64, by number: Int64, at index: Int) throws(Errno) -> Bool {
    try checked(cplatform_replace_number(try address(of: index), expected, number)) == 1
  }

  private func address(of index: Int) throws(Errno) -> UnsafeMutablePointer<Int64> {
    guard index >= 0, index < count else { throw .invalidArgument }
    return numbers + index
  }
}
