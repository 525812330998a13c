import HTTPCaching
import HTTPSemantics
import Platform
import Synchronization

/// Which keys, and variants of them, a run is asking the origin for: of its threads one does, and the others wait for
/// what comes of it.
final class KeyTurns: @unchecked Sendable {
  private let condition = Condition()
  // Under its lock.
  private var taken: [Pending] = []
  private var takenCount = 0
  private var answers = AnswerLog()
  /// How many answers there have been; changed under the lock.
  private let answerCount = Atomic(0)

  /// The keys of a run differ in the last bytes of their URLs, mostly: their hashes tell that at once.
  fileprivate struct HashedKey: Equatable {
    // Compared in this order.
    private let hash: Int
    private let key: CacheKey

    init(_ key: CacheKey) {
      hash = key.hashValue
      self.key = key
    }
  }

  /// A request that is on its way, with the turn or without.
  fileprivate struct Pending {
    /// Unique within the run.
    let number: Int
    let key: HashedKey
    let fields: Fields
    let hasTurn: Bool
    /// Of who sends it, in the order in which the run prints.
    let place: Int
    /// Whether that one waits for its turn to print: for those before it.
    var isHeldUp = false
  }

  /// What has been stored.
  fileprivate struct Answer {
    /// Unique within the run; they follow one another.
    var number = 0
    let key: HashedKey
    /// Of the request.
    let fields: Fields
    /// When the origin was asked; `nil` for what answers nobody else.
    var time: Timestamp?
    /// How many answers there were when the request had its turn, or when it was done.
    let answersBefore: Int
  }

  /// What a turn is for.
  struct Wanted {
    fileprivate let key: HashedKey
    /// Of the request.
    fileprivate let fields: Fields
    /// Of the fields that select one of the variants of what the key stands for; empty where none is told apart.
    fileprivate let names: [FieldName]
    /// In the order in which the run prints; `nil` for who does not wait for others that are held up there.
    fileprivate let place: Int?

    init(_ key: CacheKey, _ fields: Fields, selectedBy variant: SelectingFields, from place: Int?) {
      self.key = HashedKey(key)
      self.fields = fields
      names = variant.members.map(\.name)
      self.place = place
    }

    fileprivate func isMeant(by pending: Pending) -> Bool {
      pending.hasTurn && pending.key == key && fields.agree(with: pending.fields, on: names)
    }

    /// Who is printed before another and waits for it would wait for itself.
    fileprivate func waits(for pending: Pending) -> Bool { !pending.isHeldUp || place ?? .min > pending.place }
  }

  /// Who is held up loses it to whoever does not wait for that.
  ///
  /// - Parameter place: of who takes it, in the order in which the run prints.
  /// - Returns: `nil` where another thread has it.
  fileprivate func take(_ wanted: Wanted, at time: Timestamp, from place: Int) -> Turn? {
    condition.lock()
    defer { condition.unlock() }
    if isTaken(wanted) { return nil }
    taken.removeAll(where: wanted.isMeant)
    let number = note(wanted.key, wanted.fields, hasTurn: true, from: place)
    return Turn(number, wanted.key, wanted.fields, time, in: self)
  }

  private func note(_ key: HashedKey, _ fields: Fields, hasTurn: Bool, from place: Int) -> Int {
    takenCount += 1
    taken.append(Pending(number: takenCount, key: key, fields: fields, hasTurn: hasTurn, place: place))
    return takenCount
  }

  /// Does `work`, which stores what has come to a request that did not have the turn.
  fileprivate func storing<Result>(
    _ key: CacheKey, for fields: Fields, from place: Int, _ work: () -> Result
  ) -> Result {
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

  /// To be asked before what is stored is looked up.
  var answersUntilNow: Int { answerCount.load(ordering: .sequentiallyConsistent) }

  /// When the origin was asked for what has been answered since; `nil` where no request of this run with the same
  /// fields has been, or not of late.
  ///
  /// - Parameters:
  ///   - names: of the fields that have selected what is stored, which is the last answer to a request with these
  ///     values, whatever else that had.
  ///   - count: of the answers that were there before what is stored was looked up: what has come since, it is not.
  func answerTime(of key: CacheKey, to fields: Fields, selectedBy names: [FieldName], among count: Int) -> Timestamp? {
    func selects(_ other: Fields) -> Bool { fields.agree(with: other, on: names) }
    let key = HashedKey(key)
    condition.lock()
    defer { condition.unlock() }
    // What is stored may be that request's already.
    if taken.contains(where: { $0.key == key && $0.fields != fields && selects($0.fields) }) { return nil }
    guard let last = answers.last(where: { $0.key == key && selects($0.fields) }), last.fields == fields,
      last.number <= count,
      !answers.mayHold(since: last.answersBefore, { $0.key == key && $0.fields != fields && selects($0.fields) })
    else { return nil }
    return last.time
  }

  private func remove(_ turn: Turn) {
    condition.lock()
    var answer = Answer(key: turn.key, fields: turn.fields, time: turn.time, answersBefore: turn.answersBefore)
    if answers.mayHold(since: turn.answersBefore, { $0.time == nil && $0.key == turn.key }) { answer.time = nil }
    remove(turn.number, turn.hasAnswer ? answer : nil)
    condition.unlock()
    condition.notifyAll()
  }

  private func remove(_ number: Int, _ answer: Answer?) {
    // Of a turn that has been taken over, nobody knows what has been stored last.
    guard let index = taken.firstIndex(where: { $0.number == number }) else { return }
    taken.remove(at: index)
    guard var answer else { return }
    answer.number = answerCount.add(1, ordering: .sequentiallyConsistent).newValue
    answers.append(answer)
  }

  /// Waits until nobody has the turn, or for a while.
  ///
  /// - Returns: whether nobody has it.
  func waitUntilFree(_ wanted: Wanted, atMostMilliseconds milliseconds: Int) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    if isTaken(wanted) { condition.wait(milliseconds: milliseconds) }
    return !isTaken(wanted)
  }

