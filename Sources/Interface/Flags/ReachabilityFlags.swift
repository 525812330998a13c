import FlagTable
import HTTPCaching
import HTTPSemantics

/// The options that say what the state of the network changes.
package struct ReachabilityOptions: Equatable, Sendable {
  package var mode = ReachabilityMode.off
  package var policies = ReachabilityPolicies()
}

enum ReachabilityFlags {
  static let all: [Flag<Invocation>] = [mode, policy]

  static let mode = Flag<Invocation>(
    "reachability", value: "MODE", completes: .choices(ReachabilityMode.words), in: .reachability,
    summary: "Select the cache policy by the state of the network.",
    details: #"""
      `auto` reads the state from the kernel's routes and links, and sends nothing; `off`, the default, reads no state.
      The name of a state (`unknown`, `not-reachable`, `wwan`, `wifi` or `lan`) stands for that state, whatever the
      network is. \flag{reachability-policy} says which policy each state selects. A policy that is set by an option or
      by GARNER_OFFLINE takes precedence. `garner help offline` describes the states.
      """#
  ) { invocation, text throws(InvalidValue) in
    invocation.reachability.mode = try ReachabilityMode(parsing: text)
  }

  static let policy = Flag<Invocation>(
    "reachability-policy", value: "STATE=POLICY", completes: settings, in: .reachability,
    facts: { .init(only: .policy(of: state(in: $0))) },
    summary: "Set the cache policy that a state of the network selects.",
    details: """
      The option may be given once for each state. By default, `not-reachable` selects `cache-only`, `wwan` selects
      `cache-else-load`, and `wifi` and `unknown` select `protocol`. The policies are those of `--cache-policy`.
      """
  ) { invocation, text throws(InvalidValue) in try invocation.reachability.policies.set(parsing: text) }

  private static var settings: ValueCompletion {
    .pairs(ReachabilityState.allCases.map(\.rawValue), CachePolicy.allCases.map(\.rawValue))
  }

  private static func state(in value: ArgumentText) -> String {
    let state = ArgumentText(value.bytes.prefix { $0 != ASCII.equals })
    return (try? ReachabilityState(parsing: state))?.rawValue ?? state.visible
  }
}
