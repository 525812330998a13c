import HTTPCaching
import HTTPSemantics
package import Platform

/// The only writer to standard error.
///
/// Every line names the program, or is marked as curl marks it: `*` for what is going on, `>` and `<` for heads.
/// Several threads may use it, once its verbosity has been set: lines are not mixed.
package final class Diagnostics: @unchecked Sendable {
  package struct Verbosity: Sendable {
    /// `-s`: no warnings, no progress, and errors only with `-S`.
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
  /// `-#`: a progress line that meets unfinished text begins on a new line, instead of being left out.
  var breaksLines = false
  let isTerminal: Bool
  private let lock = Lock()
  // Guarded by the lock.
  /// The fields of a head whose values are not printed.
  private var credentialFields = CredentialFields()
  private var warned: Set<String> = []
  /// The most warnings to remember: a run may have a million URLs, each with a warning of its own.
  private static let maximumRememberedWarnings = 1_000
  /// The hint that was printed last: many URLs may fail for one reason, and only the first failure is followed by it.
  private var latestHint = ""
  /// The columns of the progress line that stands unfinished on the terminal.
  private var openColumns = 0
  /// Whether unfinished text of standard output stands on the terminal, where a progress line would overwrite it.
  private var isAmidOutput = false

  package init(_ descriptor: Descriptor, verbosity: Verbosity = Verbosity()) {
    self.descriptor = descriptor
    self.verbosity = verbosity
    isTerminal = descriptor.isTerminal
  }

  /// Returns diagnostics that print nothing, for work that nobody waits for.
  static func silent(_ context: ProcessContext) -> Diagnostics {
    Diagnostics(context.standardError, verbosity: Verbosity(isSilent: true, showsErrors: false))
  }

  /// Whether a progress line would be seen.
  var showsProgress: Bool { isTerminal && !verbosity.isSilent }

  /// The columns of a progress line: one less than the terminal's, because a full line is two lines on some terminals.
  var progressWidth: Int { (descriptor.terminalWidth ?? Self.usualWidth) - 1 }

  private static let usualWidth = 80

  /// - Parameter hint: a hint in place of the failure's own; empty for none. The same hint is not printed twice in a
  ///   row.
  func report(_ failure: Failure, hint: String? = nil) {
    guard !verbosity.isSilent || verbosity.showsErrors else { return }
    lock.lock()
    defer { lock.unlock() }
    write("garner: \(failure.message)\n")
    guard let hint = hint ?? failure.hint, !hint.isEmpty, hint != latestHint else { return }
    latestHint = hint
    write("hint: \(hint)\n")
  }

  /// Warns of something that does not stop the run. The same warning is printed once.
  ///
  /// - Parameter isOfError: whether it tells of an error, and so is printed with `-S`, too.
  func warn(_ text: String, hint: String? = nil, isOfError: Bool = false) {
    guard !verbosity.isSilent || (isOfError && verbosity.showsErrors) else { return }
    lock.lock()
    defer { lock.unlock() }
    if warned.contains(text) { return }
    if warned.count < Self.maximumRememberedWarnings { warned.insert(text) }
    write("garner: warning: \(text)\n")
    if let hint { write("hint: \(hint)\n") }
  }

  /// Warns of a file that could not be read and that the run does without. After a signal, the end of the run says so.
  func warn(ofUnread failure: Failure) {
    if case .interrupted = failure { return }
    warn(failure.message)
  }

  /// Warns of a failure in place of which a stored response is served.
  func warn(of failure: Failure, serving reuse: Reuse) {
    if reuse.freshness.isFresh {
      warn("\(failure.message); the stored response is served", isOfError: true)
    } else {
      warn("\(failure.message); the stored response is served, \(reuse.freshness.staleWords)", isOfError: true)
    }
  }

  /// Prints the result of a run with several URLs, if a person looks on or something has failed.
  ///
  /// - Parameters:
  ///   - isFilling: whether the run is to store: then the result is printed in any case.
  ///   - hint: how to find what could not be stored.
  func sum(up summary: RunSummary, isFilling: Bool, hint: String?) {
    if isFilling || (summary.isOfSeveral && (isTerminal || summary.hasFailures)) {
      inform(summary.text(tellingOfStoring: isFilling))
      if isFilling, summary.lacksStored, let hint { inform(hint, as: "hint") }
    }
  }

  /// Prints the result of a command whose output goes elsewhere.
  func inform(_ text: String, as mark: String = "garner") {
    guard !verbosity.isSilent else { return }
    write("\(mark): \(text)\n")
  }

  /// Prints what is going on, for `-v`.
  func note(_ text: @autoclosure () -> String) {
    guard verbosity.isVerbose else { return }
    write("* \(text())\n")
  }

  /// Hides the values of these fields, too, from now on.
  func hide(_ fields: CredentialFields) {
    if fields.listed.isEmpty { return }
    lock.lock()
    defer { lock.unlock() }
    credentialFields.listed += fields.listed.filter { !credentialFields.listed.contains($0) }
  }

  /// Prints a head for `-v`, with a mark before each line, raw unless it goes to a terminal. Credentials are left out,
  /// because logs are kept.
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

  /// Replaces the progress line, without sequences that not every terminal knows.
  func progress(_ line: String) {
    lock.lock()
    defer { lock.unlock() }
    guard descriptor.mayBeDrawnOn else { return }
    if isAmidOutput {
      guard breaksLines else { return }
      put([ASCII.lineFeed])
      isAmidOutput = false
    }
    // On a terminal that has become narrower, the wrapped rest of the previous line stays; this line must not wrap,
    // too.
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

  /// Prints raw text, for `%{stderr}` in `-w`.
  func emit(_ bytes: [UInt8]) {
    if bytes.isEmpty { return }
    lock.lock()
    defer { lock.unlock() }
    endProgress()
    put(bytes)
    if bytes.last == ASCII.lineFeed { isAmidOutput = false }
  }

  // MARK: Standard output on a terminal

  /// Returns the object to tell before printing on a terminal, so that the progress line goes; `nil` without such a
  /// line.
  func screen(isTerminal: Bool) -> Diagnostics? { isTerminal && showsProgress ? self : nil }

  /// To be called before printing on a terminal. `endOutput` has to follow, and nothing else is printed until then.
  func beginOutput() {
    lock.lock()
    endProgress()
  }

  /// - Parameter last: the last byte that was printed, if it is known.
  func endOutput(with last: UInt8?) {
    isAmidOutput = last != ASCII.lineFeed
    lock.unlock()
  }

  /// Prints what a program of the user's has written to its standard error, line by line. The program may repeat what
  /// it was given, so that fields and URLs are shown as `trace` shows those of a request.
  func relay(_ text: [UInt8], from program: String) {
    guard !verbosity.isSilent else { return }
    lock.lock()
    defer { lock.unlock() }
    for line in text.split(separator: ASCII.lineFeed) {
      write("garner: \(program): \(Escaping.visible(withoutSecret(line, of: .request)))\n")
    }
  }

  private func write(_ text: String) { emit(Array(text.utf8)) }

  /// To be called under the lock.
  private func put(_ bytes: [UInt8]) {
    // If standard error is closed, nobody can be told.
    try? descriptor.writeAll(bytes)
  }

  private func withoutSecret(_ line: ArraySlice<UInt8>, of message: Masking.Message) -> [UInt8] {
    Masking.withoutSecret(line.last == ASCII.carriageReturn ? line.dropLast() : line, of: message, credentialFields)
  }
}
