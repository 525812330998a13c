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
    summary: "Store the response under TEXT instead of its URL.",
    details: """
      A response that is stored under TEXT answers any URL that is fetched with the same TEXT, such as a URL of a
      mirror, or one that is signed anew each time. Credentials and trust are part of the key as usual, and http and
      https stay apart. TEXT applies to the one URL that was typed, not to URLs that redirects lead to. A stale response
      that came from another origin is not validated, but fetched anew.

      An unsafe request invalidates the response under TEXT if it has the same TEXT, or if it is sent to the URL that
      the response came from. The other URLs that TEXT stands for are not known to the cache.
      """
  ) { invocation, text throws(InvalidValue) in
    guard !text.bytes.isEmpty else { throw .unacceptable("the key is empty") }
    invocation.key.chosenText = try LineText.check(text)
  }

  static let ignoredParameter = Flag<Invocation>(
    "ignore-param", value: "NAME", in: .keys, facts: { .init(only: .ignoredParameter($0)) },
    summary: "Leave the query parameter NAME out of the key.",
    details: """
      The parameter is still sent. `*` in NAME matches anything, as in `utm_*`. The option may be repeated, and adds to
      the parameters that the config file leaves out. Names are compared percent-decoded, and case matters. The stored
      response answers only requests that leave out the same names. Do not leave out a parameter that identifies the
      user: the next user would get the same response.
      """
  ) { invocation, text throws(InvalidValue) in
    guard !text.bytes.isEmpty else { throw .unacceptable("the name of the parameter is empty") }
    invocation.key.ignoredParameters.append(try LineText.check(text))
  }

  static let post = Flag<Invocation>(
    "cache-post", negation: .accepted, in: .keys,
    summary: "Answer POST from the cache, too, for a POST that only queries.",
    details: """
      A digest of the content, and its type, are part of the key: a response is never served for other content.
      Responses are stored like those to GET. A stale response is fetched anew, because POST cannot be validated. Such a
      POST invalidates what is stored for its URL, but not the responses to other such POSTs. Without the option, POST
      always goes to the origin. A form of `--form` is different content each time, because the line that separates its
      parts is generated anew.
      """
  ) { invocation, isOn in invocation.key.cachesPosts = isOn }

  static let partition = Flag<Invocation>(
    "cache-partition", value: "NAME", in: .keys,
    summary: "Keep stored responses apart from those of other partitions.",
    details: "Responses that were stored under another NAME, or under none, are neither found nor replaced."
  ) { invocation, text throws(InvalidValue) in
    guard !text.bytes.isEmpty else { throw .unacceptable("the name of the partition is empty") }
    invocation.key.partition = try LineText.check(text)
  }

  static let credentialField = Flag<Invocation>(
    "credential-field", value: "NAME", in: .keys, facts: { _ in .init(listing: .lastCounts) },
    summary: "Treat the request field NAME as one that identifies the user.",
    details: """
      Authorization, Cookie, X-Api-Key and similar fields are known, and so is every field whose name contains a word
      such as `token`, `auth` or `secret`. Their values are part of the key, are not sent to another origin without
      `--location-trusted`, and are neither shown nor stored in readable form. The option may be repeated, and adds to
      the fields that the config file lists.
      """
  ) { invocation, text throws(InvalidValue) in
    guard let name = FieldName(text.bytes) else { throw .expected("the name of a field") }
    guard !SelectingFields.keepsReadable(name) else {
      throw .unacceptable("\(name) selects the form of the response, and does not identify the user")
    }
    invocation.key.credentialFields.append(name)
  }
}
