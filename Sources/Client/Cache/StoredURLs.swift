import CacheStore
import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// The meaning of the operands of a `cache` command, which depends on the stored responses.
extension CacheCommand {
  /// Returns the selection that the command line describes.
  func selection() throws(Failure) -> EntrySelection {
    EntrySelection(try patterns(of: invocation.operands[...]), invocation.storeCommand.filters)
  }

  /// Returns the patterns that were typed, with hosts in ASCII. An operand that is spelt like a stored URL means only
  /// that URL.
  ///
  /// - Throws: for an operand that would match nothing, whatever is stored: it has no asterisk and is not a URL either,
  ///   or it has a scheme or a character that no stored URL has. Also what `storedTargets` throws.
  func patterns(of texts: ArraySlice<ArgumentText>) throws(Failure) -> [URLPattern] {
    var patterns: [URLPattern] = []
    for text in texts {
      let text = try text.withHostInASCII()
      do throws(Failure) {
        _ = try text.asciiTarget()
      } catch {
        switch error {
        case .malformedURL(_, .unsupportedScheme), .malformedURL(_, .forbiddenCharacter): throw error
        // An asterisk may be in the place of a host or a port.
        default: if URLPattern.isLiteral(text) { throw error }
        }
      }
      let stored = try storedTargets(spelt: text)
      patterns.append(stored.isEmpty ? URLPattern(text) : URLPattern(stored))
    }
    return patterns
  }

  /// Returns the stored URLs that are spelt exactly like a text, if it would otherwise mean something else: it has dot
  /// segments, which a fetch usually removes, or asterisks. The asterisks may also be those that hide a secret in a
  /// listing.
  ///
  /// - Throws: `.contradiction` if several masked URLs look like that, unless the command is `ls` or `export`.
  func storedTargets(spelt text: ArgumentText) throws(Failure) -> [TargetURI] {
    let isLiteral = URLPattern.isLiteral(text)
    var spelt = URLPattern.targets(of: text, .kept)
    if isLiteral {
      // Usually there are no dot segments, and the store need not be looked at.
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

  /// - Parameter itself: whether only a response for this very URL counts, and not one for another URL under the same
  ///   key.
  private func isStored(_ target: TargetURI, itself: Bool) throws(Failure) -> Bool {
    try withStore { () throws(StoreError) in
      try store.entries(for: target).contains { walked in
        guard itself, let stored = walked.stored else { return true }
        return stored.key.target == target
      }
    }
  }

  /// Returns the stored URLs that a listing with hidden secrets prints like this.
  private func targets(listedAs text: ArgumentText) throws(Failure) -> [TargetURI] {
    var targets: [TargetURI] = []
    try withStore { () throws(StoreError) in
      try store.forEachEntry { walked in
        if let stored = walked.stored, !targets.contains(stored.key.target),
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
          "\(text.visible) stands for \(targets.count) stored URLs that differ in their masked secrets",
          hint: "'garner cache ls --show-secrets' tells them apart")
      }
    }
    return targets
  }
}
