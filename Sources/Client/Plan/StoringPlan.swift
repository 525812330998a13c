import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// The rules and marks that the options about storing stand for.
extension PlanBuilder {
  var marks: Marks { Marks(isPinned: invocation.storing.isPinned, tags: invocation.storing.tags) }

  var storingRules: StoringRules {
    let options = invocation.storing
    var rules = StoringRules(
      statuses: options.statuses, omitsErrors: omitsErrors, lifetime: options.lifetime,
      forgetsOnError: options.forgetsOnError, asksHook: storeHook != nil)
    for change in options.fieldChanges {
      switch change {
      case .send(let name, let value): rules.replacements.append(Field(name, value))
      case .leaveOut(let name): rules.stripped.append(name)
      }
    }
    return rules
  }

  /// Whether error responses are neither delivered nor stored, whatever their body: if a digest is expected, it is not
  /// that of an error, unless errors count as successes.
  var omitsErrors: Bool { invocation.integrity.expected != nil && invocation.output.errorStatus != .succeeds }

  var storeHook: StoreHook? {
    guard let command = invocation.storing.hook, !command.bytes.isEmpty else { return nil }
    let limit = invocation.storing.hookTimeLimit.map(Self.milliseconds) ?? StoreHook.defaultTimeLimitMilliseconds
    return StoreHook(
      command: command.bytes, environment: context.environment.variables,
      timeLimitMilliseconds: UInt64(clamping: limit))
  }
}

extension FreshnessOptions {
  /// The request directives that say the same (RFC 9111 section 5.2.1); `nil` if there are none.
  var requestDirectives: FieldValue? {
    var directives: [String] = []
    if let maxAge { directives.append("max-age=\(maxAge)") }
    switch maxStale {
    case nil: break
    case .unlimited: directives.append("max-stale")
    case .seconds(let seconds): directives.append("max-stale=\(seconds)")
    }
    if let minFresh { directives.append("min-fresh=\(minFresh)") }
    return directives.isEmpty ? nil : FieldValue(directives.joined(separator: ", "))
  }
}
