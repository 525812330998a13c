import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform

/// The user's command that makes the final decision on storing.
struct StoreHook {
  /// Run by `sh -c`.
  let command: [UInt8]
  /// The environment of the run, each variable as `NAME=VALUE`.
  let environment: [[UInt8]]
  let timeLimitMilliseconds: UInt64

  /// As long as a person waits for a program that seems to do nothing.
  static let defaultTimeLimitMilliseconds = 10_000

  /// The exit status with which the hook refuses to store a response.
  private static let refusalStatus: Int32 = 10
  /// The variable with the path of the content.
  private static let contentVariable = "GARNER_CONTENT"

  /// Runs the hook and returns its verdict on a proposal. If the hook fails, this warns, and nothing is stored.
  ///
  /// - Parameter content: the path of the content.
  func verdict(
    on proposal: StoreProposal, content: Path, for request: Request,
    concealing conceal: @escaping SelectingFields.Concealer,
    _ diagnostics: Diagnostics
  ) -> StoreProposal.Outcome {
    let prefix = Array("\(Self.contentVariable)=".utf8)
    let variables = environment.filter { !$0.starts(with: prefix) } + [prefix + content.bytes]
    let command = ShellCommand(command, environment: variables, timeLimitMilliseconds: timeLimitMilliseconds)
    let outcome: ShellCommand.Outcome
    do throws(Errno) {
      outcome = try command.run(input: proposal.description, shouldStop: { Signals.pending != nil })
    } catch {
      return failed("cannot be run: \(error)", diagnostics)
    }
    diagnostics.relay(outcome.errors, from: "store hook")
    switch outcome.ending {
    case .ended(.exit(0)):
      do throws(StoreProposal.Fault) {
        let changed = try proposal.changed(by: outcome.output)
        let decided = changed.outcome(changedFrom: proposal, for: request, concealing: conceal)
        note(proposal, changed, decided, diagnostics)
        return decided
      } catch {
        return failed("cannot be understood: \(error)", diagnostics)
      }
    case .ended(.exit(Self.refusalStatus)):
      diagnostics.note("cache: the store hook refuses \(Escaping.shown(proposal.stored.key.target))")
      return .refuse(.hook)
    case .ended(.exit(let status)): return failed("ended with status \(status)", diagnostics)
    case .ended(.signal(let number)): return failed("was ended by signal \(number)", diagnostics)
    case .ended(.unknown): return failed("ended for an unknown reason", diagnostics)
    case .timedOut: return failed("took longer than \(timeLimitWords)", diagnostics)
    case .tooMuchOutput: return failed("printed more than the limit", diagnostics)
    case .stopped: return .refuse(.hookFailed)
    }
  }

  private var timeLimitWords: String {
    let (seconds, rest) = timeLimitMilliseconds.quotientAndRemainder(dividingBy: 1_000)
    return rest == 0 ? "\(seconds) s" : "\(timeLimitMilliseconds) ms"
  }

  private func failed(_ reason: String, _ diagnostics: Diagnostics) -> StoreProposal.Outcome {
    diagnostics.warn("nothing is stored: the store hook \(reason)")
    return .refuse(.hookFailed)
  }

  private func note(
    _ proposal: StoreProposal, _ changed: StoreProposal, _ decided: StoreProposal.Outcome, _ diagnostics: Diagnostics
  ) {
    switch decided {
    case .refuse(let reason):
      diagnostics.note("cache: the store hook keeps the response out of the cache (\(reason.rawValue))")
    case .store where changed == proposal: diagnostics.note("cache: the store hook accepts the response")
    case .store(_, let storage):
      diagnostics.note("cache: the store hook has changed the stored response (\(storage.rawValue))")
    }
  }
}
