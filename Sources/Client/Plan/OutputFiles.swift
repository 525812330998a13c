import HTTPSemantics
import Interface
import Platform

/// Where the content of each URL goes.
extension PlanBuilder {
  func sink(at index: Int, of target: TargetURI) throws(Failure) -> BodySink.Target {
    guard index < invocation.output.destinations.count else { return .standardOutput }
    switch invocation.output.destinations[index] {
    case .standardOutput:
      return .standardOutput
    case .file(let name):
      return .file(try outputFile(try path(name)))
    case .remoteName:
      // As it stands in the URL: what is percent-encoded there can neither be a separator nor a dot segment here.
      let segment = target.path.split(separator: "/", omittingEmptySubsequences: false).last
      var file = try outputFile(segment.flatMap { Path(String($0)) })
      file.takesServersName = invocation.output.takesServersName
      return .file(file)
    }
  }

  private func outputFile(_ name: Path?) throws(Failure) -> OutputFile {
    let output = invocation.output
    var file = OutputFile(name)
    if let directory = output.directory { file.directory = try path(directory) }
    file.collision = output.replacesFiles == false ? .number : .replace
    file.createsDirectories = output.createsDirectories
    file.takesServersTime = output.takesServersTime
    return file
  }

  /// Where `-C` has the content begin, in bytes; a file that it goes to keeps what it holds.
  func continuationOffset(into sink: inout BodySink.Target) throws(Failure) -> UInt64 {
    guard let continuation = invocation.resilience.continuation else { return 0 }
    guard case .file(var file) = sink, let path = file.path else {
      // There is nothing to be found out about what standard output has got before.
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
    // Without anything before it, the file is made anew.
    guard offset > 0 else { return 0 }
    file.collision = .replace
    sink = .file(file)
    return offset
  }
}
