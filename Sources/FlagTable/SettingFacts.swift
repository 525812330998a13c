/// The places where a flag can be given, and what a setting of it is for.
package enum SettingScope: Equatable, Sendable {
  /// Each operand may have its own.
  case operand
  /// Once for all operands of a set of options.
  case group
  /// Once for a run, however many sets of options it has.
  case run
  /// On the command line only.
  case typed
  /// As `typed`, for a command whose options cannot be set elsewhere. Those that can may include another of the same
  /// name.
  case command
}

/// The subject of a setting. Of two settings that share one, only that of the stronger layer counts.
package enum Subject: Equatable, Sendable {
  /// The flag of this name.
  case flag(String)
  /// Something that several flags influence, or the one of several things that a setting of a flag is for.
  case shared(String)
}

/// Which part of a value is a secret.
package enum Secrecy: Equatable, Sendable {
  case none
  case all
  /// All that follows the first `prefix` bytes of the value.
  case behind(prefix: Int)
  /// As `behind`, for a part that may or may not be a secret.
  case possible(behind: Int)
  /// The parts of a URL that give access.
  case inURL
  /// The same, for URLs that are words of a text, in which they may as well be examples.
  case inText

  /// Whether there certainly is a secret.
  package var isCertain: Bool {
    switch self {
    case .none, .possible, .inText: false
    case .all, .behind, .inURL: true
    }
  }

  /// Returns the secrecy of `NAME:SECRET`. Without a colon there is only a name.
  package static func behindColon(of value: ArgumentText) -> Secrecy {
    let colon = value.bytes.firstIndex(of: .colon)
    return .behind(prefix: colon.map { $0 + 1 } ?? value.bytes.count)
  }
}

/// The facts that the row of a flag states about a setting of it, beside its effect.
package struct SettingFacts: Sendable {
  /// Returns the facts for a value. It is called only when settings are compared or shown, because making the table
  /// must cost next to nothing.
  package typealias OfValue = @Sendable (_ value: ArgumentText) -> SettingFacts

  private enum About: Sendable {
    case flag(and: [Subject])
    case only([Subject])
  }

  private let about: About
  fileprivate let overridden: [Subject]
  package let secrecy: Secrecy
  /// Whether the settings form a list whose first matching member counts: see `goesBehindStrongerLayers`.
  fileprivate let firstCounts: Bool

  /// The facts of a flag that sets `others` as well. A setting of it replaces that of a weaker layer, and what weaker
  /// layers say about `others`.
  ///
  /// - Parameter overridden: subjects about which weaker layers do not count either. Unlike with `others`, a stronger
  ///   layer that says something about them does not replace this setting.
  package init(also others: Subject..., over overridden: [Subject] = [], secrecy: Secrecy = .none) {
    self.about = .flag(and: others)
    self.overridden = overridden
    self.secrecy = secrecy
    firstCounts = false
  }

  /// The facts of a flag that is given once for each of several things. A setting of it replaces what weaker layers say
  /// about its subjects, and nothing else. Without a subject it replaces nothing.
  package init(
    only subject: Subject?, _ others: Subject..., over overridden: [Subject] = [], secrecy: Secrecy = .none
  ) {
    self.about = .only((subject.map { [$0] } ?? []) + others)
    self.overridden = overridden
    self.secrecy = secrecy
    firstCounts = false
  }

  /// The facts of a flag whose settings add up to a list. `order` says which member counts if several apply.
  package init(listing order: ListOrder) {
    self.about = .only([])
    self.overridden = []
    self.secrecy = .none
    firstCounts = order == .firstCounts
  }

  package enum ListOrder: Sendable {
    case firstCounts
    /// Also for lists whose order does not matter.
    case lastCounts
  }

  fileprivate func subjects(of name: String) -> [Subject] {
    switch about {
    case .flag(let others): [.flag(name)] + others
    case .only(let subjects): subjects
    }
  }
}

extension Setting {
  /// The subjects of the setting. Within a layer, a shared subject alone replaces nothing: there, an option that adds
  /// up may be given any number of times.
  package var subjects: [Subject] {
    // Taking an option back does not choose another one.
    guard given != .on(false), let facts = flag.facts else { return [.flag(name)] }
    return facts(value).subjects(of: name)
  }

  /// The subjects about which weaker layers do not count because of the setting: its own, and those that it overrides.
  package var claims: [Subject] {
    guard given != .on(false), let facts = flag.facts?(value) else { return [.flag(name)] }
    return facts.subjects(of: name) + facts.overridden
  }

  package var secrecy: Secrecy { flag.facts?(value).secrecy ?? .none }

  /// Whether the setting adds to a list whose first matching member counts. Such a setting is placed behind those of
  /// stronger layers; any other is placed before them, so that theirs is applied last.
  package var goesBehindStrongerLayers: Bool { flag.facts?(value).firstCounts ?? false }
}
