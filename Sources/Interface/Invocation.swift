package import FlagTable
import HTTPCaching
package import HTTPSemantics

/// What was said, on the command line and elsewhere, as plain values. Nothing is decided here, and only the syntax of
/// values has been checked.
package struct Invocation: Equatable, Sendable {
  package var command = CommandChoice.fetch
  package var operands: [ArgumentText] = []
  package var request = RequestOptions()
  package var output = OutputOptions()
  package var cache = CacheOptions()
  package var key = KeyOptions()
  package var storing = StoringOptions()
  package var freshness = FreshnessOptions()
  package var reachability = ReachabilityOptions()
  package var connection = ConnectionOptions()
  package var integrity = IntegrityOptions()
  package var resilience = ResilienceOptions()
  package var storeCommand = StoreCommandOptions()
  package var archive = ArchiveOptions()
  package var config = ConfigOptions()
  package var many = ManyOptions()
  /// The sets of options before each `--next`, with their URLs.
  private var earlier: [Invocation] = []

  package init() {}

  /// The sets of options, each as an invocation with the options of the whole run.
  package var groups: [Invocation] {
    var groups: [Invocation] = []
    for var group in earlier {
      group.keepSettingsOfRun(of: self)
      groups.append(group)
    }
    groups.append(self)
    return groups
  }

  package var groupCount: Int { earlier.count + 1 }

  /// Returns a set of options as it was typed: without the options of the whole run that stand behind it.
  func group(_ index: Int) -> Invocation { index < earlier.count ? earlier[index] : self }

  /// Whether the options hold a secret. The rows of the table tell it for each setting, but settings are collected only
  /// if they are needed; a test compares the two.
  ///
  /// - Parameter listed: fields that are listed elsewhere as credential fields.
  package func holdsSecrets(listed: [FieldName]) -> Bool {
    for group in earlier where group.holdsSecrets(listed: listed) { return true }
    if request.credentials != nil || request.bearerToken != nil || !request.cookieLines.isEmpty { return true }
    let fields = CredentialFields(listed: key.credentialFields + listed)
    for case .send(let name, value: _) in request.fieldChanges where fields.contains(name) { return true }
    for case .send(let name, value: _) in storing.fieldChanges where fields.contains(name) { return true }
    return connection.route.proxyCredentials != nil || connection.security.passphrase != nil
  }

  /// Whether there are URLs already, from operands, from `--url` or from lists of URLs, so that no operand need follow.
  var hasFurtherURLs: Bool { !operands.isEmpty || !many.lists.isEmpty }

  /// Whether a `cache` command is limited to some of the stored responses.
  package var selectsEntries: Bool { !operands.isEmpty || !storeCommand.filters.isEmpty }

  /// Begins a new set of options, which keeps the options of the whole run.
  mutating func beginNext() {
    var next = Invocation()
    next.command = command
    next.config = config
    next.storeCommand = storeCommand
    next.keepSettingsOfRun(of: self)
    next.earlier = earlier
    var ended = self
    ended.earlier = []
    next.earlier.append(ended)
    self = next
  }

  private mutating func keepSettingsOfRun(of other: Invocation) {
    output.keepSettingsOfRun(of: other.output)
    cache.keepSettingsOfRun(of: other.cache)
    connection.keepSettingsOfRun(of: other.connection)
    many.keepSettingsOfRun(of: other.many)
  }
}

// The members below are those of the rows whose scope is `.run`; a test compares the two.

extension OutputOptions {
  fileprivate mutating func keepSettingsOfRun(of other: OutputOptions) {
    isSilent = other.isSilent
    showsErrors = other.showsErrors
    isVerbose = other.isVerbose
    color = other.color
    unchangedStatus = other.unchangedStatus
    isDryRun = other.isDryRun
  }
}

extension CacheOptions {
  fileprivate mutating func keepSettingsOfRun(of other: CacheOptions) {
    directory = other.directory
    memoryCapacity = other.memoryCapacity
    collapseTimeout = other.collapseTimeout
    diskCapacity = other.diskCapacity
    largestObject = other.largestObject
    isDurable = other.isDurable
  }
}

extension ConnectionOptions {
  fileprivate mutating func keepSettingsOfRun(of other: ConnectionOptions) {
    route.hstsFile = other.route.hstsFile
    route.altSvcFile = other.route.altSvcFile
  }
}

extension ManyOptions {
  fileprivate mutating func keepSettingsOfRun(of other: ManyOptions) {
    endsEarly = other.endsEarly
    isParallel = other.isParallel
    parallelLimit = other.parallelLimit
  }
}
