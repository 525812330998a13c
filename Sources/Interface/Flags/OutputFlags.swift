package import FlagTable

/// The options that say where the response goes, and what is reported.
package struct OutputOptions: Equatable, Sendable {
  package enum Destination: Equatable, Sendable {
    case standardOutput
    case file(ArgumentText)
    /// A file in the working directory, named as the last segment of the URL's path.
    case remoteName
  }

  /// The effect of a status of 400 or above.
  package enum ErrorStatus: Equatable, Sendable {
    /// The body is delivered, but to no file, and the exit status is 22.
    case failsWithBody
    /// As `failsWithBody`, but the body is delivered to files, too.
    case failsWithBodyInFile
    case failsWithoutBody
    /// The body is delivered, and the exit status is 0.
    case succeeds
  }

  package enum Progress: Equatable, Sendable {
    /// A bar when standard error is a terminal and the transfer lasts.
    case automatic
    case bar
    case none
  }

  package enum Color: String, Equatable, Sendable, CaseIterable {
    case auto
    case always
    case never
  }

  /// The destinations of the first URL, the second, and so on.
  package var destinations: [Destination] = []
  /// The destination of further URLs.
  package var furtherDestination = Destination.standardOutput
  /// Whether anything goes into a file.
  package var hasFiles: Bool {
    furtherDestination != .standardOutput || destinations.contains { $0 != .standardOutput }
  }
  /// The directory of output files, which stands before their names.
  package var directory: ArgumentText?
  package var createsDirectories = false
  /// Whether an existing file is replaced; `nil` where no option said so.
  package var replacesFiles: Bool?
  package var takesServersName = false
  package var takesServersTime = false
  /// The exit status of a run that has brought nothing new; `nil` for none of its own.
  package var unchangedStatus: Int32?
  package var includesHead = false
  package var headDestination: Destination?
  package var isSilent = false
  package var showsErrors = false
  package var isVerbose = false
  package var writeOut: TextSource?
  package var errorStatus = ErrorStatus.failsWithBody
  package var progress = Progress.automatic
  package var color = Color.auto
  /// Whether the run only reports what it would do.
  package var isDryRun = false
}

enum OutputFlags {
  /// Offers the flags that are typed most, without an array of them: each is made only when those before it were not
  /// wanted.
  static func offerUsual(_ isEnough: (Flag<Invocation>) -> Bool) -> Bool {
    isEnough(output) || isEnough(silent) || isEnough(showError) || isEnough(fail) || isEnough(remoteName)
      || isEnough(include) || isEnough(verbose)
  }

  static let others: [Flag<Invocation>] = [
    remoteNameAll, remoteHeaderName, outputDirectory, createDirectories, clobber, removeOnError, remoteTime, noBuffer,
    exitUnchanged, dumpHeader, failWithBody, writeOut, progressBar, noProgress, dryRun,
  ]

  /// The flags of a command that prints nothing.
  static let ofPrefetch: [Flag<Invocation>] = [fail, silent, showError, verbose, noProgress, dryRun]

  /// The flags that say what becomes of a body. A command that delivers none ignores them in the environment and the
  /// config file.
  static var ofDelivery: [Flag<Invocation>] {
    [
      output, remoteName, include, remoteNameAll, remoteHeaderName, outputDirectory, createDirectories, clobber,
      removeOnError, remoteTime, noBuffer, exitUnchanged, dumpHeader, failWithBody, writeOut, progressBar,
      ResilienceFlags.continueAt,
    ]
  }

