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
  /// Whether an existing file is replaced; `nil` if no option said so.
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

  /// The flags that say what becomes of a body. A command that delivers none ignores them in the environment, the
  /// config file and files of options.
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
      FILE appears whole or not at all: if the fetch fails or is interrupted, an existing FILE is left as it was, except
      with `--continue-at -`. A status of 400 or above is a failure, too, unless `--no-fail` or `--fail-with-body` is
      given. If FILE already holds the same bytes, it is not touched. Mode, owner, group and access control list of an
      existing FILE are kept, as far as the user has permission.

      A FILE that can be written but not replaced, as in a directory without write permission, is overwritten once the
      whole body has arrived. If garner is killed at that moment, FILE holds some of both contents. In a sticky
      directory that all users may write to, such as /tmp, a link that another user has created is not followed, and a
      file of another user is not written.

      `/dev/fd/N` is descriptor N, at its current position. `-` is standard output, and makes garner print binary
      content (content with a NUL byte) on a terminal, too; without it, binary content is not printed from the NUL byte
      on. With several URLs, the first `-o` or `-O` is for the first URL, and so on; a URL with braces or brackets
      counts as one (\flag{globoff}).
      """#
  ) { invocation, text throws(InvalidValue) in invocation.output.destinations.append(try destination(text)) }

  static let remoteName = Flag<Invocation>(
    "remote-name", short: "O", in: .output, scope: .group, facts: { _ in .init(also: .destination) },
    summary: "Write the body to a file named like the last part of the URL's path.",
    details: #"The file is in the working directory, or in \flag{output-dir}. Otherwise like \flag{output}."#
  ) { $0.output.destinations.append(.remoteName) }

  static let remoteNameAll = Flag<Invocation>(
    "remote-name-all", negation: .accepted, in: .output, scope: .group,
    summary: #"Apply \flag{remote-name} to every URL that has no \flag{output}."#
  ) { invocation, isOn in invocation.output.furtherDestination = isOn ? .remoteName : .standardOutput }

  static let remoteHeaderName = Flag<Invocation>(
    "remote-header-name", short: "J", negation: .accepted, in: .output,
    summary: #"With \flag{remote-name}, use the file name that the response gives."#,
    details: #"""
      The name is taken from the response's Content-Disposition or, if there is none, from the URL. A path, leading dots
      and control characters are removed. An existing file with other content is not overwritten: the fetch fails with
      23 or, with `--no-clobber`, the new file gets a number. The fetch also fails with 23 if the name is that of the
      file of \flag{dump-header}, \flag{cookie-jar}, \flag{cookie}, \flag{hsts} or \flag{alt-svc}.
      """#
  ) { invocation, isOn in invocation.output.takesServersName = isOn }

  static let outputDirectory = Flag<Invocation>(
    "output-dir", value: "DIR", completes: .directory, in: .output,
    summary: "Write output files below DIR.",
    details: #"Applies to \flag{output} and \flag{remote-name}. DIR must exist, unless \flag{create-dirs} is given."#
  ) { invocation, text throws(InvalidValue) in invocation.output.directory = try FileName.checkDirectory(text) }

  static let createDirectories = Flag<Invocation>(
    "create-dirs", negation: .accepted, in: .output,
    summary: "Create missing directories of the output file.",
    details: #"""
      Applies to \flag{output}, \flag{remote-name} and \flag{dump-header}. New directories have the mode 0750, less the
      umask. If only some URLs have the option, later URLs can use the directories, too, even if the fetch that they
      were created for has failed.
      """#
  ) { invocation, isOn in invocation.output.createsDirectories = isOn }

  static let clobber = Flag<Invocation>(
    "clobber", negation: .listed("Keep an existing file, and number the new one."), in: .output,
    summary: "Overwrite an existing file.",
    details: """
      This is the default. With `--no-clobber`, the new file is `FILE.1`, or the first of `FILE.2` to `FILE.99` that
      does not exist. `--no-clobber` cannot be combined with a file that `--continue-at` extends.
      """
  ) { invocation, isOn in invocation.output.replacesFiles = isOn }

  static let removeOnError = Flag<Invocation>(
    "remove-on-error", in: .output,
    summary: "Do not leave a partial file if the fetch fails.",
    details: "This is always done; the option is accepted for compatibility with curl."
  ) { _ in }

  static let remoteTime = Flag<Invocation>(
    "remote-time", short: "R", negation: .accepted, in: .output,
    summary: "Set the time of the file to the response's Last-Modified.",
    details: """
      A date that is nearly in the format of HTTP is accepted, too. If the file system does not let anybody set times,
      the file keeps its own.
      """
  ) { invocation, isOn in invocation.output.takesServersTime = isOn }

  static let noBuffer = Flag<Invocation>(
    "no-buffer", short: "N", in: .output,
    summary: "Write data to standard output as soon as it arrives.",
    details: #"""
      This is always done; the option is accepted for compatibility with curl. Only content that must be checked first
      (\flag{sha256}), or whose turn has not come (\flag{parallel}), is held back.
      """#
  ) { _ in }

  static let exitUnchanged = Flag<Invocation>(
    "exit-unchanged", optionalValue: "STATUS", in: .output, scope: .run,
    summary: "Exit with STATUS (default: 114) if the fetch brought nothing new.",
    details: #"""
      With \flag{output}, the fetch brought nothing new if FILE already holds the body, and is left alone. Without a
      file, it brought nothing new if the body was in the cache before, also where the origin could not be asked. With
      several URLs, this must be true of all. In all other cases, the exit status is the usual one: 0 for a success, or
      that of the failure. STATUS is 1 to 255.

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
      `-` is standard output, where each head is printed before what it describes. Heads that go to a device or a FIFO
      are written as they arrive, too. If a stored response is delivered, its head is written, and not that of the 304
      that confirms it, or of the error that it replaces. A regular file appears whole, when the last URL is done; if it
      cannot be created, nothing is fetched.
      """
  ) { invocation, text throws(InvalidValue) in invocation.output.headDestination = try destination(text) }

  static let fail = Flag<Invocation>(
    "fail", short: "f", negation: .listed("Exit with 0 whatever the status of the response."), in: .output,
    facts: { _ in .init(also: .errorStatus) },
    summary: "Print no body if the status of the response is 400 or above.",
    details: "Without the option, the body is printed. The exit status is 22 either way."
  ) { invocation, isOn in invocation.output.errorStatus = isOn ? .failsWithoutBody : .succeeds }

  static let failWithBody = Flag<Invocation>(
    "fail-with-body", in: .output, facts: { _ in .init(also: .errorStatus) },
    summary: "Print the body, and exit with 22, if the status is 400 or above.",
    details: #"Unlike the default, the option also writes the body to FILE of \flag{output}. It cancels \flag{fail}."#
  ) { $0.output.errorStatus = .failsWithBodyInFile }

  static let silent = Flag<Invocation>(
    "silent", short: "s", negation: .accepted, in: .output, scope: .run,
    summary: "Show neither progress nor errors.",
    details: #"With \flag{show-error}, errors are shown."#
  ) { invocation, isOn in invocation.output.isSilent = isOn }

  static let showError = Flag<Invocation>(
    "show-error", short: "S", negation: .accepted, in: .output, scope: .run,
    summary: #"Show errors in spite of \flag{silent}."#,
    details: "Also shows the warning that a stored response is served in place of an answer that failed."
  ) { invocation, isOn in invocation.output.showsErrors = isOn }

  static let verbose = Flag<Invocation>(
    "verbose", short: "v", negation: .accepted, in: .output, scope: .run,
    summary: "Report on standard error what garner does, and why.",
    details: """
      Lines with `>` were sent. Lines with `<` are heads: of each redirect that is followed, of an answer such as a 304
      in whose place a stored response is delivered, and of the delivered response, whether from the origin or from the
      cache. Lines with `*` are explanations: what the cache had, what was decided, and whether the response was stored.
      Credentials and cookies are not shown.
      """
  ) { invocation, isOn in invocation.output.isVerbose = isOn }

  static let writeOut = Flag<Invocation>(
    "write-out", short: "w", value: "FORMAT", completes: .fileBehindAt, in: .output, scope: .group,
    summary: "Print FORMAT after the fetch, whether or not it succeeded.",
    details: #"""
      `%{name}` stands for a variable: one of curl's, such as `%{http_code}`, or one of the cache, such as
      `%{cache_result}`; `garner help variables` lists them. `\n`, `\r` and `\t` have the same meaning as in C. `@FILE`
      reads the format from FILE, and `@-` from standard input; line breaks in it are left out.

          garner -so /dev/null -w '%{cache_result}\n' https://example.com/
      """#
  ) { invocation, text throws(InvalidValue) in invocation.output.writeOut = try TextSource(marked: text) }

  static let progressBar = Flag<Invocation>(
    "progress-bar", short: "#", in: .output, facts: { _ in .init(also: .progress) },
    summary: "Show progress even if the body goes to a terminal.",
    details: #"\flag{no-progress} describes what is shown. Nothing is shown if standard error is not a terminal."#
  ) { $0.output.progress = .bar }

  static let noProgress = Flag<Invocation>(
    "no-progress", aliases: ["no-progress-meter"], in: .output, facts: { _ in .init(also: .progress) },
    summary: "Show no progress.",
    details: """
      Without the option, progress is shown if standard error is a terminal, the transfer lasts longer than a second,
      and the body does not go to a terminal. It is one line with a bar, in which `=` stands for bytes that were there
      before, the bytes, the rate, and the time left. Parallel transfers share the line, which then also says how many
      of the URLs are done. Parts that do not fit the terminal are left out.
      """
  ) { $0.output.progress = .none }

  static let dryRun = Flag<Invocation>(
    "dry-run", negation: .accepted, in: .output, scope: .run,
    summary: "Send nothing; show what would be sent, and how the cache affects it.",
    details: """
      For each URL, shows what a fetch would do, by which rule, and the figures that the rule uses, as `garner cache
      explain` does. Then shows the head of the request, if one would be sent, without the fields that are added for a
      proxy or to ask for HTTP/2. Redirects are not followed. A URL that cannot be fetched, such as a malformed one, is
      reported as by a fetch, with the same exit status, and the other URLs are shown.
      """
  ) { invocation, isOn in invocation.output.isDryRun = isOn }

  static let color = Flag<Invocation>(
    "color", value: "WHEN", completes: .choices(OutputOptions.Color.allCases.map(\.rawValue)), in: .common, scope: .run,
    summary: "Colour the output that people read.",
    details: """
      `auto`, the default, colours the output of `garner cache ls`, `garner cache explain` and `--dry-run` on a
      terminal, unless NO_COLOR is set or TERM is `dumb`.
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
