import FlagTable
import Interface

/// A position in a walk over the URLs of a run: for each set of options its operands, with the URLs that globs among
/// them stand for, and then the lines of its files.
struct URLCursor {
  /// A URL, and what its plan is made from.
  final class Item {
    let group: TransferGroup
    let text: ArgumentText
    /// The position of its `-o` in the set of options. All URLs that one operand stands for have the same.
    let position: Int
    /// The position among everything that was typed for the run.
    let positionInRun: Int
    /// The texts that its braces and brackets stand for.
    let choices: [[UInt8]]
    /// The line that it stands in, unless it was typed.
    let line: (file: ArgumentText, number: Int)?
    let fault: Failure?

    fileprivate init(
      _ group: TransferGroup, at position: Int, inRun positionInRun: Int, _ text: ArgumentText, choices: [[UInt8]],
      line: (file: ArgumentText, number: Int)?, fault: Failure?
    ) {
      self.group = group
      self.position = position
      self.positionInRun = positionInRun
      self.text = text
      self.choices = choices
      self.line = line
      self.fault = fault
    }
  }

  /// The sets of options after the first. There is no array of all, because the runtime would make its type for every
  /// hit.
  private let laterGroups: [TransferGroup]
  private var nextLater = 0
  private var group: TransferGroup
  /// The positions in the sets of options before the present one, lines of files included.
  private var typedBefore = 0
  /// The position among the operands, and after these among the lines.
  private var position = 0
  private var glob: URLGlob?
  private var nextElement = 0
  private var listIndex = 0
  private var list: URLList?

  init(_ first: TransferGroup, _ later: [TransferGroup]) {
    group = first
    laterGroups = later
  }

  mutating func next() -> Item? {
    while true {
      if let item = nextOfGlob() ?? nextOperand() ?? nextLine() { return item }
      guard nextLater < laterGroups.count else { return nil }
      typedBefore += position
      (position, listIndex) = (0, 0)
      group = laterGroups[nextLater]
      nextLater += 1
    }
  }

  /// Returns the item at the present position.
  private func item(
    _ text: ArgumentText, choices: [[UInt8]] = [], line: (file: ArgumentText, number: Int)? = nil,
    fault: Failure? = nil
  ) -> Item {
    Item(
      group, at: position - 1, inRun: typedBefore + position - 1, text, choices: choices, line: line, fault: fault)
  }

  private mutating func nextOfGlob() -> Item? {
    guard let glob else { return nil }
    guard nextElement < glob.count else {
      self.glob = nil
      return nil
    }
    let element = glob.element(nextElement)
    nextElement += 1
    return item(element.text, choices: element.choices)
  }

  private mutating func nextOperand() -> Item? {
    let builder = group.builder
    guard position < builder.invocation.operands.count else { return nil }
    let text = builder.invocation.operands[position]
    position += 1
    guard builder.invocation.many.expandsGlobs, URLGlob.isMeant(by: text) else { return item(text) }
    do throws(URLGlob.Fault) {
      glob = try URLGlob(parsing: text)
    } catch {
      return item(text, fault: .malformedGlob(text.visible, error))
    }
    nextElement = 0
    return nextOfGlob()
  }

  private mutating func nextLine() -> Item? {
    while listIndex < group.lists.count {
      let (file, urls) = group.lists[listIndex]
      var rest = list ?? urls
      guard let line = rest.next() else {
        list = nil
        listIndex += 1
        continue
      }
      list = rest
      position += 1
      return item(line.text, line: (file, line.number))
    }
    return nil
  }
}