  static let output = Flag<Invocation>(
    "output", short: "o", value: "FILE", completes: .file, in: .output,
    scope: .group, facts: { _ in .init(also: .destination) },
    summary: "Write the body to FILE.",
    details: #"""
      FILE appears whole or not at all: when the fetch fails or is interrupted, what was there is left as it was, but
      for `--continue-at -`. A status of 400 or above is a failure, too, unless `--no-fail` or `--fail-with-body` is
      given. Where FILE holds the same bytes already, it is not touched. Mode, owner, group and access control list of a
      FILE that is there are kept, as far as the user may. One that may be written and not replaced, as in a directory
      without write permission, is written over when all has come: what ends garner then leaves some of both. What
      another user has put into a sticky directory that all may write to, as /tmp, is neither followed, where it is a
      link, nor written. `/dev/fd/N` is descriptor N, at the place where it is. `-` is standard output, and has a
      terminal print binary content, too, that is content with a NUL; without it, that is not printed from the NUL on.
      With several URLs, the first `-o` or `-O` is for the first, and so on; a URL with braces or brackets is one
      (\flag{globoff}).
      """#
  ) { invocation, text throws(InvalidValue) in invocation.output.destinations.append(try destination(text)) }

  static let remoteName = Flag<Invocation>(
    "remote-name", short: "O", in: .output, scope: .group, facts: { _ in .init(also: .destination) },
    summary: "Write the body to a file named as the last part of the URL's path.",
    details: #"The file is in the working directory. Otherwise as \flag{output}."#
  ) { $0.output.destinations.append(.remoteName) }

  static let remoteNameAll = Flag<Invocation>(
    "remote-name-all", negation: .accepted, in: .output, scope: .group,
    summary: #"Write every body as \flag{remote-name} does, unless \flag{output} says where."#
  ) { invocation, isOn in invocation.output.furtherDestination = isOn ? .remoteName : .standardOutput }

  static let remoteHeaderName = Flag<Invocation>(
    "remote-header-name", short: "J", negation: .accepted, in: .output,
    summary: #"With \flag{remote-name}, let the response name the file."#,
    details: #"""
      The name is that of the response's Content-Disposition or, where it has none, that of the URL, without a path,
      leading dots and control characters. A file that is there already and holds something else is not overwritten: the
      fetch fails with 23, or with \flag{clobber} turned off the new file gets a number. With 23 it fails, too, where
      the name is that of the file of \flag{dump-header}, \flag{cookie-jar}, \flag{cookie}, \flag{hsts} or
      \flag{alt-svc}.
      """#
  ) { invocation, isOn in invocation.output.takesServersName = isOn }

  static let outputDirectory = Flag<Invocation>(
    "output-dir", value: "DIR", completes: .directory, in: .output,
    summary: "Write files below DIR.",
    details: #"For \flag{output} and \flag{remote-name}. DIR must be there, unless \flag{create-dirs} is given."#
  ) { invocation, text throws(InvalidValue) in invocation.output.directory = try FileName.checkDirectory(text) }

  static let createDirectories = Flag<Invocation>(
    "create-dirs", negation: .accepted, in: .output,
    summary: "Make the directories that lead to the file.",
    details: #"""
      For \flag{output}, \flag{remote-name} and \flag{dump-header}. Those that are made have the mode 0750, less what
      the umask takes away. Where only some URLs have the option, those that follow find the directories all the same,
      even where the fetch that they were made for has failed.
      """#
  ) { invocation, isOn in invocation.output.createsDirectories = isOn }

  static let clobber = Flag<Invocation>(
    "clobber", negation: .listed("Keep a file that is there, and number the new one."), in: .output,
    summary: "Replace a file that is there.",
    details: """
      The default. With `--no-clobber` the new file is `FILE.1`, or the first of `FILE.2` to `FILE.99` that nothing has.
      With a file, that contradicts `--continue-at`, which goes on with FILE itself.
      """
  ) { invocation, isOn in invocation.output.replacesFiles = isOn }

  static let removeOnError = Flag<Invocation>(
    "remove-on-error", in: .output,
    summary: "Leave no piece of a file behind where the fetch fails.",
    details: "What is done anyway; accepted because curl has it."
  ) { _ in }

  static let remoteTime = Flag<Invocation>(
    "remote-time", short: "R", negation: .accepted, in: .output,
    summary: "Give the file the time of the response's Last-Modified.",
    details: "What is nearly a date of HTTP will do. A file system that lets nobody set times keeps its own."
  ) { invocation, isOn in invocation.output.takesServersTime = isOn }

  static let noBuffer = Flag<Invocation>(
    "no-buffer", short: "N", in: .output,
    summary: "Write to standard output what comes as soon as it comes.",
    details: #"""
      What is done anyway; accepted because curl has it. Held back is only what is to be checked first
      (\flag{sha256}), and what comes before its turn (\flag{parallel}).
      """#
  ) { _ in }

  static let exitUnchanged = Flag<Invocation>(
    "exit-unchanged", optionalValue: "STATUS", in: .output, scope: .run,
    summary: "Exit with STATUS, 114 unless said otherwise, where nothing new came.",
    details: #"""
      Nothing new is a body that was stored before: fresh, or confirmed by the server. So is one that FILE of
      \flag{output} holds already, which is then left alone. With several URLs, none of them may have brought anything
      new. Another success is 0 as ever, and a failure is what it is. STATUS is 1 to 255.

          garner --exit-unchanged -o feed.xml https://example.com/feed
      """#
  ) { invocation, text throws(InvalidValue) in
    invocation.output.unchangedStatus =
      try text.map { text throws(InvalidValue) in try exitStatus(text) }
      ?? ExitStatus.unchanged.rawValue
  }

  private static func exitStatus(_ text: ArgumentText) throws(InvalidValue) -> Int32 {
    guard let number = try? Quantities.count(text), (1...255).contains(number) else {
      throw .expected("a number from 1 to 255")
    }
    return Int32(number)
  }

  static let include = Flag<Invocation>(
    "include", short: "i", aliases: ["show-headers"], negation: .accepted, in: .output,
    summary: "Print the head of the response before its body."
  ) { invocation, isOn in invocation.output.includesHead = isOn }

  static let dumpHeader = Flag<Invocation>(
    "dump-header", short: "D", value: "FILE", completes: .file, in: .output, scope: .group,
    summary: "Write the heads of all responses to FILE.",
    details: """
      `-` is standard output, where each head stands before what it is about; what is written to a device or a FIFO is
      written when it comes, too. Where something stored is delivered, its head is written, and not that of a 304 which
      confirms it, or of an error in whose place it comes. A file appears whole, when the last URL is done; where there
      can be none, nothing is fetched.
      """
  ) { invocation, text throws(InvalidValue) in invocation.output.headDestination = try destination(text) }

  static let fail = Flag<Invocation>(
    "fail", short: "f", negation: .listed("Exit with 0 whatever the response's status."), in: .output,
    facts: { _ in .init(also: .errorStatus) },
    summary: "Print no body where the response's status is 400 or above.",
    details: "Without the option the body is printed. The exit status is 22 either way."
  ) { invocation, isOn in invocation.output.errorStatus = isOn ? .failsWithoutBody : .succeeds }

  static let failWithBody = Flag<Invocation>(
    "fail-with-body", in: .output, facts: { _ in .init(also: .errorStatus) },
    summary: "Print the body, and exit with 22, where the response's status is 400 or above.",
    details: #"""
      That is the default, too, but that it leaves FILE of \flag{output} alone, which gets the body with this option. It
      takes \flag{fail} back.
      """#
  ) { $0.output.errorStatus = .failsWithBodyInFile }

  static let silent = Flag<Invocation>(
    "silent", short: "s", negation: .accepted, in: .output, scope: .run,
    summary: "Show neither progress nor errors.",
    details: #"With \flag{show-error}, errors are shown."#
  ) { invocation, isOn in invocation.output.isSilent = isOn }

  static let showError = Flag<Invocation>(
    "show-error", short: "S", negation: .accepted, in: .output, scope: .run,
    summary: #"Show errors in spite of \flag{silent}."#,
    details: "The warning that something stored is served in the place of an answer that failed is shown, too."
  ) { invocation, isOn in invocation.output.showsErrors = isOn }

  static let verbose = Flag<Invocation>(
    "verbose", short: "v", negation: .accepted, in: .output, scope: .run,
    summary: "Tell on standard error what is done, and why.",
    details: """
      Lines with `>` were sent. Lines with `<` are heads: those of the redirects that are followed, that of an answer in
      whose place what is stored is delivered, such as a 304, and that of the response that is delivered, be it from the
      origin or from the cache. Lines with `*` say what garner thinks of it: what the cache had, what was decided, and
      whether the response was stored. Credentials and cookies are not shown.
      """
  ) { invocation, isOn in invocation.output.isVerbose = isOn }

  static let writeOut = Flag<Invocation>(
    "write-out", short: "w", value: "FORMAT", completes: .fileBehindAt, in: .output, scope: .group,
    summary: "Print FORMAT after the fetch, whether or not it succeeded.",
    details: """
      `%{name}` stands for a variable: one of curl's, such as `%{http_code}`, or of the cache, such as
      `%{cache_result}`; `garner help variables` lists them. `\\n`, `\\r` and `\\t` are what they are in C. `@FILE`
      reads the format from FILE, `@-` from standard input; line breaks there are left out.

          garner -so /dev/null -w '%{cache_result}\\n' https://example.com/
      """
  ) { invocation, text throws(InvalidValue) in invocation.output.writeOut = try TextSource(marked: text) }

  static let progressBar = Flag<Invocation>(
    "progress-bar", short: "#", in: .output, facts: { _ in .init(also: .progress) },
    summary: "Show progress even where the body goes to a terminal.",
    details: #"How it looks is told under \flag{no-progress}. Where standard error is no terminal, nothing is shown."#
  ) { $0.output.progress = .bar }

  static let noProgress = Flag<Invocation>(
    "no-progress", aliases: ["no-progress-meter"], in: .output, facts: { _ in .init(also: .progress) },
    summary: "Show no progress.",
    details: """
      Otherwise it is shown when standard error is a terminal, the transfer lasts over a second, and the body does not
      go to a terminal: one line with a bar, in which `=` stands for what was there before, the bytes, the rate, and the
      time left. Transfers side by side share it, and it says how many of the URLs are done. What does not fit the
      terminal is left out.
      """
  ) { $0.output.progress = .none }

  static let dryRun = Flag<Invocation>(
    "dry-run", negation: .accepted, in: .output, scope: .run,
    summary: "Send nothing: tell what would be sent, and what the cache has to do with it.",
    details: """
      For each URL, what would be done, by which rule, with the figures that it goes by, as `garner cache explain` has
      them; then the head of the request, if one would be sent, without what is added for a proxy or asks for HTTP/2.
      Redirects are not known before they are met.
      """
  ) { invocation, isOn in invocation.output.isDryRun = isOn }

  static let color = Flag<Invocation>(
    "color", value: "WHEN", completes: .choices(OutputOptions.Color.allCases.map(\.rawValue)), in: .common, scope: .run,
    summary: "Colour what is printed for people.",
    details: """
      `auto`, the default, colours `garner cache ls`, `garner cache explain` and what `--dry-run` tells on a terminal
      unless NO_COLOR is set or TERM is `dumb`.
      """
  ) { invocation, text throws(InvalidValue) in
    guard let color = text.string.flatMap(OutputOptions.Color.init) else {
      throw .notOneOf(OutputOptions.Color.allCases.map(\.rawValue))
    }
    invocation.output.color = color
  }

  private static func destination(_ text: ArgumentText) throws(InvalidValue) -> OutputOptions.Destination {
    text == "-" ? .standardOutput : .file(try FileName.check(text))
  }
}
