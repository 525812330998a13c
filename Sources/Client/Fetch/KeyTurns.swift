import HTTPCaching
import HTTPSemantics
import Platform
import Synchronization

/// The keys, and variants of them, that a run is asking the origin for. One thread of the run asks for each, and the
/// others wait for the result.
final class KeyTurns: @unchecked Sendable {
  private let condition = Condition()
  // Under its lock.
  private var pending: [Pending] = []
  /// How many requests have been noted in `pending`, those that have ended included.
  private var requestCount = 0
  private var answers = AnswerLog()
  /// How many answers there have been; changed under the lock.
  private let answerCount = Atomic(0)

  /// A key with its hash. Most keys of a run differ only in the last bytes of their URLs; their hashes tell them apart
  /// at once.
  fileprivate struct HashedKey: Equatable {
    // Compared in this order.
    private let hash: Int
    private let key: CacheKey

    init(_ key: CacheKey) {
      hash = key.hashValue
      self.key = key
    }
  }

  /// A request in progress, with or without the turn.
  fileprivate struct Pending {
    /// Unique within the run.
    let number: Int
    let key: HashedKey
    let fields: Fields
    let hasTurn: Bool
    /// The place of the sending thread in the order in which the run prints.
    let place: Int
    /// Whether the sending thread waits for its turn to print, and so for the threads that print before it.
    var isHeldUp = false
  }

  /// An answer that has been stored.
  fileprivate struct Answer {
    /// Unique within the run; the numbers are consecutive.
    var number = 0
    let key: HashedKey
    /// The fields of the request.
    let fields: Fields
    /// When the origin was asked; `nil` if the answer serves no other request.
    var time: Timestamp?
    /// How many answers there were when the request took its turn or, without a turn, when its answer had been stored.
    let answersBefore: Int
  }

  /// What a thread wants the turn for: a key, or one variant under it.
  struct Wanted {
    fileprivate let key: HashedKey
    /// The fields of the request.
    fileprivate let fields: Fields
    /// The names of the fields that select a variant under the key; empty if variants are not told apart.
    fileprivate let names: [FieldName]
    /// The thread's place in the order in which the run prints; `nil` if it does not wait for a thread that is held up
    /// by printing.
    fileprivate let place: Int?

    init(_ key: CacheKey, _ fields: Fields, selectedBy variant: SelectingFields, from place: Int?) {
      self.key = HashedKey(key)
      self.fields = fields
      names = variant.members.map(\.name)
      self.place = place
    }

    /// Whether `pending` has the turn for this key and variant.
    fileprivate func isHeld(by pending: Pending) -> Bool {
      pending.hasTurn && pending.key == key && fields.agree(with: pending.fields, on: names)
    }

    /// Whether to wait for `pending`. A thread does not wait for a held-up thread that prints after it, because that
    /// thread waits for it to print.
    fileprivate func waits(for pending: Pending) -> Bool { !pending.isHeldUp || place ?? .min > pending.place }
  }

  /// Takes the turn. A thread that is held up loses the turn to a thread that does not wait for it.
  ///
  /// - Parameter place: the taking thread's place in the order in which the run prints.
  /// - Returns: `nil` if another thread has the turn.
  fileprivate func take(_ wanted: Wanted, at time: Timestamp, from place: Int) -> ThreadTurn? {
    condition.lock()
    defer { condition.unlock() }
    if isTaken(wanted) { return nil }
    pending.removeAll(where: wanted.isHeld)
    let number = note(wanted.key, wanted.fields, hasTurn: true, from: place)
    return ThreadTurn(number, wanted.key, wanted.fields, time, in: self)
  }

  private func note(_ key: HashedKey, _ fields: Fields, hasTurn: Bool, from place: Int) -> Int {
    requestCount += 1
    pending.append(Pending(number: requestCount, key: key, fields: fields, hasTurn: hasTurn, place: place))
    return requestCount
  }

