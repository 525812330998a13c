import FlagTable
import HTTPSemantics
import Interface
import Platform

/// A set of options, with what is made of it once for all its URLs.
final class TransferGroup {
  let index: Int
  /// Of what counts where no section of the config file is for a URL's site.
  let builder: PlanBuilder
  let content: RequestContent
  /// Where `-w` text is made from, `nil` without `-w`.
  let writeOut: WriteOut?
  let headDump: HeadDump?
  /// `nil` where no origin sets cookies.
  let cookiePlan: CookiePlan?
  /// The files of URLs, with their names.
  let lists: [(name: ArgumentText, urls: URLList)]

  /// - Throws: where options contradict each other, or a file that they name cannot be read.
  init(_ builder: PlanBuilder, at index: Int) throws(Failure) {
    self.index = index
    self.builder = builder
    try builder.checkContradictions()
    content = try RequestContent(builder.invocation.request, builder.context)
    writeOut = try builder.writeOut()
    headDump = try builder.headDump()
    cookiePlan = try builder.requestBuilder.cookiePlan()
    lists = try builder.lists()
  }

  /// How many URLs there are, globs and files counted; as many as an `Int` has where there are more.
  var urlCount: Int {
    let invocation = builder.invocation
    var sum = 0
    for text in invocation.operands {
      let isGlob = invocation.many.expandsGlobs && URLGlob.isMeant(by: text)
      let count = isGlob ? (try? URLGlob(parsing: text))?.count ?? 1 : 1
      sum = sum.adding(saturating: count)
    }
    return sum.adding(saturating: lineCount)
  }

  /// How many URLs stand in the files.
  var lineCount: Int {
    var count = 0
    for (_, urls) in lists {
      var urls = urls
      while urls.next() != nil { count += 1 }
    }
    return count
  }
}

/// A URL of a run, with what will be done for it.
struct PlannedTransfer {
  /// Counts from 0.
  let number: Int
  /// Of what was typed for it, from 0 on: all that one glob stands for have the same.
  let position: Int
  let group: TransferGroup
  /// Whether it is the last of all.
  let isLast: Bool
  /// What was typed, or the one of the URLs that it stands for.
  let typed: ArgumentText
  /// Why it cannot even begin, or what it will be.
  let plan: Result<TransferPlan, Failure>
}

/// The URLs of a run in their order, each planned when its turn comes: a glob may stand for a million.
final class TransferQueue {
  /// What the next plan is made of.
  private final class Item {
    let group: TransferGroup
    let text: ArgumentText
    /// Which `-o` it has; all URLs that one operand stands for have the same.
    let position: Int
    /// What its braces and brackets stand for.
    let choices: [[UInt8]]
    /// Where it stands, unless it was typed.
    let line: (file: ArgumentText, number: Int)?
    let fault: Failure?

    init(
      _ group: TransferGroup, _ text: ArgumentText, position: Int, choices: [[UInt8]] = [],
      line: (file: ArgumentText, number: Int)? = nil, fault: Failure? = nil
    ) {
      self.group = group
      self.text = text
      self.position = position
      self.choices = choices
      self.line = line
      self.fault = fault
    }
  }

  private let settings: RunSettings
  private let firstGroup: TransferGroup
  /// Behind it. No array of all: that is another type, which the runtime would make for every hit.
  private let laterGroups: [TransferGroup]
  private var group: TransferGroup
  private var nextLater = 0
  private var upcoming: Item?
  /// Behind it, looked at before its turn, so that it is known whether there is one.
  private var second: Item?
  /// Of operands, and behind them of lines.
  private var position = 0
  private var glob: URLGlob?
  private var nextElement = 0
  private var listIndex = 0
  private var list: URLList?
  private var number = 0
  /// Up to the end of each group.
  private var typedCounts: [Int] = []
  private var chosenKeys = ChosenKeys()
  /// Whether directories that one set of options makes may be wanted by another, which makes none.
  let makesDirectoriesForOthers: Bool
  /// What the kernel has told of the network, once it has been asked.
  private var path: NetworkPath?

  /// - Parameter builder: of what counts for the run.
  init(_ settings: RunSettings, _ builder: PlanBuilder) throws(Failure) {
    self.settings = settings
    if settings.groupCount == 1 {
      firstGroup = try TransferGroup(builder, at: 0)
      laterGroups = []
      makesDirectoriesForOthers = false
    } else {
      var groups: [TransferGroup] = []
      for (index, invocation) in settings.groups.enumerated() {
        groups.append(try TransferGroup(builder.with(invocation), at: index))
      }
      makesDirectoriesForOthers = groups.contains { $0.builder.invocation.output.createsDirectories == true }
      firstGroup = groups.removeFirst()
      laterGroups = groups
    }
    group = firstGroup
    try checkWhatIsForOne()
    upcoming = following()
    second = following()
  }

  /// All sets of options.
  var groups: [TransferGroup] { [firstGroup] + laterGroups }

  /// How many URLs there are in all; as many as an `Int` has where there are more.
  var urlCount: Int {
    groups.reduce(0) { $0.adding(saturating: $1.urlCount) }
  }

  var hasCookies: Bool {
    if firstGroup.cookiePlan != nil { return true }
    for group in laterGroups where group.cookiePlan != nil { return true }
    return false
  }

  /// Of what options say to no effect.
  func warn(to diagnostics: Diagnostics) {
    if let file = settings.run.connection.route.altSvcFile { warn(ofAlternatives: file, to: diagnostics) }
    firstGroup.warn(to: diagnostics, settings)
    for group in laterGroups { group.warn(to: diagnostics, settings) }
  }

