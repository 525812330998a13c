package import FlagTable

/// What was typed, as plain values: nothing is decided, and nothing but the syntax of a value is checked.
package struct Invocation: Hashable, Sendable {
  package var command = CommandChoice.fetch
  package var operands: [ArgumentText] = []
  package var request = RequestOptions()
  package var output = OutputOptions()
  package var cache = CacheOptions()
  package var storing = StoringOptions()
  package var freshness = FreshnessOptions()
  package var reachability = ReachabilityOptions()
  package var connection = ConnectionOptions()
  package var resilience = ResilienceOptions()
  package var storeCommand = StoreCommandOptions()
  package var archive = ArchiveOptions()
  package var config = ConfigOptions()

  package init() {}
}

/// The command that was chosen.
package enum CommandChoice: Hashable, Sendable {
  case fetch
  case cacheLs
  case cacheShow
  case cacheCat
  case cacheExplain
  case cacheRm
  case cachePrune
  case cacheStats
  case cachePin
  case cacheUnpin
  case cacheExport
  case cacheImport
  case cacheDir
  case configCheck
  case configShow
  case network
  case completions(Shell)
  case help(HelpTopic, HelpForm)
  case version
}

/// A shell that completions are made for.
package enum Shell: String, Hashable, Sendable, CaseIterable {
  case bash
  case zsh
  case fish
}

/// What help is wanted with.
package enum HelpTopic: Hashable, Sendable {
  /// The command that these words choose; without words, the fetch.
  case command([String])
  case commands
  case exitStatus
  case cachePolicies
  /// The source of the manual page.
  case manual
}
