/// Where a flag can be given, and for what.
package enum SettingScope: Equatable, Sendable {
  /// For one operand otherwise than for another.
  case operand
  /// Once for all operands of a set of options.
  case group
  /// Once for a run, however many sets of options it has.
  case run
  /// On the command line only.
  case typed
  /// As `typed`, for a command that is none of those whose options can be set elsewhere; they may have one of the name.
  case command
}

/// What settings are told apart by: of two that share a subject, only that of the stronger layer counts.
package enum Subject: Equatable, Sendable {
  /// The flag of this name.
  case flag(String)
  /// What several flags have a say in, or what one of several settings of a flag is for.
  case shared(String)
}

/// What of a value is not for everybody's eyes.
package enum Secrecy: Equatable, Sendable {
  case none
  case all
  /// What follows this much of the value, in bytes.
  case behind(prefix: Int)
  /// As `behind`, of what may hold a secret, and may hold none.
  case possible(behind: Int)
  /// What of a URL gives access.
  case inURL

  /// Whether there is a secret.
  package var isCertain: Bool {
    switch self {
    case .none, .possible: false
    case .all, .behind, .inURL: true
    }
  }

  /// Of `NAME:SECRET`; without a colon there is a name only.
  package static func behindColon(of value: ArgumentText) -> Secrecy {
    let colon = value.bytes.firstIndex(of: .colon)
    return .behind(prefix: colon.map { $0 + 1 } ?? value.bytes.count)
  }
}

/// What a row says of a setting of its flag beyond what it does.
package struct SettingFacts: Sendable {
  /// Asked with the value, and only where settings are compared or shown: making the table must cost next to nothing.
  package typealias OfValue = @Sendable (_ value: ArgumentText) -> SettingFacts

  private enum About: Sendable {
    case flag(and: [Subject])
    case only([Subject])
  }

  private let about: About
  fileprivate let overridden: [Subject]
  package let secrecy: Secrecy
  /// Whether of several settings, the first counts that has something to say: those of weaker layers come last then.
  fileprivate let firstCounts: Bool

  /// Of a flag that sets `others` as well: a setting of it takes the place of a weaker layer's, and of what weaker
  /// layers say of `others`.
  ///
  /// - Parameter overridden: what weaker layers say of these does not count either, but a stronger layer that says
  ///   something of them leaves the setting.
  package init(also others: Subject..., over overridden: [Subject] = [], secrecy: Secrecy = .none) {
    self.about = .flag(and: others)
    self.overridden = overridden
    self.secrecy = secrecy
    firstCounts = false
  }

  /// Of a flag that is given once for each of several things: a setting of it leaves what a weaker layer says of the
  /// others; without a subject, all that it says.
  package init(
    only subject: Subject?, _ others: Subject..., over overridden: [Subject] = [], secrecy: Secrecy = .none
  ) {
    self.about = .only((subject.map { [$0] } ?? []) + others)
    self.overridden = overridden
    self.secrecy = secrecy
    firstCounts = false
  }

  /// Of a flag that adds up to a list, of which the first member counts that has something to say.
  package init(listing order: ListOrder) {
    self.about = .only([])
    self.overridden = []
    self.secrecy = .none
    firstCounts = order == .firstCounts
  }

  package enum ListOrder: Sendable {
    case firstCounts
    /// Or the order does not matter.
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
  /// What the setting is about. Settings of one layer are not compared: there, an option that adds up is given as often
  /// as one likes.
  package var subjects: [Subject] {
    // Taking an option back is not yet choosing another.
    guard given != .on(false), let facts = flag.facts else { return [.flag(name)] }
    return facts(value).subjects(of: name)
  }

  /// What weaker layers have no say in because of the setting: its subjects, and what it overrides beside them.
  package var claims: [Subject] {
    guard given != .on(false), let facts = flag.facts?(value) else { return [.flag(name)] }
    return facts.subjects(of: name) + facts.overridden
  }

  package var secrecy: Secrecy { flag.facts?(value).secrecy ?? .none }

  /// Whether it comes before those of weaker layers, in a list of which the first that has something to say counts.
  package var comesFirst: Bool { flag.facts?(value).firstCounts ?? false }
}
