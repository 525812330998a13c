package import HTTPSemantics

/// What makes a response somebody's own: the credentials of the request, the trust in the connection,
/// and what the user says.
package struct Audience: Equatable, Sendable {
  package var credentials: [Field]
  /// Each setting that makes a connection less or otherwise verified than the system's own, as one line of text.
  package var trust: [[UInt8]]

  /// What the user sets it apart by.
  package var partition: [UInt8]?

  package init(of request: Request, trust: [[UInt8]] = [], under rules: KeyRules = KeyRules()) {
    credentials = []
    // Where they are: mostly none is copied.
    let lines = request.fields.lines.span
    for index in lines.indices where rules.credentialFields.contains(lines[index].name) {
      credentials.append(lines[index])
    }
    self.trust = trust
    partition = rules.partition
    // Another Host asks another authority than the one that the URI names.
    for host in request.fields.values(of: .host)
    where !ASCII.equalIgnoringCase(host.bytes, request.target.origin.authority.utf8) {
      self.trust.append(Array("host ".utf8) + ASCII.lowercased(host.bytes))
    }
  }

  /// What is to be digested; `nil` where the response is anybody's.
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
