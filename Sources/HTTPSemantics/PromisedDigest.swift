/// A digest that a response says its content has (RFC 9530).
package struct PromisedDigest: Equatable, Sendable {
  /// The active algorithms that RFC 9530 section 5 registers, by their keys; others are ignored.
  package enum Algorithm: String, Equatable, Sendable, CaseIterable {
    case sha256 = "sha-256"
    case sha512 = "sha-512"
  }

  /// The field that holds the digest, for messages to people.
  package let field: FieldName
  package let algorithm: Algorithm
  package let digest: [UInt8]

  /// Returns the digests that a response to a request of that method promises for the content that comes with it.
  package static func promised(by response: Response, to method: Method) -> [PromisedDigest] {
    // Without content, a digest describes something that did not come.
    guard response.mayHaveContent(inAnswerTo: method) else { return [] }
    // Repr-Digest "is the digest of the entire selected representation" (RFC 9530 section 3), of which a 206 mostly has
    // a part.
    let range = response.status == 206 ? response.fields[.contentRange].flatMap { ContentRange($0) } : nil
    let isWhole = response.status != 206 || (range != nil && range?.length == range?.completeLength)
    let representation = isWhole ? digests(in: .reprDigest, of: response.fields) : []
    // Content-Digest is that of "the actual content" of the message, whatever part of the representation that is (RFC
    // 9530 section 2).
    return digests(in: .contentDigest, of: response.fields) + representation
  }

  /// Returns the digests that a response promises for the entire selected representation, of which it may have only a
  /// part.
  package static func promised(ofWholeBy response: Response) -> [PromisedDigest] {
    digests(in: .reprDigest, of: response.fields)
  }

  private static func digests(in name: FieldName, of fields: Fields) -> [PromisedDigest] {
    guard let value = fields.combined(name), let digests = StructuredField.byteSequences(value) else { return [] }
    return Algorithm.allCases.compactMap { algorithm in
      digests[algorithm.rawValue].map { PromisedDigest(field: name, algorithm: algorithm, digest: $0) }
    }
  }
}
