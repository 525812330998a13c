package import HTTPSemantics

/// The part of a cache key that says whom a response may answer: the credentials of the request, the trust in the
/// connection, and the user's partition.
package struct Audience: Equatable, Sendable {
  package var credentials: [Field]
  /// One line of text for each setting that changes how the connection is verified or where it goes, and for a Host
  /// that is not the URI's.
  package var trust: [[UInt8]]

  /// The partition that the user has named.
  package var partition: [UInt8]?

  package init(of request: Request, trust: [[UInt8]] = [], under rules: KeyRules = KeyRules()) {
    credentials = []
    // Reads the lines in place, because most requests have no credentials and nothing is copied.
    let lines = request.fields.lines.span
    for index in lines.indices where rules.credentialFields.contains(lines[index].name) {
      credentials.append(lines[index])
    }
    self.trust = trust
    partition = rules.partition
    // A Host other than the URI's authority addresses another authority.
    for host in request.fields.values(of: .host)
    where !ASCII.equalIgnoringCase(host.bytes, request.target.origin.authority.utf8) {
      self.trust.append(Array("host ".utf8) + ASCII.lowercased(host.bytes))
    }
  }

  /// The bytes to be digested for the key; `nil` if the response may answer anyone.
  package var canonicalBytes: [UInt8]? {
    if credentials.isEmpty && trust.isEmpty && partition == nil { return nil }
    var bytes: [UInt8] = []
    let lines = credentials.map { Array($0.name.lowercased.utf8) + [ASCII.colon] + $0.value.bytes }
    let partitions = partition.map { [Array("partition ".utf8) + $0] } ?? []
    for line in lines.ordered(by: { $0.lexicographicallyPrecedes($1) }) + trust + partitions {
      bytes += line
      bytes.append(ASCII.lineFeed)
    }
    return bytes
  }
}
