import FlagTable

// Which texts and which commands each page of the manual has.

extension CommandLineInterface {
  /// The source of a page of the manual, in man(7) macros.
  package static func text(of page: ManualPage) -> String {
    switch page {
    case .garner: garnerPage.text
    case .cache: cachePage.text
    case .config: configPage.text
    }
  }

  /// The sections that stand before the options of a theme.
  private static let themes: [ManPage<Invocation>.ThemeText] = [
    (.cache, ManualText.policies), (.freshness, ManualText.freshness), (.keys, ManualText.keys),
    (.storing, ManualText.storing), (.reachability, ManualText.offline), (.integrity, ManualText.integrity),
    (.selection, ManualText.patterns), (.listing, ManualText.formats),
  ]

  private static let cacheCommands = "garner cache COMMAND [OPTIONS] [OPERANDS]"

  private static var garnerPage: ManPage<Invocation> {
    ManPage(
      heading(of: .garner, Commands.root.summary), of: Commands.root,
      commands: [
        [], ["prefetch"], ["network"], ["config", "check"], ["config", "show"], ["completions"], ["help"],
      ],
      synopsis: [cacheCommands], themes: themes,
      before: [ManualText.description, ManualText.caching],
      after: [
        ManualText.variables, ManualText.hook, ManualText.exitStatus, ManualText.fetchEnvironment, ManualText.files,
        ManualText.diagnostics, ManualText.standards, ManualText.examples,
        seeAlso("`garner-cache`(1), `garner-config`(5), `curl`(1), `wget`(1)"),
      ])
  }

  private static var cachePage: ManPage<Invocation> {
    ManPage(
      heading(of: .cache, Commands.cache.summary), of: Commands.root,
      commands: Commands.cache.visibleSubcommands.map { ["cache", $0.name] },
      rootPage: "`garner`(1)", themes: themes,
      before: [ManualText.cacheDescription],
      after: [ManualText.cacheExitStatus, ManualText.cacheExamples, seeAlso("`garner`(1), `garner-config`(5)")])
  }

  private static var configPage: ManPage<Invocation> {
    ManPage(
      heading(of: .config, "Settings for garner in a file and in the environment.", .files), of: Commands.root,
      synopsis: ["~/.config/garner/config", "garner config check [FILE]", "garner config show [OPTIONS] [URL]"],
      before: [
        ManualText.configDescription, ManualText.configFile, ManualText.sites, ManualText.networkStates,
        ManualText.storage, ManualText.precedence,
      ],
      after: [
        ManualText.environment, ManualText.files, ManualText.configDiagnostics, ManualText.configExamples,
        seeAlso("`garner`(1), `garner-cache`(1)"),
      ])
  }

  private static func heading(
    of page: ManualPage, _ summary: String, _ chapter: ManPage<Invocation>.Chapter = .commands
  ) -> ManPage<Invocation>.Heading {
    .init(
      page.rawValue, chapter, summary: summary, date: ProgramVersion.date, source: "garner \(ProgramVersion.number)")
  }

  private static func seeAlso(_ pages: String) -> ManualSection { ManualSection("See also", pages) }
}
