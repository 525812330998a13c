import Glibc
import HTTPSemantics
import Testing

@Suite("RFC 3986 section 3.2.2: addresses")
struct IPAddressTests {
  private static let addresses = [
    "127.0.0.1", "0.0.0.0", "255.255.255.255", "::", "::1", "1::", "1::8", "fe80::ABcd", "1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5::1.2.3.4", "00ff::",
  ]
  private static let others = [
    "", ":", ":::", "1", "1.2.3", "01.2.3.4", "1.2.3.4.5", "1.2.3.256", "1..3.4", "1.2.3.4 ", "+1.2.3.4", "1.2.3.x",
    "::1%eth0", "[::1]", "1:2:3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4::5:6:7:8", "1::2::3", "12345::", "g::",
    ":1::", "1:", "::1:", "1:2:3:4:5:6:7:1.2.3.4", "1.2.3.4::", "::1.2.3", "1:2:3:4:5:6:7:", "::0.0.0.00",
  ]

  private func isAddress(_ text: String) -> Bool {
    let bytes = Array(text.utf8)[...]
    return IPAddress.isIPv4(bytes) || IPAddress.isIPv6(bytes)
  }

  private func isAddressToTheSystem(_ text: String) -> Bool {
    var parsed = in6_addr()
    return inet_pton(AF_INET, text, &parsed) == 1 || inet_pton(AF_INET6, text, &parsed) == 1
  }

  @Test("An address is one to the system, too", arguments: addresses)
  func address(text: String) { #expect(isAddress(text) && isAddressToTheSystem(text)) }

  @Test("What resembles an address is none", arguments: others)
  func other(text: String) { #expect(!isAddress(text) && !isAddressToTheSystem(text)) }

  @Test("Of what is one character away from those, the system says the same")
  func neighbours() {
    for text in Self.addresses + Self.others {
      for place in 0...text.utf8.count {
        let (start, rest) = (String(text.prefix(place)), text.dropFirst(place))
        for piece in ["", "0", "25", "a", ":", ".", "%"] {
          for changed in [start + piece + rest, start + piece + rest.dropFirst()] {
            #expect(isAddress(changed) == isAddressToTheSystem(changed), "\(changed)")
          }
        }
      }
    }
  }
}
