import HTTPSemantics

@testable import Client

extension FuzzTarget {
  /// The Strict-Transport-Security field, and HSTS files.
  static let strictHosts = FuzzTarget("stricthosts", longestInput: 512) { (bytes) throws(Violation) in
    var input = FuzzInput(bytes)
    var hosts = StrictHosts()
    if input.byte() == UInt8(ascii: "f") {
      for entry in StrictHostFile.read(Array(input.rest)) {
        try require(!entry.host.isEmpty, "a host has no name")
        hosts.set(entry, at: now)
      }
      try checkWriting(hosts.entries)
    } else {
      let fields = Fields([Field("Strict-Transport-Security", FieldValue(Array(input.rest)))])
      hosts.takeField(of: fields, from: target(at: host, .http), at: now)
      try require(hosts.entries.isEmpty, "a host is believed that anybody may have spoken for")
      hosts.takeField(of: fields, from: target(at: host, .https), at: now)
      try require(hosts.entries.allSatisfy { $0.host == host }, "a host speaks for another")
      let stranger = target(at: "www.other.example", .http)
      try require(hosts.secured(stranger, at: now) == stranger, "a host speaks for another")
      try checkWriting(hosts.entries)
    }
    for scheme in [TargetURI.Scheme.http, .https] {
      let asked = target(at: host, scheme)
      let secured = hosts.secured(asked, at: now)
      try require(secured == asked || secured == target(at: host, .https), "a request goes elsewhere")
    }
  }

  private static let host = "www.shop.example"
  private static let now = Timestamp(secondsSinceEpoch: 1_700_000_000)

  /// Checks that written entries are read back. The file's form ends with the year 9999, so a later expiry is written
  /// as never.
  private static func checkWriting(_ entries: [StrictHosts.Entry]) throws(Violation) {
    let read = StrictHostFile.read(StrictHostFile.write(entries))
    try require(read.map(\.host) == entries.map(\.host), "hosts are written as others")
    try require(
      read.map(\.includesSubdomains) == entries.map(\.includesSubdomains), "hosts below one are forgotten, or meant")
    try require(StrictHostFile.read(StrictHostFile.write(read)) == read, "a time is written as another")
    for (written, entry) in zip(read, entries) where written.expiry != entry.expiry {
      try require(written.expiry == nil, "a time is written as an earlier one")
    }
  }
}
