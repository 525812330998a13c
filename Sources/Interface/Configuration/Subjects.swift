import FlagTable
import HTTPSemantics

/// The subjects that several options of a fetch share.
extension Subject {
  static var cachePolicy: Subject { .shared("cache policy") }
  /// Whether nothing is looked up and nothing stored.
  static var noStore: Subject { .shared("no-store") }
  static var storage: Subject { .shared("storage") }
  static var method: Subject { .shared("method") }
  static var content: Subject { .shared("content") }
  static var destination: Subject { .shared("destination") }
  static var errorStatus: Subject { .shared("error status") }
  static var integrity: Subject { .shared("integrity") }
  static var progress: Subject { .shared("progress") }
  static var httpVersion: Subject { .shared("HTTP version") }
  static var passphrase: Subject { .shared("passphrase") }
  static var minimumTLS: Subject { .shared("minimum TLS") }
  static var unixSocket: Subject { .shared("Unix socket") }
  static var netrc: Subject { .shared("netrc") }
  static var addressFamily: Subject { .shared("address family") }

  /// A field of the request.
  static func field(_ name: FieldName) -> Subject { .shared("field \(name.lowercased)") }

  /// A directive of the request's Cache-Control.
  static func directive(_ name: String) -> Subject { .shared("directive \(name)") }

  /// A parameter of the query, or several by a glob, that the key leaves out.
  static func ignoredParameter(_ glob: ArgumentText) -> Subject { .shared("ignored parameter \(glob.visible)") }

  /// A field of stored responses.
  static func storedField(_ name: FieldName) -> Subject { .shared("stored field \(name.lowercased)") }

  /// A tag of stored responses.
  static func tag(_ key: String) -> Subject { .shared("tag \(key)") }

  /// The policy that a state of the network selects.
  static func policy(of state: String) -> Subject { .shared("policy of \(state)") }
}
