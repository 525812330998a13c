import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// A set of options, with what is made of it once for all its URLs.
final class TransferGroup {
  let index: Int
  /// The builder for URLs whose site has no section in the config file.
  let builder: PlanBuilder
  let content: RequestContent
  /// The format of `-w`; `nil` without `-w`.
  let writeOut: WriteOut?
  let headDump: HeadDump?
  /// `nil` if cookies are neither read from files nor taken from origins: see `RequestBuilder.cookiePlan`.
  let cookiePlan: CookiePlan?
  /// The files of URLs, with their names.
  let lists: [(name: ArgumentText, urls: URLList)]
  let settings: RunSettings

  /// - Throws: an error if options contradict each other, or a file that they name cannot be read.
  fileprivate init(_ builder: PlanBuilder, at index: Int, _ settings: RunSettings) throws(Failure) {
    self.index = index
    self.builder = builder
    self.settings = settings
    try builder.checkOptions()
    try Self.checkPurpose(of: builder, at: index, settings)
    content = try RequestContent(builder.invocation.request, builder.context)
    writeOut = try builder.writeOut()
    headDump = try builder.headDump()
    try builder.checkFilesApart()
    cookiePlan = try builder.requestBuilder.cookiePlan()
    lists = try builder.lists()
  }

  /// Refuses a prefetch that stores nothing on disk, whatever its URLs are.
  private static func checkPurpose(
    of builder: PlanBuilder, at index: Int, _ settings: RunSettings
  ) throws(Failure) {
    // Read in place: a copy of the options would be made for every hit.
    guard builder.invocation.command == .prefetch, let option = builder.invocation.cache.optionAgainstDisk,
      settings.isFixed(option, in: index)
    else { return }
    throw .contradiction("prefetch fills the cache on disk, and \(option.spelling) stores nothing there")
  }

  /// Returns the hint for a request that the cache does not answer, if a config file or a variable forbids to send
  /// anything for its URL.
  func hintOfOffline(for url: ArgumentText) -> String? {
    let cache = settings.layeredInvocation(for: url, in: index)?.cache ?? builder.invocation.cache
    if cache.offline != nil { return settings.untypedOriginText(of: .offline, for: url, in: index) }
    guard cache.policy == .cacheOnly || cache.policy == .cacheOnlyStrict else { return nil }
    return cache.policyOption.flatMap { settings.untypedOriginText(of: $0, for: url, in: index) }
  }

  /// The number of URLs, including those of globs and files; `Int.max` if there are more.
  var urlCount: Int {
    var sum = 0
    for text in builder.invocation.operands { sum = sum.adding(saturating: urlCount(of: text)) }
    return sum.adding(saturating: lineCount)
  }

  /// Returns how many URLs an operand stands for.
  private func urlCount(of text: ArgumentText) -> Int {
    let isGlob = builder.invocation.many.expandsGlobs && URLGlob.isMeant(by: text)
    return isGlob ? (try? URLGlob(parsing: text))?.count ?? 1 : 1
  }

  /// The number of URLs that `-T` sends standard input to.
  var standardInputUploadCount: Int {
    let (operands, uploads) = (builder.invocation.operands, builder.invocation.request.uploads)
    var count = 0
    for position in 0..<uploads.count where RequestContent.isStandardInput(uploads[position]) {
      count = count.adding(saturating: position < operands.count ? urlCount(of: operands[position]) : 1)
    }
    return count
  }

  /// The number of URLs in the files.
  var lineCount: Int {
    var count = 0
    for (_, urls) in lists {
      var urls = urls
      while urls.next() != nil { count += 1 }
    }
    return count
  }
}

/// A URL of a run, with its plan. A class, because it goes through many hands.
final class PlannedTransfer {
  /// Counts from 0.
  let number: Int
  /// The position of what was typed for it, from 0 on. All URLs that one glob stands for have the same.
  let position: Int
  let group: TransferGroup
  /// Whether it is the last of the run.
  let isLast: Bool
  /// The URL as it was typed, or one of those that a typed glob stands for.
  let typed: ArgumentText
  /// Whether it stands in a file of URLs.
  let isListed: Bool
  /// The plan, or why the transfer cannot even begin.
  let plan: Result<TransferPlan, Failure>

