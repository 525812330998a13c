import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface

extension TransferGroup {
  /// Warns of options that have no effect.
  func warn(to diagnostics: Diagnostics) {
    // Read in place: a copy of the options would be made for every hit.
    let placeCount = builder.invocation.output.destinations.count
    if placeCount > builder.invocation.operands.count, placeCount > operandCount {
      diagnostics.warn("there are more places for output than URLs: \(placeCount) and \(operandCount)")
    }
    warnOfNames(to: diagnostics)
    let uploadCount = builder.invocation.request.uploads.count
    if uploadCount > builder.invocation.operands.count, uploadCount > operandCount {
      diagnostics.warn("there are more files to upload than URLs: \(uploadCount) and \(operandCount)")
    }
    // A dry run does not print the text, and needs no warning.
    for name in builder.invocation.output.isDryRun ? [] : writeOut?.unknownNames ?? [] {
      diagnostics.warn("--write-out: %{\(Escaping.visible(name))} is not a variable")
    }
    if builder.invocation.output.takesServersName { warnOfServersName(to: diagnostics) }
    let storing = builder.invocation.storing
    if storing.isPinned || !storing.tags.isEmpty { warnOfMarks(to: diagnostics) }
  }

  /// Warns of an option that has been taken for the name of the file that another one writes.
  private func warnOfNames(to diagnostics: Diagnostics) {
    for index in 0..<builder.invocation.output.destinations.count {
      if case .file(let name) = builder.invocation.output.destinations[index] {
        Self.warn(of: name, "--output", to: diagnostics)
      }
    }
    if case .file(let name) = builder.invocation.output.headDestination {
      Self.warn(of: name, "--dump-header", to: diagnostics)
    }
    if let name = builder.invocation.request.cookieJar { Self.warn(of: name, "--cookie-jar", to: diagnostics) }
  }

  private static func warn(of name: ArgumentText, _ option: String, to diagnostics: Diagnostics) {
    guard name.bytes.first == UInt8(ascii: "-"), name.bytes.count > 1 else { return }
    diagnostics.warn("\(option): the name \(name.quoted) looks like an option; './\(name.visible)' does not")
  }

  private func warnOfMarks(to diagnostics: Diagnostics) {
    guard let option = optionAgainstMarks(builder.invocation.cache) else { return }
    let storing = builder.invocation.storing
    for (mark, isGiven) in [(OptionName.tag, !storing.tags.isEmpty), (.pin, storing.isPinned)]
    where isGiven && settings.isTyped(mark, in: index) {
      diagnostics.warn(settings.inWordsOfUser("\(mark.spelling) has no effect with \(option)", in: index))
    }
  }

  /// The option that keeps every response from the disk, where marks are; `nil` without one.
  private func optionAgainstMarks(_ cache: CacheOptions) -> String? {
    if cache.policy == .noStore { return policySpelling }
    return cache.storage == .memoryOnly ? OptionName.memoryOnly.spelling : nil
  }

  /// Warns that the marks of a URL have no effect, unless an option keeps every response from the disk.
  ///
  /// - Parameters:
  ///   - target: of the response that is not on the disk.
  ///   - reason: why it is not, as a part of a sentence about it.
  func warnOfMarks(of plan: TransferPlan, at target: TargetURI, because reason: String, to diagnostics: Diagnostics) {
    let cache = settings.layeredInvocation(for: plan.typed, in: index)?.cache ?? builder.invocation.cache
    if optionAgainstMarks(cache) != nil { return }
    var names: [String] = []
    if !plan.terms.marks.tags.isEmpty { names.append(OptionName.tag.spelling) }
    if plan.terms.marks.isPinned { names.append(OptionName.pin.spelling) }
    let subject = settings.inWordsOfUser(names.joined(separator: " and "), for: plan.typed, in: index)
    let verb = names.count == 1 ? "has" : "have"
    diagnostics.warn("\(subject) \(verb) no effect on \(Escaping.shown(target)): \(reason)")
  }

  /// The option that set the policy, with its value if the user has typed it.
  private var policySpelling: String? {
    let cache = builder.invocation.cache
    guard let option = cache.policyOption else { return nil }
    return settings.isTyped(option, in: index) ? cache.policySpelling : option.spelling
  }

  private func warnOfServersName(to diagnostics: Diagnostics) {
    let output = builder.invocation.output
    if output.furtherDestination == .remoteName || output.destinations.contains(.remoteName) { return }
    // In a config file the option may be meant for other runs.
    if settings.isTyped(.remoteHeaderName, in: index) {
      diagnostics.warn("--remote-header-name has no effect without --remote-name")
    }
  }

  /// The number of URLs that have a place of their own.
  private var operandCount: Int { builder.invocation.operands.count + lineCount }
}
