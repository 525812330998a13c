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

  /// Whether it sends what is to be sent.
  package var isFetch: Bool {
    switch self {
    case .fetch, .prefetch: true
    case .cache, .configCheck, .configShow, .network, .completions, .help, .version: false
    }
  }

  /// Whether the environment and the config file have a say in it. A broken file is no reason to refuse help.
  package var heedsSettings: Bool {
    switch self {
    case .fetch, .prefetch, .cache, .configShow, .network: true
    case .configCheck, .completions, .help, .version: false
    }
  }
}

/// What `garner cache` is to do, by the word of it.
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
  /// Whether the command prints what is there, and nothing is missing anywhere if somebody reads the beginning alone.
  package var isShowing: Bool {
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

  /// Whether the command writes something that it cannot do on trial: where a dry run is set elsewhere than on the
  /// command line, it has to refuse.
  package var hasNoTrial: Bool {
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

/// What of what is stored is a word that a user may want to type.
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

/// What help is wanted with.
package enum HelpTopic: Equatable, Sendable {
  /// The command that these words choose; without words, the fetch.
  case command([String])
  /// An option of such a command, by its long name.
  case option(String, of: [String])
  case section(ManualTopic)
  /// The source of a page of the manual; garner(1) where none is named.
  case manual(ManualPage?)
}
