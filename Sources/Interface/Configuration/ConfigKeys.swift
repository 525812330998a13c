package import FlagTable
import HTTPCaching
import HTTPSemantics

/// What the config file and the environment may set: the options of a fetch, from the rows of the command line.
package enum ConfigKeys {
  /// What names of the program's variables begin with.
  package static let variablePrefix = "GARNER_"
  /// Names the config file itself.
  package static let fileVariable = "GARNER_CONFIG"

  static func table() -> SettingTable<Invocation> {
    SettingTable(
      of: Commands.root, blank: Invocation(), except: [ConfigFlags.file.name, ConfigFlags.disable.name],
      foreign: { CurlOptions.absent })
  }

  /// The variables of all options, in the order of the helps.
  static var variables: [String] {
    table().flags.filter { !$0.isHidden }.map { variable(of: $0.name) }
  }

  package static func variable(of name: String) -> String {
    variablePrefix + SettingTable<Invocation>.variableName(of: name)
  }

  // MARK: Scope

  /// What a run has once, however many URLs it fetches: a section for a site cannot set it.
  static let ofRun = [
    "cache-dir", "disk-capacity", "max-object-size", "memory-capacity", "durable", "collapse-timeout", "color",
    "silent",
    "show-error", "verbose", "write-out", "dump-header", "output", "remote-name", "data", "data-raw", "data-binary",
    "data-urlencode", "json",
  ]

  // MARK: Layers

  /// What a setting is about: of two that share a subject, only that of the stronger layer counts.
  ///
  /// An option that is not named here is about itself, which is right wherever the last one counts. Settings of one
  /// layer are not compared: there, an option that adds up is given as often as one likes.
  package static func subjects(of setting: Setting<Invocation>) -> [String] {
    // Taking an option back is not yet choosing another.
    if setting.given == .on(false) { return [setting.name] }
    switch setting.name {
    case "cache-policy", "offline", "refresh", "reload", "prefer-offline": return [setting.name, "cache policy"]
    case "no-store": return [setting.name, "cache policy", "storage"]
    case "memory-only": return [setting.name, "storage"]
    case "reachability-policy": return ["state \(state(in: setting.value))"]
    case "data", "data-raw", "data-binary", "data-urlencode", "json": return ["content"]
    case "head": return ["head", "method", "content"]
    case "request": return ["method"]
    case "header": return fieldName(in: setting.value).map { [field($0)] } ?? []
    case "user": return ["user", field(.authorization)]
    case "user-agent": return ["user-agent", field(.userAgent)]
    case "referer": return ["referer", field(.referer)]
    case "compressed": return ["compressed", field(.acceptEncoding)]
    case "output", "remote-name": return ["destination"]
    case "fail", "fail-with-body": return ["error status"]
    case "progress-bar", "no-progress": return ["progress"]
    case "http1.1", "http2": return ["version"]
    case "ipv4", "ipv6": return ["address family"]
    default: return [setting.name]
    }
  }

  /// What user information in a URL sets.
  package static let userInfoSubject = field(.authorization)

  private static func field(_ name: FieldName) -> String { "field \(name.lowercased)" }

  private static func fieldName(in line: ArgumentText) -> FieldName? {
    switch try? FieldChange(parsing: line) {
    case .send(let name, value: _), .leaveOut(let name): name
    case nil: nil
    }
  }

  private static func state(in value: ArgumentText) -> String {
    let state = ArgumentText(value.bytes.prefix { $0 != ASCII.equals })
    return (try? ReachabilityState(parsing: state))?.rawValue ?? state.visible
  }

  // MARK: Secrets

  /// What of a value is not for everybody's eyes.
  package enum Secrecy: Hashable, Sendable {
    case none
    case all
    /// What follows this much of the value: a field's name, or a user's.
    case behind(prefix: Int)
    /// What stands before the `@` of a URL.
    case userInfo
  }

  package static func secrecy(of setting: Setting<Invocation>) -> Secrecy {
    let value = setting.value.bytes
    switch setting.name {
    case "user", "proxy-user":
      return .behind(prefix: (value.firstIndex(of: ASCII.colon) ?? value.count - 1) + 1)
    case "oauth2-bearer", "cookie": return .all
    case "proxy", "referer": return value.contains(UInt8(ascii: "@")) ? .userInfo : .none
    case "header":
      guard let name = fieldName(in: setting.value), CredentialFields.contains(name) else { return .none }
      let behindColon = value.dropFirst(name.spelling.utf8.count + 1)
      return .behind(prefix: value.count - behindColon.drop { $0 == ASCII.space }.count)
    default: return .none
    }
  }
}
