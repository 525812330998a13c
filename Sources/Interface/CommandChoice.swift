package import FlagTable

/// The command that was chosen.
package enum CommandChoice: Equatable, Sendable {
  case fetch
  case prefetch
  case cache(CacheAction)
  case configCheck
  case configShow
  case network
  case completions(Shell)
  case help(HelpTopic, HelpForm)
  case version

  /// Whether the command fetches URLs.
  package var isFetch: Bool {
    switch self {
    case .fetch, .prefetch: true
    case .cache, .configCheck, .configShow, .network, .completions, .help, .version: false
    }
  }

  /// Whether the command uses the environment and the config file. A broken file is no reason to refuse help.
  package var usesSettings: Bool {
    switch self {
    case .fetch, .prefetch, .cache, .configShow, .network: true
    case .configCheck, .completions, .help, .version: false
    }
  }
}

/// The commands of `garner cache`, by their words.
package enum CacheAction: Equatable, Sendable {
  case ls
  case show
  case cat
  case explain
  case rm
  case prune
  case verify
  case stats
  case pin
  case unpin
  case tag
  case check
  case export
  case importArchive
  case dir
  case complete(StoredWordKind)
}

extension Invocation {
  /// Whether the command only prints what exists, so that nothing is lost when the reader of its output stops early.
  package var onlyShows: Bool {
    switch command {
    case .configShow, .network, .completions, .help, .version: true
    case .fetch, .prefetch, .configCheck: false
    case .cache(let action):
      switch action {
      case .ls, .show, .cat, .explain, .stats, .dir, .check, .complete: true
      case .rm, .prune: storeCommand.isDryRun
      case .verify, .pin, .unpin, .tag, .export, .importArchive: false
      }
    }
  }

  /// Whether the command writes something and has no dry run. It must refuse to run if the environment or the config
  /// file asks for a dry run.
  package var lacksDryRun: Bool {
    // A fetch has a dry run, and the others write nothing.
    guard case .cache(let action) = command else { return false }
    return switch action {
    case .pin, .unpin, .tag, .importArchive: true
    case .export: operands.first != "-"
    case .verify: storeCommand.repairs
    case .stats: storeCommand.zeroesCounters
    // These have a dry run.
    case .rm, .prune: false
    // These write nothing.
    case .ls, .show, .cat, .explain, .check, .dir, .complete: false
    }
  }
}

/// The kinds of stored words that shells complete.
package enum StoredWordKind: String, Equatable, Sendable, CaseIterable {
  case urls
  case hosts
  case tags
  case groups
}

/// A shell that completions are made for.
package enum Shell: String, Equatable, Sendable, CaseIterable {
  case bash
  case zsh
  case fish
}

/// The subject that help is asked for.
package enum HelpTopic: Equatable, Sendable {
  /// The command that these words choose; without words, the fetch.
  case command([String])
  /// An option of such a command, by its long name.
  case option(String, of: [String])
  case section(ManualTopic)
  /// The source of a page of the manual; garner(1) if none is named.
  case manual(ManualPage?)
}