  fileprivate init(
    _ item: URLCursor.Item, number: Int, isLast: Bool, _ plan: Result<TransferPlan, Failure>
  ) {
    self.number = number
    position = item.positionInRun
    group = item.group
    self.isLast = isLast
    typed = item.text
    isListed = item.line != nil
    self.plan = plan
  }
}

/// The URLs of a run in their order. Each is planned when its turn comes, because a glob may stand for a million.
final class TransferQueue {
  private let settings: RunSettings
  private let firstGroup: TransferGroup
  /// The sets of options after the first. There is no array of all, because the runtime would make its type for every
  /// hit.
  private let laterGroups: [TransferGroup]
  private var cursor: URLCursor
  private var upcoming: URLCursor.Item?
  /// The item after `upcoming`, fetched before its turn, so that it is known whether there is one.
  private var second: URLCursor.Item?
  private var number = 0
  private var chosenKeys = ChosenKeys()
  /// Whether directories that are made for one URL may be wanted by another, for which none are made.
  let makesDirectoriesForOthers: Bool
  /// The kernel's answer about the network, once it has been asked.
  private var networkPath: NetworkPath?

  /// - Parameter builder: a builder for the settings of the run.
  init(_ settings: RunSettings, _ builder: PlanBuilder) throws(Failure) {
    self.settings = settings
    if settings.groupCount == 1 {
      firstGroup = try Self.group(builder, at: 0, settings)
      laterGroups = []
      makesDirectoriesForOthers = settings.makesDirectoriesForSite
    } else {
      var groups: [TransferGroup] = []
      let builders = settings.groups.map { builder.with($0) }
      let files = builders.flatMap(\.otherFiles)
      for (index, builder) in builders.enumerated() {
        builder.filesOfRun = files
        groups.append(try Self.group(builder, at: index, settings))
      }
      makesDirectoriesForOthers =
        settings.makesDirectoriesForSite || groups.contains { $0.builder.invocation.output.createsDirectories }
      firstGroup = groups.removeFirst()
      laterGroups = groups
    }
    cursor = URLCursor(firstGroup, laterGroups)
    try checkUploads()
    try checkSettingsForOneURL()
    try checkFilesOfURLsApart()
    upcoming = cursor.next()
    second = cursor.next()
  }

  private static func group(
    _ builder: PlanBuilder, at index: Int, _ settings: RunSettings
  ) throws(Failure) -> TransferGroup {
    do throws(Failure) {
      return try TransferGroup(builder, at: index, settings)
    } catch {
      throw settings.inWordsOfUser(error, in: index)
    }
  }

  /// All sets of options.
  var groups: [TransferGroup] { [firstGroup] + laterGroups }

  /// The number of URLs in all; `Int.max` if there are more.
  var urlCount: Int {
    groups.reduce(0) { $0.adding(saturating: $1.urlCount) }
  }

  var hasCookies: Bool {
    anyGroup { $0.cookiePlan != nil }
  }

  /// Returns whether the condition holds for any set of options. Makes no array of all, which a run with one set does
  /// not need.
  private func anyGroup(where condition: (TransferGroup) -> Bool) -> Bool {
    if condition(firstGroup) { return true }
    for group in laterGroups where condition(group) { return true }
    return false
  }

  /// Warns of options that have no effect.
  func warn(to diagnostics: Diagnostics) {
    firstGroup.warn(to: diagnostics)
    for group in laterGroups { group.warn(to: diagnostics) }
  }

  /// Whether there is at most one URL; to be asked before the first is taken.
  var hasOneURL: Bool { second == nil }

  func next() -> PlannedTransfer? {
    guard let item = upcoming else { return nil }
    upcoming = second
    second = cursor.next()
    number += 1
    var plan: Result<TransferPlan, Failure>
    do throws(Failure) {
      plan = .success(try transferPlan(of: item))
    } catch {
      plan = .failure(settings.inWordsOfUser(error, for: item.text, in: item.group.index))
    }
    if case .failure(let failure) = plan { plan = .failure(placed(failure, at: item)) }
    return PlannedTransfer(item, number: number - 1, isLast: upcoming == nil, plan)
  }