  /// Runs `work`, which stores the answer to a request that did not have the turn.
  fileprivate func storing(
    _ key: CacheKey, for fields: Fields, from place: Int, _ work: () -> InsertionOutcome
  ) -> InsertionOutcome {
    let key = HashedKey(key)
    condition.lock()
    let number = note(key, fields, hasTurn: false, from: place)
    condition.unlock()
    defer {
      condition.lock()
      remove(number, Answer(key: key, fields: fields, time: nil, answersBefore: answersUntilNow))
      condition.unlock()
    }
    return work()
  }

  /// The number of answers until now. To be asked before a look-up.
  var answersUntilNow: Int { answerCount.load(ordering: .sequentiallyConsistent) }

  /// Returns when the origin was asked for the stored response, if that is certainly the answer to a request of this
  /// run with the same fields. Returns `nil` otherwise, or if the answer is no longer remembered.
  ///
  /// - Parameters:
  ///   - names: the names of the fields that selected the stored response. It is the last answer to a request with the
  ///     same values of these fields, whatever its other fields were.
  ///   - count: the number of answers before the look-up. A later answer is not what the look-up found.
  func answerTime(of key: CacheKey, to fields: Fields, selectedBy names: [FieldName], among count: Int) -> Timestamp? {
    func selects(_ other: Fields) -> Bool { fields.agree(with: other, on: names) }
    let key = HashedKey(key)
    condition.lock()
    defer { condition.unlock() }
    // The stored response may already be the answer to that request.
    if pending.contains(where: { $0.key == key && $0.fields != fields && selects($0.fields) }) { return nil }
    guard let last = answers.last(where: { $0.key == key && selects($0.fields) }), last.fields == fields,
      last.number <= count,
      !answers.mayHold(since: last.answersBefore, { $0.key == key && $0.fields != fields && selects($0.fields) })
    else { return nil }
    return last.time
  }

  private func remove(_ turn: ThreadTurn) {
    condition.lock()
    var answer = Answer(key: turn.key, fields: turn.fields, time: turn.time, answersBefore: turn.answersBefore)
    if answers.mayHold(since: turn.answersBefore, { $0.time == nil && $0.key == turn.key }) { answer.time = nil }
    remove(turn.number, turn.hasAnswer ? answer : nil)
    condition.unlock()
    condition.notifyAll()
  }

  private func remove(_ number: Int, _ answer: Answer?) {
    // After a turn has been taken over, it is unknown which of the two answers was stored last.
    guard let index = pending.firstIndex(where: { $0.number == number }) else { return }
    pending.remove(at: index)
    guard var answer else { return }
    answer.number = answerCount.add(1, ordering: .sequentiallyConsistent).newValue
    answers.append(answer)
  }

  /// Waits until nobody has the turn, but not longer than `milliseconds`.
  ///
  /// - Returns: whether nobody has it.
  func waitUntilFree(_ wanted: Wanted, atMostMilliseconds milliseconds: Int) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    if isTaken(wanted) { condition.wait(milliseconds: milliseconds) }
    return !isTaken(wanted)
  }

  private func isTaken(_ wanted: Wanted) -> Bool {
    pending.contains { wanted.isHeld(by: $0) && wanted.waits(for: $0) }
  }

  private func holdUp(_ turn: ThreadTurn) {
    condition.lock()
    if let index = pending.firstIndex(where: { $0.number == turn.number }) { pending[index].isHeldUp = true }
    condition.unlock()
    condition.notifyAll()
  }

  private func isHeld(_ turn: ThreadTurn) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    return pending.contains { $0.number == turn.number }
  }

  /// The turn for a key. Releasing it lets the waiting threads go on.
  final class ThreadTurn {
    /// Unique within the run.
    fileprivate let number: Int
    fileprivate let key: HashedKey
    /// The fields of the request.
    fileprivate let fields: Fields
    /// When it was taken.
    fileprivate let time: Timestamp
    /// How many answers there were then.
    fileprivate let answersBefore: Int
    /// Whether the answer serves equal requests of the run.
    var hasAnswer = false
    private let turns: KeyTurns

    fileprivate init(_ number: Int, _ key: HashedKey, _ fields: Fields, _ time: Timestamp, in turns: KeyTurns) {
      self.number = number
      self.key = key
      self.fields = fields
      self.time = time
      self.turns = turns
      answersBefore = turns.answersUntilNow
    }

    deinit { turns.remove(self) }

    /// Whether no other thread has taken the turn over.
    fileprivate var isHeld: Bool { turns.isHeld(self) }

    /// Notes that the holder is held up, so that threads which print before it go on: otherwise they and it would wait
    /// for one another.
    fileprivate func holdUp() { turns.holdUp(self) }
  }
}