  /// libcurl writes the file, and says nothing where it cannot.
  private func warn(ofAlternatives file: ArgumentText, to diagnostics: Diagnostics) {
    guard let path = Path(file.bytes), !AtomicFile.isDirect(path) else { return }
    do throws(Errno) {
      _ = try AtomicFile(path)
    } catch {
      diagnostics.warn(
        "the alternatives of --alt-svc are not kept: \(Failure.output(path.description, error).message)")
    }
  }

  /// Whether there is one URL at most; to be asked before the first is taken.
  var isForOne: Bool { second == nil }

  func next() -> PlannedTransfer? {
    guard let item = upcoming else { return nil }
    upcoming = second
    second = following()
    number += 1
    var plan: Result<TransferPlan, Failure>
    do throws(Failure) {
      plan = .success(try transferPlan(of: item))
    } catch {
      plan = .failure(error)
    }
    if case .failure(.interrupted) = plan {
      // Of the run, and of no line.
    } else if case .failure(let failure) = plan, let line = item.line {
      plan = .failure(.listed(line.file.visible, line: line.number, failure))
    }
    return PlannedTransfer(
      number: number - 1, position: typedBefore(item.group) + item.position, group: item.group,
      isLast: upcoming == nil, typed: item.text, plan: plan)
  }

  private func transferPlan(of item: Item) throws(Failure) -> TransferPlan {
    if let fault = item.fault { throw fault }
    var builder = item.group.builder
    if settings.mayDiffer(for: item.text),
      let invocation = settings.layeredInvocation(for: item.text, in: item.group.index)
    {
      builder = builder.with(invocation)
      try builder.checkContradictions()
    }
    var policy = builder.policyChoice(knowing: path)
    defer { path = policy.check?.path ?? path }
    let place = PlanBuilder.OutputPlace(position: item.position, choices: item.choices)
    let plan = try builder.transfer(item.text, at: place, item.group.content, &policy)
    plan.delivery.headDump = item.group.headDump
    try chosenKeys.note(plan)
    return plan
  }

  /// Whether anything is said that is for one URL alone.
  private var singlesOut: Bool {
    settings.singlesOutForSite
      || groups.contains {
        $0.builder.invocation.key.chosenText != nil || $0.builder.invocation.integrity.expected != nil
      }
  }

  /// Before anything is sent; what is added to a query is found when its turn comes.
  private func checkWhatIsForOne() throws(Failure) {
    guard singlesOut else { return }
    var keys = ChosenKeys()
    var digests = ExpectedDigests()
    while let item = following() {
      let own = settings.layeredInvocation(for: item.text, in: item.group.index)
      let invocation = own ?? item.group.builder.invocation
      guard item.fault == nil, invocation.key.chosenText != nil || invocation.integrity.expected != nil,
        let target = try? item.group.builder.reference(item.text).target
      else { continue }
      if let text = invocation.key.chosenText { try keys.note(text.bytes, target) }
      if let expected = invocation.integrity.expected { try digests.note(expected, of: target, in: item.group.index) }
    }
    (group, nextLater, position, listIndex) = (firstGroup, 0, 0, 0)
    typedCounts = []
  }

  // MARK: What comes next

  private func following() -> Item? {
    while true {
      if let item = nextOfGlob() ?? nextOperand() ?? nextLine() { return item }
      guard nextLater < laterGroups.count else { return nil }
      group = laterGroups[nextLater]
      nextLater += 1
      typedCounts.append((typedCounts.last ?? 0) + position)
      (position, listIndex) = (0, 0)
    }
  }

  /// How many URLs were typed before the first of a group, lines of files included.
  private func typedBefore(_ group: TransferGroup) -> Int { group.index == 0 ? 0 : typedCounts[group.index - 1] }

  private func nextOfGlob() -> Item? {
    guard let glob else { return nil }
    guard nextElement < glob.count else {
      self.glob = nil
      return nil
    }
    let element = glob.element(nextElement)
    nextElement += 1
    return Item(group, element.text, position: position - 1, choices: element.choices)
  }

  private func nextOperand() -> Item? {
    let builder = group.builder
    guard position < builder.invocation.operands.count else { return nil }
    let text = builder.invocation.operands[position]
    position += 1
    guard builder.invocation.many.expandsGlobs, URLGlob.isMeant(by: text) else {
      return Item(group, text, position: position - 1)
    }
    do throws(URLGlob.Fault) {
      glob = try URLGlob(parsing: text)
    } catch {
      return Item(group, text, position: position - 1, fault: .malformedGlob(text.visible, error))
    }
    nextElement = 0
    return nextOfGlob()
  }

  private func nextLine() -> Item? {
    while listIndex < group.lists.count {
      let (file, urls) = group.lists[listIndex]
      var rest = list ?? urls
      guard let line = rest.next() else {
        list = nil
        listIndex += 1
        continue
      }
      list = rest
      position += 1
      return Item(group, line.text, position: position - 1, line: (file, line.number))
    }
    return nil
  }
}

extension PlanBuilder {
  func lists() throws(Failure) -> [(name: ArgumentText, urls: URLList)] {
    var lists: [(name: ArgumentText, urls: URLList)] = []
    for name in invocation.many.lists {
      lists.append((name, URLList(try context.read(.file(name), upTo: .list))))
    }
    return lists
  }
}
