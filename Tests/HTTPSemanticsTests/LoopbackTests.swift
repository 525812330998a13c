import HTTPSemantics
import Testing

@Suite("Hosts that are this machine: RFC 6761 section 6.3")
struct LoopbackTests {
  @Test(
    "The names and addresses of this machine are recognised in every spelling",
    arguments: [
      "localhost", "localhost.", "a.localhost", "127.0.0.1", "127.255.0.3", "127.1", "0.0.0.0", "[::1]", "[::]",
      "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]", "0x7f000001", "0", "0177.1",
    ])
  func local(host: String) { #expect(Loopback.contains(host)) }

  @Test(
    "Other hosts are not taken for this machine, however similar they look",
    arguments: [
      "", ".", "example.com", "localhost.example.com", "notlocalhost", "127.example.com", "128.0.0.1", "10.127.0.1",
      "1", "127.0.0.0.1", "127.0.0.256",
      "[::2]", "[::10]", "[fe80::1]", "[2001:db8::1]", "[1::1]", "[::ffff:10.0.0.1]", "[]",
    ])
  func remote(host: String) { #expect(!Loopback.contains(host)) }
}