  private func isTaken(_ wanted: Wanted) -> Bool {
    taken.contains { wanted.isMeant(by: $0) && wanted.waits(for: $0) }
  }

  private func holdUp(_ turn: Turn) {
    condition.lock()
    if let index = taken.firstIndex(where: { $0.number == turn.number }) { taken[index].isHeldUp = true }
    condition.unlock()
    condition.notifyAll()
  }

  private func isHeld(_ turn: Turn) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    return taken.contains { $0.number == turn.number }
  }

  /// The turn for a key; letting go of it lets the others go on.
  final class Turn {
    /// Unique within the run.
    fileprivate let number: Int
    fileprivate let key: HashedKey
    /// Of the request.
    fileprivate let fields: Fields
    /// When it was taken.
    fileprivate let time: Timestamp
    /// How many answers there were then.
    fileprivate let answersBefore: Int
    /// Whether what has come answers equal requests of the run.
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

    /// Whether nobody has taken it over.
    fileprivate var isHeld: Bool { turns.isHeld(self) }

    /// Lets those go on who would wait for one another otherwise.
    fileprivate func holdUp() { turns.holdUp(self) }
  }
}

/// What has been stored of late.
private struct AnswerLog {
  /// The latest last.
  private var answers: [KeyTurns.Answer] = []
  /// Equal URLs mostly stand near each other, and a run may have millions of others.
  private static let longestMemory = 256

  mutating func append(_ answer: KeyTurns.Answer) {
    if answers.count == Self.longestMemory { answers.removeFirst(Self.longestMemory / 2) }
    answers.append(answer)
  }

  func last(where matches: (KeyTurns.Answer) -> Bool) -> KeyTurns.Answer? { answers.last(where: matches) }

  /// Whether there has been such an answer beside one that was on its way behind the first `count`: which of the two
  /// was stored last, nobody knows.
  ///
  /// - Returns: true also where what there has been is not all remembered.
  func mayHold(since count: Int, _ matches: (KeyTurns.Answer) -> Bool) -> Bool {
    guard let first = answers.first else { return false }
    return first.number > count + 1 || answers.contains { $0.number > count && matches($0) }
  }
}

/// The turns of one thread, which has one at a time.
final class ThreadTurns {
  private let turns: KeyTurns
  /// To be called before the thread waits for somebody.
  let noteWait: () -> Void
  private weak var turn: KeyTurns.Turn?
  private var answersBeforeLookup = 0
  /// In the order in which the run prints; `nil` where the thread prints nothing, and waits for nobody's turn.
  var place: Int?

  init(_ turns: KeyTurns, noteWait: @escaping () -> Void) {
    self.turns = turns
    self.noteWait = noteWait
  }

  /// - Returns: `nil` where another thread has it.
  func take(_ wanted: KeyTurns.Wanted, at time: Timestamp) -> KeyTurns.Turn? {
    let taken = turns.take(wanted, at: time, from: place ?? .min)
    turn = taken
    return taken
  }

  /// To be called before what is stored is looked up.
  func noteLookup() { answersBeforeLookup = turns.answersUntilNow }

  /// For what the latest look-up has found.
  func answerTime(of key: CacheKey, to fields: Fields, selectedBy names: [FieldName]) -> Timestamp? {
    turns.answerTime(of: key, to: fields, selectedBy: names, among: answersBeforeLookup)
  }

  /// Does `work`, which stores what has come to a request.
  func storing<Result>(_ key: CacheKey, for fields: Fields, _ work: () -> Result) -> Result {
    // The holder of the turn is on the list already.
    if let turn, turn.isHeld { return work() }
    return turns.storing(key, for: fields, from: place ?? .min, work)
  }

  func waitUntilFree(_ wanted: KeyTurns.Wanted, atMostMilliseconds milliseconds: Int) -> Bool {
    turns.waitUntilFree(wanted, atMostMilliseconds: milliseconds)
  }

  /// Lets those go on that print before this thread, though what they wait for has not come: it is about to wait for
  /// them.
  func letGo() {
    noteWait()
    turn?.holdUp()
  }
}

extension Fields {
  fileprivate func agree(with other: Fields, on names: [FieldName]) -> Bool {
    names.allSatisfy { values(of: $0) == other.values(of: $0) }
  }
}
