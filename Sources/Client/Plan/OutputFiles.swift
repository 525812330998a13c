import FlagTable
import HTTPSemantics
import Interface
import Platform

/// The destinations of the URLs' content.
extension PlanBuilder {
  func sink(
    at place: OutputPlace, of target: TargetURI, _ typed: ArgumentText
  ) throws(Failure) -> BodySink.Target {
    if invocation.command == .prefetch { return .nowhere }
    let (destinations, further) = (invocation.output.destinations, invocation.output.furtherDestination)
    switch place.position < destinations.count ? destinations[place.position] : further {
    case .standardOutput:
      return .standardOutput
    case .file(let name):
      if place.choices.isEmpty { return .file(try outputFile(try path(name, of: "--output"))) }
      // A choice may make the name empty, which may only be known after other URLs have been fetched.
      let chosen = place.name(from: name)
      guard let path = Path(chosen.bytes) else { throw .emptyFileName(name) }
      let file = try outputFile(path)
      try checkApart(file.path, named: "--output")
      return .file(file)
    case .remoteName:
      var file = try outputFile(Self.lastSegment(of: target, typed))
      try checkApart(file.path, named: "--remote-name")
      if invocation.output.takesServersName { file.takeServersName(apartFrom: otherFiles + filesOfRun) }
      return .file(file)
    }
  }

  /// Refuses two files that appear whole under one name, because one of them would be lost.
  func checkFilesApart() throws(Failure) {
    if filesWrittenInRun.isEmpty { return }
    for case .file(let name) in invocation.output.destinations {
      try checkApart(try outputFile(try path(name, of: "--output")).path, named: "--output")
    }
    let written = writtenFiles
    for (index, file) in written.enumerated() {
      if let other = OutputFile.option(naming: file.path, among: written[(index + 1)...]) {
        throw .contradiction("\(file.option) and \(other) name the same file")
      }
    }
  }

  /// Whether the name of a file for content depends on its URL while other files are written. These names are compared
  /// when all URLs are known.
  var namesFilesByURL: Bool {
    let dependsOnURL =
      invocation.output.furtherDestination == .remoteName
      || invocation.output.destinations.contains { destination in
        switch destination {
        case .standardOutput: false
        case .file(let name): invocation.many.expandsGlobs && name.bytes.contains(UInt8(ascii: "#"))
        case .remoteName: true
        }
      }
    return dependsOnURL && !filesWrittenInRun.isEmpty
  }

  /// Does the same as `checkFilesApart` for the destination of one URL's content.
  func checkFileApart(at place: OutputPlace, of target: TargetURI, _ typed: ArgumentText) throws(Failure) {
    do throws(Failure) {
      _ = try sink(at: place, of: target, typed)
    } catch {
      // Any other failure is reported when the URL's turn comes.
      if case .contradiction(let sentence, _) = error {
        throw .contradiction(sentence, hint: "the URL is \(typed.visible)")
      }
    }
  }

  /// The files that are written besides content.
  private var writtenFiles: [OutputFile.Other] {
    var files: [OutputFile.Other] = []
    func add(_ name: ArgumentText?, _ option: String) {
      if let name, let path = Path(name.bytes) { files.append(OutputFile.Other(path: path, option: option)) }
    }
    if case .file(let name)? = invocation.output.headDestination { add(name, "--dump-header") }
    let (request, route) = (invocation.request, invocation.connection.route)
    if request.cookieJar != "-" { add(request.cookieJar, "--cookie-jar") }
    add(route.hstsFile, "--hsts")
    add(route.altSvcFile, "--alt-svc")
    return files
  }

  /// The files that are written besides content, and those that are read but may not exist yet: a later reader would
  /// trust whatever an origin has written there.
  var otherFiles: [OutputFile.Other] {
    let cookieFiles = invocation.request.cookieFiles.compactMap { name in
      Path(name.bytes).map { OutputFile.Other(path: $0, option: "--cookie", isWritten: false) }
    }
    return writtenFiles + cookieFiles
  }

  /// `writtenFiles`, and those of the other sets of options: content under one of their names would be lost, too.
  private var filesWrittenInRun: [OutputFile.Other] {
    filesOfRun.isEmpty ? writtenFiles : writtenFiles + filesOfRun.filter(\.isWritten)
  }

  /// - Parameter option: the option that names the file of the content.
  private func checkApart(_ body: Path?, named option: String) throws(Failure) {
    guard let body, let other = OutputFile.option(naming: body, among: filesWrittenInRun) else { return }
    throw .contradiction("\(option) and \(other) name the same file")
  }

  /// Returns the last segment as it was typed. It stays percent-encoded, so that it is neither a separator nor a dot
  /// segment.
  private static func lastSegment(of target: TargetURI, _ typed: ArgumentText) -> Path? {
    guard let segment = target.path.split(separator: "/", omittingEmptySubsequences: false).last, segment != ".",
      segment != ".."
    else { return nil }
    // In the target, characters beyond ASCII have been percent-encoded.
    if typed.bytes.contains(where: { $0 >= 0x80 }) {
      let path = typed.bytes.prefix { !"?#".utf8.contains($0) }
      let last = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? []
      let isSame = PathSyntax.percentDecoded(last) == PathSyntax.percentDecoded(Array(segment.utf8)[...])
      if isSame { return Path(last) }
    }
    return Path(String(segment))
  }

  private func outputFile(_ name: Path?) throws(Failure) -> OutputFile {
    let output = invocation.output
    var file = OutputFile(name)
    if let directory = output.directory { file.directory = try path(directory, of: "--output-dir") }
    file.collision = output.replacesFiles == false ? .number : .replace
    file.createsDirectories = output.createsDirectories
    file.takesServersTime = output.takesServersTime
    return file
  }

  /// Returns where `-C` has the content begin, in bytes. A file that the content goes to keeps what it holds.
  func continuationOffset(into sink: inout BodySink.Target) throws(Failure) -> UInt64 {
    guard let continuation = invocation.resilience.continuation else { return 0 }
    guard case .file(var file) = sink, let path = file.path else {
      // How much standard output has received before cannot be found out.
      if case .from(let offset) = continuation { return UInt64(offset) }
      return 0
    }
    let offset: UInt64
    switch continuation {
    case .from(let typed):
      offset = UInt64(typed)
      file.front = OutputFile.Front()
    case .fromEndOfFile:
      let status = try? Descriptor.workingDirectory.status(of: path)
      offset = status?.kind == .regular ? UInt64(clamping: status?.size ?? 0) : 0
      file.front = OutputFile.Front(length: offset)
    }
    // With an offset of 0, the file is made anew.
    guard offset > 0 else { return 0 }
    file.collision = .replace
    sink = .file(file)
    return offset
  }
}

extension PlanBuilder.OutputPlace {
  /// Returns the name with `#1`, `#2` and so on replaced. The number of a choice that does not exist stays.
  func name(from pattern: ArgumentText) -> ArgumentText {
    var name: [UInt8] = []
    var rest = pattern.bytes[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(while: ASCII.isDigit)
      if byte == UInt8(ascii: "#"), let number = Int(String(decoding: digits, as: UTF8.self)),
        choices.indices.contains(number - 1)
      {
        name += choices[number - 1]
        rest = rest.dropFirst(digits.count)
      } else {
        name.append(byte)
      }
    }
    return ArgumentText(name)
  }
}
