import CacheStore
import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// What the operands of a `cache` command mean, by what is stored.
extension CacheCommand {
  /// What is selected by the command line.
  func selection() throws(Failure) -> EntrySelection {
    EntrySelection(try patterns(of: invocation.operands[...]), invocation.storeCommand.filters)
  }

  /// As they were typed, with hosts in ASCII; what is the URL of something stored, as it is spelt, means that alone.
  ///
  /// - Throws: for what would match nothing, whatever is stored: it has no asterisk and is no URL either, or it has a
  ///   scheme or a character that no stored URL has. And as `storedTargets`.
  func patterns(of texts: ArraySlice<ArgumentText>) throws(Failure) -> [URLPattern] {
    var patterns: [URLPattern] = []
    for text in texts {
      let text = try text.withHostInASCII()
      do throws(Failure) {
        _ = try text.target()
      } catch {
        switch error {
        case .malformedURL(_, .unsupportedScheme), .malformedURL(_, .forbiddenCharacter): throw error
        // An asterisk may stand for what a host or a port is to be.
        default: if URLPattern.isLiteral(text) { throw error }
        }
      }
      let stored = try storedTargets(spelt: text)
      patterns.append(stored.isEmpty ? URLPattern(text) : URLPattern(stored))
    }
    return patterns
  }

  /// The URLs of what is stored that a text is as it is spelt, where it would mean something else otherwise: with dot
  /// segments, which a fetch mostly removes, or with asterisks. Those may also be what hides a secret in a listing.
  ///
  /// - Throws: where several URLs look so, and the command would do something to all of them.
  func storedTargets(spelt text: ArgumentText) throws(Failure) -> [TargetURI] {
    let isLiteral = URLPattern.isLiteral(text)
    var spelt = URLPattern.targets(of: text, .kept)
    if isLiteral {
      // Mostly nothing need be looked at.
      if spelt == URLPattern.targets(of: text) { return [] }
    } else {
      spelt.removeAll { $0.bytes != text.bytes }
    }
    var stored: [TargetURI] = []
    for target in spelt where try isStored(target, itself: !isLiteral) { stored.append(target) }
    let mask = Masking.mask.utf8
    guard stored.isEmpty, text.bytes.indices.contains(where: { text.bytes[$0...].starts(with: mask) }) else {
      return stored
    }
    return try targets(listedAs: text)
  }

  /// - Parameter itself: whether another URL does not count that would have the same answer.
  private func isStored(_ target: TargetURI, itself: Bool) throws(Failure) -> Bool {
    var isStored = false
    try using(purpose) { () throws(StoreError) in
      isStored = try store.entries(for: target).contains { walked in
        guard itself, case .response(let stored) = walked.state else { return true }
        return stored.key.target == target
      }
    }
    return isStored
  }

  /// The URLs that a listing prints so, with their secrets hidden.
  private func targets(listedAs text: ArgumentText) throws(Failure) -> [TargetURI] {
    var targets: [TargetURI] = []
    try using(purpose) { () throws(StoreError) in
      try store.forEachEntry { walked in
        if case .response(let stored) = walked.state, !targets.contains(stored.key.target),
          Masking.masked(stored.key.target).utf8.elementsEqual(text.bytes)
        {
          targets.append(stored.key.target)
        }
        return Signals.pending == nil
      }
    }
    try Failure.throwIfInterrupted()
    switch invocation.command {
    case .cache(.ls), .cache(.export): break
    default:
      if targets.count > 1 {
        throw .contradiction(
          "\(text.visible) is what \(targets.count) stored URLs look like with their secrets hidden",
          hint: "'garner cache ls --show-secrets' tells them apart")
      }
    }
    return targets
  }
}
