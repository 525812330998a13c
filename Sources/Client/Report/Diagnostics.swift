import HTTPCaching
import HTTPSemantics
package import Platform

/// The only writer to standard error.
///
/// Every line names the program, or is marked as curl marks it: `*` for what is going on, `>` and `<` for heads.
/// Several threads may use it, once its verbosity has been set: lines are not mixed.
package final class Diagnostics: @unchecked Sendable {
  package struct Verbosity: Sendable {
    /// `-s`: neither warnings nor progress, and no errors but with `-S`.
    package var isSilent = false
    package var showsErrors = true
    package var isVerbose = false

    package init(isSilent: Bool = false, showsErrors: Bool = true, isVerbose: Bool = false) {
      self.isSilent = isSilent
      self.showsErrors = showsErrors
      self.isVerbose = isVerbose
    }
  }

  private let descriptor: Descriptor
  var verbosity: Verbosity
  /// `-#`: a progress line that would take the place of unfinished text ends that, and is not left out.
  var breaksLines = false
  let isTerminal: Bool
  private let lock = Lock()
  // Under the lock.
  /// Which fields of a head are not repeated.
  private var credentialFields = CredentialFields()
  private var warned: Set<String> = []
  /// Of warnings: a run may have a million URLs, and each of them one of its own.
  private static let mostRemembered = 1_000
  /// Many URLs may fail for one reason: what helps is told behind the first of them.
  private var latestHint = ""
  /// Columns of the progress line that stands unfinished on the terminal.
  private var openColumns = 0
  /// Whether text of standard output stands unfinished there: a progress line would take its place.
  private var isAmidOutput = false

  package init(_ descriptor: Descriptor, verbosity: Verbosity = Verbosity()) {
    self.descriptor = descriptor
    self.verbosity = verbosity
    isTerminal = descriptor.isTerminal
  }

  /// For work that nobody waits for: says nothing.
  static func silent(_ context: ProcessContext) -> Diagnostics {
    Diagnostics(context.standardError, verbosity: Verbosity(isSilent: true, showsErrors: false))
  }

  /// Whether anybody would see a progress line.
  var showsProgress: Bool { isTerminal && !verbosity.isSilent }

  /// In columns: a line that fills the last one is two lines on some terminals.
  var progressWidth: Int { (descriptor.terminalWidth ?? Self.usualWidth) - 1 }

  private static let usualWidth = 80

  /// - Parameter hint: in the place of the failure's own; empty for none. The same is not said twice in a row.
  func report(_ failure: Failure, hint: String? = nil) {
    guard !verbosity.isSilent || verbosity.showsErrors else { return }
    lock.lock()
    defer { lock.unlock() }
    write("garner: \(failure.message)\n")
    guard let hint = hint ?? failure.hint, !hint.isEmpty, hint != latestHint else { return }
    latestHint = hint
    write("hint: \(hint)\n")
  }

  /// Something that does not stop the run; the same is said once.
  ///
  /// - Parameter isOfError: whether it tells of an error: with `-S`, too.
  func warn(_ text: String, hint: String? = nil, isOfError: Bool = false) {
    guard !verbosity.isSilent || (isOfError && verbosity.showsErrors) else { return }
    lock.lock()
    defer { lock.unlock() }
    if warned.contains(text) { return }
    if warned.count < Self.mostRemembered { warned.insert(text) }
    write("garner: warning: \(text)\n")
    if let hint { write("hint: \(hint)\n") }
  }

  /// A file whose content the run does without, unless a signal has ended the reading: that is told at the end.
  func warn(ofUnread failure: Failure) {
    if case .interrupted = failure { return }
    warn(failure.message)
  }

  /// What a run with several URLs came to, where a person looks on or something has failed.
  ///
  /// - Parameters:
  ///   - isFilling: of a run that is to store: that is told in any case.
  ///   - hint: leads to what could not be stored.
  func sum(up summary: RunSummary, isFilling: Bool, hint: String?) {
    if isFilling || (summary.isOfSeveral && (isTerminal || summary.hasFailures)) {
      inform(summary.text(tellingOfStoring: isFilling))
      if isFilling, summary.lacksStored, let hint { inform(hint, as: "hint") }
    }
  }

  /// What came of a command whose output goes elsewhere.
  func inform(_ text: String, as mark: String = "garner") {
    guard !verbosity.isSilent else { return }
    write("\(mark): \(text)\n")
  }

  /// What is going on, for `-v`.
  func note(_ text: @autoclosure () -> String) {
    guard verbosity.isVerbose else { return }
    write("* \(text())\n")
  }

  /// From now on, these are not repeated either.
  func hide(_ fields: CredentialFields) {
    if fields.listed.isEmpty { return }
    lock.lock()
    defer { lock.unlock() }
    credentialFields.listed += fields.listed.filter { !credentialFields.listed.contains($0) }
  }

  /// A head for `-v`, marked line by line, as it is where nobody looks on; credentials are not repeated, because logs
  /// are kept.
  func trace(_ head: [UInt8], of message: Masking.Message) {
    guard verbosity.isVerbose else { return }
    lock.lock()
    defer { lock.unlock() }
    let mark = Array((message == .request ? "> " : "< ").utf8)
    var text: [UInt8] = []
    for line in head.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false).dropLast() {
      let shown = withoutSecret(line, of: message)
      text += mark + (isTerminal ? Array(Escaping.visible(shown).utf8) : shown) + [ASCII.lineFeed]
    }
    emit(text)
  }

  /// Puts a line in the place of the one before; without sequences that not every terminal knows.
  func progress(_ line: String) {
    lock.lock()
    defer { lock.unlock() }
    guard descriptor.mayBeDrawnOn else { return }
    if isAmidOutput {
      guard breaksLines else { return }
      put([ASCII.lineFeed])
      isAmidOutput = false
    }
    // Of a terminal that has become narrower, what the line before has wrapped to stays; nothing more is to wrap.
    put(Array(("\r" + Words.left(line, min(openColumns, progressWidth))).utf8))
    openColumns = line.count
  }

  func endProgress() {
    lock.lock()
    defer { lock.unlock() }
    guard openColumns > 0 else { return }
    if descriptor.mayBeDrawnOn {
      put(Array(("\r" + Words.spaces(min(openColumns, progressWidth)) + "\r").utf8))
    }
    openColumns = 0
  }

  /// Raw text, for `%{stderr}` in `-w`.
  func emit(_ bytes: [UInt8]) {
    if bytes.isEmpty { return }
    lock.lock()
    defer { lock.unlock() }
    endProgress()
    put(bytes)
    if bytes.last == ASCII.lineFeed { isAmidOutput = false }
  }

  // MARK: Standard output on a terminal

  /// What tells those that print on a terminal when the progress line has to go; `nil` where there is none.
  func screen(isTerminal: Bool) -> Diagnostics? { isTerminal && showsProgress ? self : nil }

  /// To be called before something is printed on a terminal; `endOutput` has to follow, and nothing else is told until
  /// then.
  func beginOutput() {
    lock.lock()
    endProgress()
  }

  /// - Parameter last: the last byte that was printed, where it is known.
  func endOutput(with last: UInt8?) {
    isAmidOutput = last != ASCII.lineFeed
    lock.unlock()
  }

  /// What a program of the user's has written to its standard error, line by line. What it repeats of what it was
  /// handed is no more of a secret here than anywhere: fields and URLs are shown as `trace` shows those of a request.
  func relay(_ text: [UInt8], from program: String) {
    guard !verbosity.isSilent else { return }
    lock.lock()
    defer { lock.unlock() }
    for line in text.split(separator: ASCII.lineFeed) {
      write("garner: \(program): \(Escaping.visible(withoutSecret(line, of: .request)))\n")
    }
  }

  private func write(_ text: String) { emit(Array(text.utf8)) }

  /// Under the lock.
  private func put(_ bytes: [UInt8]) {
    // Nobody is left to be told that standard error is closed.
    try? descriptor.writeAll(bytes)
  }

  private func withoutSecret(_ line: ArraySlice<UInt8>, of message: Masking.Message) -> [UInt8] {
    Masking.withoutSecret(line.last == ASCII.carriageReturn ? line.dropLast() : line, of: message, credentialFields)
  }
}
