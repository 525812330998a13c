import Archives
import CacheStore
import FlagTable
import HTTPSemantics
import Interface
import Platform

/// `garner cache import`.
extension CacheCommand {
  func importArchive(_ context: ProcessContext, _ diagnostics: Diagnostics) throws(Failure) {
    let name = invocation.operands[0]
    guard name != "-" else {
      return try importArchive(name.inputName, try context.wholeStandardInput(for: "the archive"), diagnostics)
    }
    let file = try open(name)
    try importArchive(name.visible, file.borrowed, diagnostics)
  }

  private func open(_ name: ArgumentText) throws(Failure) -> OwnedDescriptor {
    do throws(Errno) {
      guard let path = Path(name.bytes) else { throw .noSuchFile }
      let file = try Descriptor.workingDirectory.open(path, .readOnly)
      guard try file.status().kind != .directory else { throw .isDirectory }
      return file
    } catch {
      throw .reading(name, error)
    }
  }

  private func importArchive(_ name: String, _ file: Descriptor, _ diagnostics: Diagnostics) throws(Failure) {
    let status = try? file.status()
    let expected = status.flatMap { $0.kind == .regular ? UInt64(clamping: $0.size) : nil }
    let destination = ImportStore(store, clock, importsAll: invocation.archive.importsAll)
    let tally: ImportTally
    let importArchive: () throws(ImportFault) -> Void
    do throws(ArchiveError) {
      let input = try ArchiveInput(file)
      let meter = ProgressMeter(on: ProgressBoard.shown(by: diagnostics, clock: clock), expected: expected)
      tally = ImportTally(name, input, meter, diagnostics)
      switch try ArchiveFormat(of: input) {
      case .warc: importArchive = WARCImport(input, of: expected == nil ? nil : file, destination, tally).run
      case .har: importArchive = try HARImport(input, destination, tally).run
      }
    } catch {
      throw failure(.archive(error), name)
    }
    defer { tally.finish(evictions, within: store.limits.capacity) }
    do throws(ImportFault) {
      try importArchive()
    } catch {
      if case .archive(.undecodable) = error { _ = store.remove(tally.takeBackUnconfirmed()) }
      throw failure(error, name)
    }
    if tally.damagedCount > 0 { throw .damagedArchive(name, tally.damagedCount) }
  }

  private func failure(_ fault: ImportFault, _ name: String) -> Failure {
    // A signal comes first, whatever error it has caused.
    if let signal = Signals.pending { return .interrupted(signal) }
    return switch fault {
    case .archive(let error): .archive(name, error)
    case .store(let error): .store(cannot: purpose, in: store.root, error)
    case .interrupted: .interrupted(.interrupt)
    }
  }
}