/// The latest answers of a run.
private struct AnswerLog {
  /// The latest last.
  private var answers: [KeyTurns.Answer] = []
  /// Equal URLs mostly stand near each other, and a run may have millions of different ones.
  private static let maximumCount = 256

  mutating func append(_ answer: KeyTurns.Answer) {
    if answers.count == Self.maximumCount { answers.removeFirst(Self.maximumCount / 2) }
    answers.append(answer)
  }

  func last(where matches: (KeyTurns.Answer) -> Bool) -> KeyTurns.Answer? { answers.last(where: matches) }

  /// Whether a matching answer came after the first `count` answers. It then overlapped with a request that was in
  /// progress at that time, and it is unknown which of the two answers was stored last.
  ///
  /// - Returns: `true` also if not all of those answers are remembered.
  func mayHold(since count: Int, _ matches: (KeyTurns.Answer) -> Bool) -> Bool {
    guard let first = answers.first else { return false }
    return first.number > count + 1 || answers.contains { $0.number > count && matches($0) }
  }
}

/// The turns of one thread, which has one at a time.
final class ThreadTurns {
  private let turns: KeyTurns
  /// To be called before the thread waits for another thread or another run.
  let prepareToWait: () -> Void
  private weak var turn: KeyTurns.ThreadTurn?
  private var answersBeforeLookup = 0
  /// The thread's place in the order in which the run prints; `nil` if it prints nothing and so does not wait for a
  /// thread that is held up by printing.
  var place: Int?

  init(_ turns: KeyTurns, prepareToWait: @escaping () -> Void) {
    self.turns = turns
    self.prepareToWait = prepareToWait
  }

  /// - Returns: `nil` if another thread has the turn.
  func take(_ wanted: KeyTurns.Wanted, at time: Timestamp) -> KeyTurns.ThreadTurn? {
    let taken = turns.take(wanted, at: time, from: place ?? .min)
    turn = taken
    return taken
  }

  /// To be called before a look-up.
  func noteLookup() { answersBeforeLookup = turns.answersUntilNow }

  /// As `KeyTurns.answerTime`, for what the latest look-up found.
  func answerTime(of key: CacheKey, to fields: Fields, selectedBy names: [FieldName]) -> Timestamp? {
    turns.answerTime(of: key, to: fields, selectedBy: names, among: answersBeforeLookup)
  }

  /// Runs `work`, which stores the answer to a request.
  func storing(_ key: CacheKey, for fields: Fields, _ work: () -> InsertionOutcome) -> InsertionOutcome {
    // The request of the turn's holder is among the pending ones already.
    if let turn, turn.isHeld { return work() }
    return turns.storing(key, for: fields, from: place ?? .min, work)
  }

  func waitUntilFree(_ wanted: KeyTurns.Wanted, atMostMilliseconds milliseconds: Int) -> Bool {
    turns.waitUntilFree(wanted, atMostMilliseconds: milliseconds)
  }

  /// Lets the threads that print before this one go on without the answer that they wait for, because this thread is
  /// about to wait for them to print.
  func releaseEarlierPrinters() {
    prepareToWait()
    turn?.holdUp()
  }
}

extension Fields {
  fileprivate func agree(with other: Fields, on names: [FieldName]) -> Bool {
    names.allSatisfy { values(of: $0) == other.values(of: $0) }
  }
}
