import FlagTable

/// The topics of `garner help` beside the commands. Each is a section of the manual.
package enum ManualTopic: String, Equatable, Sendable, CaseIterable {
  case topics
  case commands
  case caching
  case policies
  case freshness
  case keys
  case storing
  case hook
  case offline
  case integrity
  case variables
  case patterns
  case formats
  case sites
  case settings
  case environment
  case files
  case exitStatus = "exit-status"
  case diagnostics
  case standards
  case examples

  /// Other names of the topic.
  var aliases: [String] {
    switch self {
    case .policies: ["cache-policies"]
    case .offline: ["reachability"]
    case .exitStatus: ["exit-statuses", "status"]
    case .diagnostics: ["errors", "messages"]
    case .patterns: ["filters"]
    case .settings: ["precedence"]
    case .topics, .commands, .caching, .freshness, .keys, .storing, .hook, .integrity, .variables, .formats, .sites,
      .environment, .files, .standards, .examples:
      []
    }
  }

  /// A phrase for the list of topics.
  var summary: String {
    switch self {
    case .topics: "The topics of this help."
    case .commands: "All commands, one per line."
    case .caching: "What the cache does."
    case .policies: "The cache policies, and all their names."
    case .freshness: "How old and how stale a response may be."
    case .keys: "Under which keys responses are stored, and which requests get them."
    case .storing: "Which responses are stored, how, and for how long."
    case .hook: "A command that decides what is stored."
    case .offline: "Fetching without a network, or over a mobile one."
    case .integrity: "Checking content against a known digest."
    case .variables: #"The variables that \flag{write-out} can print."#
    case .patterns: "How to select stored responses."
    case .formats: "The formats of listings, and the names in their JSON."
    case .sites: "Settings for some URLs."
    case .settings: "Which of several settings takes precedence."
    case .environment: "The environment variables."
    case .files: "The files that garner uses."
    case .exitStatus: "The exit statuses."
    case .diagnostics: "The messages on standard error."
    case .standards: "The standards that garner follows."
    case .examples: "Examples of commands."
    }
  }

  var section: ManualSection {
    switch self {
    case .topics: ManualText.topics
    case .commands: ManualText.commands
    case .caching: ManualText.caching
    case .policies: ManualText.policies
    case .freshness: ManualText.freshness
    case .keys: ManualText.keys
    case .storing: ManualText.storing
    case .hook: ManualText.hook
    case .offline: ManualText.offline
    case .integrity: ManualText.integrity
    case .variables: ManualText.variables
    case .patterns: ManualText.patterns
    case .formats: ManualText.formats
    case .sites: ManualText.sites
    case .settings: ManualText.precedence
    case .environment: ManualText.environment
    case .files: ManualText.files
    case .exitStatus: ManualText.exitStatus
    case .diagnostics: ManualText.diagnostics
    case .standards: ManualText.standards
    case .examples: ManualText.examples
    }
  }

  /// The options that the topic is about, which follow its text.
  var flags: [Flag<Invocation>] {
    switch self {
    case .freshness: FreshnessFlags.all
    case .keys: KeyFlags.all
    case .storing: StoringFlags.all
    case .offline: [CacheFlags.offline, CacheFlags.preferOffline] + ReachabilityFlags.all
    case .integrity: IntegrityFlags.all
    case .patterns: EntryFilterFlags.all
    case .formats: [StoreCommandFlags.format, StoreCommandFlags.sort]
    case .topics, .commands, .caching, .policies, .hook, .variables, .sites, .settings, .environment, .files,
      .exitStatus, .diagnostics, .standards, .examples:
      []
    }
  }

  /// Returns the topic that `word` names.
  static func named(_ word: ArgumentText) -> ManualTopic? {
    allCases.first { topic in ([topic.rawValue] + topic.aliases).contains { ArgumentText($0) == word } }
  }
}

/// A page of the manual.
package enum ManualPage: String, Equatable, Sendable, CaseIterable {
  case garner
  case cache = "garner-cache"
  case config = "garner-config"

  /// The word by which `garner help` is asked for a page.
  static let topic = "man"
}
