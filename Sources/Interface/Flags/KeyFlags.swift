package import FlagTable
import HTTPCaching
package import HTTPSemantics

/// The options of the key under which a response is stored.
package struct KeyOptions: Equatable, Sendable {
  package var chosenText: ArgumentText?
  /// Globs.
  package var ignoredParameters: [ArgumentText] = []
  package var cachesPosts = false
  package var partition: ArgumentText?
  /// Fields that are credential fields beside the known ones.
  package var credentialFields: [FieldName] = []
}

enum KeyFlags {
  static let all: [Flag<Invocation>] = [key, ignoredParameter, post, partition, credentialField]

  static let key = Flag<Invocation>(
    "cache-key", value: "TEXT", in: .keys, facts: { .init(secrecy: .ofKey($0)) },
    summary: "Store under TEXT in the place of the URL.",
    details: #"""
      What is stored under TEXT answers any URL that is fetched with the same TEXT: two mirrors, or a URL that is signed
      anew each time. Credentials and trust are part of the key as ever, and http is not https. It is for the URL that
      was typed, not for those that redirects lead to, and for one URL. What has come from another origin is not
      validated, but fetched anew where it is stale.

      An unsafe request invalidates what is stored under TEXT where it is sent with the same TEXT, or to the URL that
      brought what is stored; of other URLs that TEXT stands for, nobody knows.
      """#
  ) { invocation, text throws(InvalidValue) in
    guard !text.bytes.isEmpty else { throw .unacceptable("a key is not empty") }
    invocation.key.chosenText = try LineText.check(text)
  }

  static let ignoredParameter = Flag<Invocation>(
    "ignore-param", value: "NAME", in: .keys, facts: { .init(only: .ignoredParameter($0)) },
    summary: "Leave the query parameter NAME out of the key.",
    details: """
      The parameter is sent all the same. `*` in NAME stands for anything: `utm_*`. The option may be repeated, and adds
      to what the config file leaves out; names are compared percent-decoded, with regard to case. What is stored so
      answers only requests that leave out the same names. A parameter that says who asks must not be left out: whoever
      asks next would get the same answer.
      """
  ) { invocation, text throws(InvalidValue) in
    guard !text.bytes.isEmpty else { throw .unacceptable("the name of a parameter is not empty") }
    invocation.key.ignoredParameters.append(try LineText.check(text))
  }

  static let post = Flag<Invocation>(
    "cache-post", negation: .accepted, in: .keys,
    summary: "Answer POST from the cache, too: it only asks.",
    details: """
      A digest of the content, and its type, are part of the key: other content is never answered with this one's
      response. Answers are stored as those to GET are. A stale one is fetched anew, because POST cannot be validated.
      Such a POST invalidates what is stored for its URL, but not the answers to others of its kind. Without the option,
      POST always goes to the origin. A form of `--form` is other content each time, since its parts are told apart by
      a line that is made up anew.
      """
  ) { invocation, isOn in invocation.key.cachesPosts = isOn }

  static let partition = Flag<Invocation>(
    "cache-partition", value: "NAME", in: .keys,
    summary: "Keep what is stored apart from that of other partitions.",
    details: "What was stored under another NAME, or under none, is not found, and is not replaced."
  ) { invocation, text throws(InvalidValue) in
    guard !text.bytes.isEmpty else { throw .unacceptable("the name of a partition is not empty") }
    invocation.key.partition = try LineText.check(text)
  }

  static let credentialField = Flag<Invocation>(
    "credential-field", value: "NAME", in: .keys, facts: { _ in .init(listing: .lastCounts) },
    summary: "Count the request field NAME among those that say who asks.",
    details: """
      Authorization, Cookie, X-Api-Key and their kin are known, and so is every field whose name has a word such as
      `token`, `auth` or `secret` in it. Their values are part of the key, do not go on to another origin without
      `--location-trusted`, and are neither shown nor kept readable. The option may be repeated, and adds to what the
      config file lists.
      """
  ) { invocation, text throws(InvalidValue) in
    guard let name = FieldName(text.bytes) else { throw .expected("the name of a field") }
    guard !SelectingFields.keepsReadable(name) else {
      throw .unacceptable("\(name) says how to answer, and not to whom")
    }
    invocation.key.credentialFields.append(name)
  }
}