  /// Returns the failure with the line of the list that the URL stands in, if it does.
  private func placed(_ failure: Failure, at item: URLCursor.Item) -> Failure {
    // An interruption concerns the run, and no line.
    if case .interrupted = failure { return failure }
    guard let line = item.line else { return failure }
    return .listed(line.file.inputName, line: line.number, failure)
  }

  private func transferPlan(of item: URLCursor.Item) throws(Failure) -> TransferPlan {
    if let fault = item.fault { throw fault }
    let builder = builder(for: item)
    if builder !== item.group.builder { try builder.checkOptions() }
    let policy = builder.policyChoice(knowing: networkPath)
    defer { if let known = policy.check?.path { networkPath = known } }
    let place = PlanBuilder.OutputPlace(position: item.position, choices: item.choices)
    let plan = try builder.transferPlan(
      for: item.text, at: place, sending: item.group.content, headsTo: item.group.headDump, policy)
    try chosenKeys.note(plan)
    return plan
  }

  /// Returns a builder for the settings that apply to a URL.
  private func builder(for item: URLCursor.Item) -> PlanBuilder {
    let shared = item.group.builder
    guard settings.mayDiffer(for: item.text),
      let invocation = settings.layeredInvocation(for: item.text, in: item.group.index)
    else { return shared }
    return shared.with(invocation)
  }

  /// Refuses to upload standard input more than once, because it can be read for one URL only.
  private func checkUploads() throws(Failure) {
    var count = firstGroup.standardInputUploadCount
    for group in laterGroups { count = count.adding(saturating: group.standardInputUploadCount) }
    if count > 1 { throw .usage(.sharedInput("--upload-file", "--upload-file")) }
  }

  /// Whether any setting is meant for one URL alone.
  private var hasSettingsForOneURL: Bool {
    settings.hasSiteSettingsForOneURL
      || anyGroup {
        $0.builder.invocation.key.chosenText != nil || $0.builder.invocation.integrity.expected != nil
      }
  }

  /// Checks the settings for one URL before anything is sent. What is added to a query is checked when its turn comes.
  private func checkSettingsForOneURL() throws(Failure) {
    guard hasSettingsForOneURL else { return }
    var keys = ChosenKeys()
    var digests = ExpectedDigests()
    var walk = URLCursor(firstGroup, laterGroups)
    while let item = walk.next() {
      let invocation = builder(for: item).invocation
      guard item.fault == nil, invocation.key.chosenText != nil || invocation.integrity.expected != nil,
        let target = try? item.group.builder.reference(item.text).target
      else { continue }
      do throws(Failure) {
        if let text = invocation.key.chosenText { try keys.note(text.bytes, target) }
        if let expected = invocation.integrity.expected { try digests.note(expected, of: target, in: item.group.index) }
      } catch {
        throw settings.inWordsOfUser(error, for: item.text, in: item.group.index)
      }
    }
  }
}

extension TransferQueue {
  /// Checks names that come from URLs, which `PlanBuilder.checkFilesApart` cannot see, before anything is sent.
  private func checkFilesOfURLsApart() throws(Failure) {
    guard anyGroup(where: \.builder.namesFilesByURL) else { return }
    var walk = URLCursor(firstGroup, laterGroups)
    while let item = walk.next() {
      // A glob may stand for millions.
      try Failure.throwIfInterrupted()
      let builder = builder(for: item)
      guard item.fault == nil, builder.namesFilesByURL, let target = try? builder.reference(item.text).target
      else { continue }
      let place = PlanBuilder.OutputPlace(position: item.position, choices: item.choices)
      do throws(Failure) {
        try builder.checkFileApart(at: place, of: target, item.text)
      } catch {
        throw placed(settings.inWordsOfUser(error, for: item.text, in: item.group.index), at: item)
      }
    }
  }
}

extension PlanBuilder {
  func lists() throws(Failure) -> [(name: ArgumentText, urls: URLList)] {
    var lists: [(name: ArgumentText, urls: URLList)] = []
    for name in invocation.many.lists {
      lists.append((name, URLList(try context.read(.file(name), for: "--input-file", upTo: .list))))
    }
    return lists
  }
}
