import FlagTable
import HTTPSemantics
import Interface
import Platform

/// `garner config ...`: tells what the config file and the environment say.
final class ConfigCommand {
  private let settings: RunSettings
  private let context: ProcessContext
  private let printer: Printer
  private var invocation: Invocation { settings.run }

  init(_ settings: RunSettings, _ context: ProcessContext, _ printer: Printer) {
    self.settings = settings
    self.context = context
    self.printer = printer
  }

  // MARK: check

  /// - Returns: the exit status.
  func check(_ diagnostics: Diagnostics) throws(Failure) -> Int32 {
    var options = invocation.config
    if let typed = invocation.operands.first {
      try ProcessContext.checkName(typed)
      options.file = typed
    }
    let place = ConfigSource.Place(options, context.environment)
    guard let source = try ConfigSource.read(place, context) else {
      if case .usual(let path) = place {
        // A fetch goes on without the file, but nobody can tell whether it is in order.
        if let error = ConfigSource.barrier(before: path) { throw .config(path, error, isTyped: true) }
        try printer.write("\(Escaping.visible(path.bytes)) does not exist\n")
      }
      return ExitStatus.success.rawValue
    }
    let configuration = Configuration(parsing: source.bytes, home: .home(in: context.environment))
    let name = Escaping.visible(source.path.bytes)
    let isReadable = !source.status.mode.isDisjoint(with: .readableByOthers)
    if isReadable, source.status.kind == .regular {
      let secrecies = configuration.settings.map { $0.secrecy(listed: []) }.filter { $0 != .none }
      if secrecies.contains(where: \.isCertain) {
        diagnostics.warn("\(name) holds credentials, and others can read it: chmod 600 makes it private")
      } else if !secrecies.isEmpty {
        diagnostics.warn("\(name) may hold credentials, and others can read it: chmod 600 makes it private")
      }
    }
    warnOfLikelySlips(in: configuration, name, diagnostics)
    for fault in configuration.faults {
      diagnostics.report(.setting(in: (source.path, fault.line), fault.reason))
    }
    guard configuration.faults.isEmpty else { return ExitStatus.usage.rawValue }
    let sites = configuration.sites.count
    try printer.write("\(name) is in order: \(Words.count(configuration.settings.count, "setting"))")
    try printer.write(sites == 0 ? "\n" : ", \(Words.count(sites, "site"))\n")
    return ExitStatus.success.rawValue
  }

  /// Warns of settings that are in order, but mostly meant otherwise.
  private func warnOfLikelySlips(in configuration: Configuration, _ name: String, _ diagnostics: Diagnostics) {
    for setting in configuration.general
    where setting.sets(.cacheDirectory) && setting.value.bytes.first != ASCII.slash {
      guard case .file(let line, heading: _) = setting.origin else { continue }
      diagnostics.warn("\(name), line \(line): cache-dir is relative: each working directory has a cache of its own")
    }
    for site in configuration.sites where site.pattern.isOfOneDirectory {
      let pattern = Escaping.visible(site.argument.bytes)
      diagnostics.warn("\(name), line \(site.line): \(pattern) matches one path; \(pattern)* matches all below it, too")
    }
  }

  // MARK: show

  func show(_ diagnostics: Diagnostics) throws(Failure) {
    if case .usual(let path) = ConfigSource.Place(invocation.config, context.environment),
      let error = ConfigSource.barrier(before: path)
    {
      diagnostics.warn("the config file \(Escaping.visible(path.bytes)) is ignored, as in a fetch: \(error)")
    }
    let applied = settings.settings(for: try invocation.operands.first?.reference())
    let listed = settings.credentialFields(in: applied)
    let rows = applied.ordered { $0.name < $1.name }.map { setting in
      Row(
        setting: setting, value: value(of: setting, listed), origin: settings.originText(of: setting),
        file: settings.configPath?.description ?? "")
    }
    if invocation.storeCommand.form == .json {
      try printer.write(JSON.lines(rows.map(\.json.text)))
    } else {
      try printer.write(printer.isTerminal ? Self.table(rows) : Self.tabSeparated(rows))
    }
  }

  private func value(of setting: Setting<Invocation>, _ listed: [FieldName]) -> String {
    invocation.storeCommand.showsSecrets
      ? Escaping.visible(setting.value.bytes) : Masking.masked(setting, listed: listed)
  }

  /// A setting that applies.
  private struct Row {
    let setting: Setting<Invocation>
    let value: String
    /// In words for people.
    let origin: String
    let file: String

    var json: JSON {
      var members: [(String, JSON)] = [("name", .string(setting.name)), ("value", .string(value))]
      switch setting.origin {
      case .commandLine:
        members.append(("source", .string("command-line")))
      case .environment(let variable):
        members += [("source", .string("environment")), ("variable", .string(variable))]
      case .file(let line, let heading):
        members += [("source", .string("file")), ("file", .string(file)), ("line", .number(Int64(line)))]
        if let heading { members.append(("section", .string(heading))) }
      }
      return .object(members)
    }
  }

  private static func tabSeparated(_ rows: [Row]) -> String {
    rows.map { "\($0.setting.name)\t\($0.value)\t\($0.origin)\n" }.joined()
  }

  /// A longer value moves the last column of its line.
  private static let widestValue = 40

  private static func table(_ rows: [Row]) -> String {
    let nameWidth = rows.map(\.setting.name.count).max() ?? 0
    let valueWidth = min(rows.map(\.value.count).max() ?? 0, widestValue)
    return rows.map { row in
      Words.left(row.setting.name, nameWidth) + "  " + Words.left(row.value, valueWidth) + "  \(row.origin)\n"
    }.joined()
  }
}
