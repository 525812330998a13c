import Platform

/// Standard output of transfers side by side, in the order of the command line.
///
/// The transfer whose turn it is writes there itself. What later ones print goes into files without a name, as many as
/// `mostSpools`, and is copied when their turn comes; who would need one more, waits. Whoever has the turn has been
/// begun before them, and waits for nobody, so that this always ends.
final class OrderedOutput: @unchecked Sendable {
  /// How far the others may run ahead of a slow one: descriptors, of which a process has 1,024 mostly.
  private static let mostSpools = 128
  /// Between two looks at whether the run is to end.
  private static let pauseMilliseconds = 200

  private let standardOutput: Descriptor
  private let directory: Path
  private let condition = Condition()
  // Under its lock.
  private var turn = 0
  private var spoolCount = 0
  /// Those that have been copied: to make a file takes longer than to empty one.
  private var idleSpools: [Spool] = []
  private var ended: [Int: (work: () -> Void, spool: Spool?)] = [:]
  private var isPassingOn = false

  /// - Parameter directory: of the files without a name.
  init(_ standardOutput: Descriptor, directory: Path) {
    self.standardOutput = standardOutput
    self.directory = directory
  }

  /// Where a transfer prints.
  enum Place {
    case standardOutput
    case spool(Spool)
  }

  /// A file without a name, that holds what cannot be printed yet.
  final class Spool {
    let file: OwnedDescriptor

    fileprivate init(_ file: consuming OwnedDescriptor) { self.file = file }

    /// Prints what it holds.
    func copy(to output: Descriptor) throws(Errno) {
      var offset: Int64 = 0
      while true {
        let piece = try file.readBytes(limit: Self.pieceBytes, at: offset)
        if piece.isEmpty { return }
        try output.writeAll(piece)
        offset += Int64(piece.count)
      }
    }

    private static let pieceBytes = 256 << 10

    /// - Returns: whether another transfer can print into it.
    fileprivate func empty() -> Bool {
      (try? file.truncate(to: 0)) != nil && (try? file.seek(to: 0)) != nil
    }
  }

  /// To be asked before a transfer that prints is begun.
  func place(of number: Int) -> Place {
    condition.lock()
    defer { condition.unlock() }
    while turn != number, Signals.pending == nil {
      if spoolCount < Self.mostSpools, let spool = idleSpools.popLast() ?? makeSpool() {
        spoolCount += 1
        return .spool(spool)
      }
      condition.wait(milliseconds: Self.pauseMilliseconds)
    }
    return .standardOutput
  }

  private func makeSpool() -> Spool? {
    try? Spool(Descriptor.workingDirectory.open(directory, [.unnamed, .readWrite], mode: .privateFile))
  }

  /// Ends a transfer, whether it printed or not.
  ///
  /// - Parameter work: done when its turn comes, by whichever thread; one at a time, in order.
  func end(_ number: Int, in place: Place, _ work: @escaping () -> Void) {
    condition.lock()
    defer { condition.unlock() }
    var spool: Spool?
    if case .spool(let used) = place { spool = used }
    ended[number] = (work, spool)
    // Whoever prints a large one does not keep the others from fetching.
    if isPassingOn { return }
    isPassingOn = true
    while let next = ended.removeValue(forKey: turn) {
      condition.unlock()
      next.work()
      let isEmpty = next.spool?.empty() ?? false
      condition.lock()
      if let spool = next.spool {
        spoolCount -= 1
        if isEmpty { idleSpools.append(spool) }
      }
      turn += 1
      condition.notifyAll()
    }
    isPassingOn = false
  }
}
