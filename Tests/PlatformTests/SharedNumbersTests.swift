import Glibc
import Platform
import Testing

@Suite("Shared numbers")
struct SharedNumbersTests {
  private func numbers(
    _ scratch: borrowing Scratch, bytes: Int64 = 8_192, access: SharedNumbers.Access = .writing
  ) throws -> SharedNumbers {
    let file = try scratch.directory.open("numbers", [.readWrite, .create])
    try file.truncate(to: bytes)
    return try SharedNumbers(in: file, count: 1_024, for: access)
  }

  @Test("Mappings of one file share their numbers, and lowering stops at 0")
  func shared() throws {
    let scratch = try Scratch()
    let one = try numbers(scratch)
    let other = try numbers(scratch)
    #expect(try one.add(5, at: 3) == 0)
    #expect(try other.add(-2, at: 3) == 5)
    #expect(try one.load(2..<5) == [0, 3, 0])
    try one.lower(by: 2, at: 3)
    #expect(try other.load(3) == 1)
    try one.lower(by: 2, at: 3)
    #expect(try other.load(3) == 0)
    try one.lower(by: .min, at: 3)
    #expect(try other.load(3) == 0)
    #expect(try one.replace(0, by: 7, at: 3))
    #expect(try !other.replace(0, by: 8, at: 3))
    #expect(try other.load(3) == 7)
  }

  @Test("No addition is lost between threads with mappings of their own")
  func threads() async throws {
    let scratch = try Scratch()
    let path = Path(scratch.path("numbers"))!
    _ = try numbers(scratch)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let file = try Descriptor.workingDirectory.open(path, [.readWrite])
          let numbers = try SharedNumbers(in: file, count: 1_024, for: .writing)
          for _ in 0..<1_000 { try numbers.add(1, at: 1) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try numbers(scratch).load(1) == 8_000)
  }

  @Test("Row sums leave out rows that do not count, and are limited to the greatest number")
  func rows() throws {
    let numbers = try SharedNumbers(privately: 13)
    for (row, (first, second, counts)) in [(5, 1, 1), (7, 2, 0), (11, 4, -1), (-1, 8, 1)].enumerated() {
      for (index, number) in [first, second, counts].enumerated() {
        try numbers.add(Int64(number), at: 1 + 3 * row + index)
      }
    }
    func sums(_ range: Range<Int>, upTo most: Int64 = .max) throws -> [Int64] {
      let sums = try numbers.rowSums(range, width: 3, upTo: most)
      return [sums.first, sums.second, sums.count]
    }
    #expect(try sums(1..<13) == [16, 5, 2])
    #expect(try sums(1..<13, upTo: 10) == [5, 1, 1])
    #expect(try sums(1..<1) == [0, 0, 0])
    try numbers.add(.max - 11, at: 7)
    #expect(try sums(1..<13) == [.max, 5, 2])
    try numbers.add(-5, at: 8)
    #expect(try sums(1..<13) == [5, 1, 1])
    #expect(throws: Errno.invalidArgument) { try sums(1..<14) }
    #expect(throws: Errno.invalidArgument) { try sums(1..<13, upTo: -1) }
  }

  @Test(
    "Row sums of rows that all count are right, however large the numbers are",
    arguments: [
      ([(5, 1, 1), (7, 2, 3), (11, 4, -1)], [23, 7, 3]),
      ([(5, 1, 2), (7, 2, 4), (11, 4, 1)], [23, 7, 3]),
      ([(.max / 3, 1, 1), (.max / 3, .max / 3, 1), (.max / 3, 4, 1)], [.max / 3 * 3, .max / 3 + 5, 3]),
      ([(.max, 1, 1), (7, .max, 1), (11, .max, 1)], [.max, .max, 3]),
      ([(5, .min, 1), (7, 2, 1), (.min, 4, 1)], [7, 2, 1]),
    ] as [([(Int64, Int64, Int64)], [Int64])])
  func usualRows(rows: [(Int64, Int64, Int64)], expected: [Int64]) throws {
    let numbers = try SharedNumbers(privately: 9)
    for (row, (first, second, counts)) in rows.enumerated() {
      for (index, number) in [first, second, counts].enumerated() { try numbers.add(number, at: 3 * row + index) }
    }
    let sums = try numbers.rowSums(0..<9, width: 3, upTo: .max)
    #expect([sums.first, sums.second, sums.count] == expected)
    let bounded = try numbers.rowSums(0..<9, width: 3, upTo: 7)
    #expect(bounded.count == Int64(rows.count { (0...7).contains($0.0) && $0.1 >= 0 }))
  }

  @Test("A file that is cut short causes an error and does not end the process")
  func cutShort() throws {
    let scratch = try Scratch()
    let numbers = try numbers(scratch)
    try numbers.add(1, at: 600)
    try scratch.directory.open("numbers", [.readWrite]).truncate(to: 0)
    #expect(throws: Errno.inputOutput) { try numbers.add(1, at: 600) }
    #expect(throws: Errno.inputOutput) { try numbers.load(0..<1_024) }
    #expect(throws: Errno.inputOutput) { try numbers.rowSums(0..<1_024, width: 4, upTo: .max) }
    #expect(throws: Errno.inputOutput) { try numbers.lower(by: 1, at: 0) }
    #expect(throws: Errno.inputOutput) { try numbers.replace(0, by: 1, at: 0) }
    try scratch.directory.open("numbers", [.readWrite]).truncate(to: 8_192)
    #expect(try numbers.add(1, at: 600) == 0)
  }

  @Test("An index out of range is refused")
  func bounds() throws {
    let numbers = try SharedNumbers(privately: 4)
    for index in [-1, 4] { #expect(throws: Errno.invalidArgument) { try numbers.add(1, at: index) } }
    #expect(throws: Errno.invalidArgument) { try numbers.load(2..<5) }
    #expect(try numbers.load(0..<4) == [0, 0, 0, 0])
  }
}
