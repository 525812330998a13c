import Platform
import TestSupport
import Testing

@Suite("The network path is read from the kernel's tables")
struct NetworkPathTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let links: [(String, FakeNetwork.Link)]
    let ipv4: [String]
    let ipv6: [String]
    let path: NetworkPath

    init(
      _ rule: String, _ links: [(String, FakeNetwork.Link)], _ ipv4: [String], ipv6: [String] = [], _ path: NetworkPath
    ) {
      testDescription = rule
      (self.links, self.ipv4, self.ipv6, self.path) = (links, ipv4, ipv6, path)
    }
  }

  private static func everywhere(_ name: String, _ medium: LinkMedium, tunnel: String? = nil) -> NetworkPath {
    .everywhere(over: NetworkLink(name, medium), tunnel: tunnel)
  }

  /// A route to 192.168.1.0/24 on this interface.
  private static func near(_ interface: String) -> String {
    "\(interface)\t0001A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0"
  }

  static let media: [Row] = [
    Row("a wired link", [("eth0", .wired)], [FakeNetwork.everywhere("eth0")], everywhere("eth0", .wired)),
    Row("a wireless link", [("wlan0", .wireless)], [FakeNetwork.everywhere("wlan0")], everywhere("wlan0", .wireless)),
    Row(
      "a link that only the wireless extensions know",
      [("ra0", .init(deviceEvent: "DRIVER=rt\n", marks: ["wireless"]))], [FakeNetwork.everywhere("ra0")],
      everywhere("ra0", .wireless)),
    Row("a modem", [("m0", .modem)], [FakeNetwork.everywhere("m0")], everywhere("m0", .mobile)),
    Row(
      "a modem, recognised by its name", [("wwan0", .init(deviceEvent: "DRIVER=cdc_ether\n"))],
      [FakeNetwork.everywhere("wwan0")],
      everywhere("wwan0", .mobile)),
    Row(
      "a modem, recognised by the device below",
      [("usb0", .init(deviceEvent: "DEVTYPE=wwan_dev\nDRIVER=x\n"))], [FakeNetwork.everywhere("usb0")],
      everywhere("usb0", .mobile)),
    Row(
      "a dial-up connection", [("ppp0", .init(operstate: "unknown", flags: "0x10d1", type: "512"))],
      [FakeNetwork.everywhere("ppp0")], everywhere("ppp0", .mobile)),
    Row(
      "a virtual Ethernet pair", [("eth0", .virtual)], [FakeNetwork.everywhere("eth0")], everywhere("eth0", .unknown)),
    Row(
      "Bluetooth", [("bnep0", .init(uevent: "DEVTYPE=bluetooth\n", deviceEvent: ""))],
      [FakeNetwork.everywhere("bnep0")], everywhere("bnep0", .unknown)),
    Row("a link without a description", [], [FakeNetwork.everywhere("eth0")], everywhere("eth0", .unknown)),
    Row(
      "a bridge has the medium of its member",
      [("eth0", .wired), ("br0", .init(uevent: "DEVTYPE=bridge\n", marks: ["lower_eth0"]))],
      [FakeNetwork.everywhere("br0")], everywhere("br0", .wired)),
    Row(
      "a VLAN on a bond of two wires",
      [
        ("eth0", .wired), ("eth1", .wired), ("bond0", .init(marks: ["lower_eth0", "lower_eth1"])),
        ("bond0.7", .init(marks: ["lower_bond0"])),
      ], [FakeNetwork.everywhere("bond0.7")], everywhere("bond0.7", .wired)),
    Row(
      "a bond of an unplugged wired link and a wireless one",
      [("eth0", .wired.unplugged), ("wlan0", .wireless), ("bond0", .init(marks: ["lower_eth0", "lower_wlan0"]))],
      [FakeNetwork.everywhere("bond0")], everywhere("bond0", .wireless)),
    Row(
      "a bond of a wired and a wireless link that are both up",
      [("eth0", .wired), ("wlan0", .wireless), ("bond0", .init(marks: ["lower_eth0", "lower_wlan0"]))],
      [FakeNetwork.everywhere("bond0")], everywhere("bond0", .unknown)),
    Row(
      "links that contain each other", [("a", .init(marks: ["lower_b"])), ("b", .init(marks: ["lower_a"]))],
      [FakeNetwork.everywhere("a")], everywhere("a", .unknown)),
  ]

  static let choices: [Row] = [
    Row(
      "of two default routes, the one with the lower metric", [("eth0", .wired), ("wlan0", .wireless)],
      [FakeNetwork.everywhere("wlan0", metric: 600), FakeNetwork.everywhere("eth0", metric: 100)],
      everywhere("eth0", .wired)),
    Row(
      "of two default routes, the one whose link is up", [("eth0", .wired.unplugged), ("wlan0", .wireless)],
      [FakeNetwork.everywhere("eth0", metric: 100), FakeNetwork.everywhere("wlan0", metric: 600)],
      everywhere("wlan0", .wireless)),
    Row(
      "IPv6 only", [("wlan0", .wireless)], [], ipv6: [FakeNetwork.everywhereIPv6("wlan0")],
      everywhere("wlan0", .wireless)),
    Row(
      "of two families, the one with the lower metric", [("wlan0", .wireless), ("wwan0", .modem)],
      [FakeNetwork.everywhere("wwan0", metric: 700)],
      ipv6: [FakeNetwork.everywhereIPv6("wlan0", metric: "00000258")], everywhere("wlan0", .wireless)),
    Row(
      "a VPN over a wireless link", [("tun0", .tunnel), ("wlan0", .wireless)],
      [FakeNetwork.everywhere("tun0", metric: 50), FakeNetwork.everywhere("wlan0", metric: 600)],
      everywhere("wlan0", .wireless, tunnel: "tun0")),
    Row(
      "a VPN with two half default routes over a modem", [("tun0", .tunnel), ("wwan0", .modem)],
      [
        FakeNetwork.everywhere("wwan0"), "tun0\t00000000\t0100080A\t0003\t0\t0\t50\t00000080\t0\t0\t0",
        "tun0\t00000080\t0100080A\t0003\t0\t0\t50\t00000080\t0\t0\t0",
      ], everywhere("wwan0", .mobile, tunnel: "tun0")),
    Row(
      "a VPN without another default route, and one link", [("tun0", .tunnel), ("eth0", .wired)],
      [FakeNetwork.everywhere("tun0"), near("eth0")], everywhere("eth0", .wired, tunnel: "tun0")),
    Row(
      "a VPN without another default route, and two links", [("tun0", .tunnel), ("eth0", .wired), ("wwan0", .modem)],
      [FakeNetwork.everywhere("tun0"), near("eth0"), near("wwan0")], everywhere("tun0", .tunnel)),
    Row(
      "a VPN without a link", [("tap0", .tunnel)], [FakeNetwork.everywhere("tap0")],
      everywhere("tap0", .tunnel)),
    Row(
      "only local networks", [("eth0", .wired)], [near("eth0")],
      .nearby(over: NetworkLink("eth0", .wired))),
  ]

  static let dead: [Row] = [
    Row("no route", [("eth0", .wired)], [], .noRoute),
    Row("a link that is down", [("eth0", .wired.unplugged)], [FakeNetwork.everywhere("eth0")], .linkDown("eth0")),
    Row(
      "a link that waits for authentication", [("wlan0", .init(operstate: "dormant", uevent: "DEVTYPE=wlan\n"))],
      [FakeNetwork.everywhere("wlan0")], .linkDown("wlan0")),
    Row(
      "a link in unknown state without a carrier",
      [("eth0", .init(operstate: "unknown", carrier: "0", deviceEvent: ""))], [FakeNetwork.everywhere("eth0")],
      .linkDown("eth0")),
    Row(
      "a link in unknown state that is switched off",
      [("eth0", .init(operstate: "unknown", carrier: nil, flags: "0x1002"))], [FakeNetwork.everywhere("eth0")],
      .linkDown("eth0")),
    Row(
      "only containers",
      [("docker0", .init(uevent: "DEVTYPE=bridge\n", marks: ["lower_veth1"])), ("veth1", .virtual)],
      [near("docker0")], .noRoute),
    Row(
      "only a tunnel to local networks", [("tun0", .tunnel)], [near("tun0")], .noRoute),
    Row(
      "only link-local, multicast and loopback addresses", [("eth0", .wired)],
      [
        "eth0\t0000FEA9\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0",
        "eth0\t000000E0\t00000000\t0001\t0\t0\t0\t000000F0\t0\t0\t0",
        "eth0\t0000007F\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0",
      ],
      ipv6: [
        "fe800000000000000000000000000000 40 \(zeros) 00 \(zeros) 00000100 00000001 00000000 00000001     eth0",
        "ff000000000000000000000000000000 08 \(zeros) 00 \(zeros) 00000100 00000003 00000000 00000001     eth0",
        "fd000000000000000000000000000002 80 \(zeros) 00 \(zeros) 00000000 00000003 00000000 80200001     eth0",
      ], .noRoute),
    Row(
      "routes that are down or reject", [("eth0", .wired)],
      [
        "eth0\t00000000\t0102000A\t0002\t0\t0\t0\t00000000\t0\t0\t0",
        "*\t00000000\t00000000\t0201\t0\t0\t0\t00000000\t0\t0\t0",
      ], .noRoute),
    Row(
      "malformed lines", [("eth0", .wired)],
      [
        "", "eth0", "\u{fffd}\t\t\t", "eth0\tx\ty\tz\ta\tb\tc\td",
        "eth0\t00000000\t0\t0003\t0\t0\t-1\t00000000\t0\t0\t0",
      ],
      ipv6: ["00 00", "g0 00 00 00 00 00 00 00 00 eth0"], .noRoute),
    Row(
      "interface names that contain a path or are too long", [("eth0", .wired)],
      ["../eth0", "..", "a/b", String(repeating: "n", count: 16)].map { FakeNetwork.everywhere($0) }, .noRoute),
  ]

  private static let zeros = String(repeating: "0", count: 32)

  @Test("The network path has the medium of its link", arguments: media)
  func kind(_ row: Row) throws { try expect(row) }

  @Test("Of several paths the one that the kernel prefers is chosen", arguments: choices)
  func choice(_ row: Row) throws { try expect(row) }

  @Test("Routes that lead nowhere make no path", arguments: dead)
  func none(_ row: Row) throws { try expect(row) }

  private func expect(_ row: Row) throws {
    let network = try FakeNetwork()
    for (name, link) in row.links { try network.add(name, link) }
    try network.setRoutes(ipv4: row.ipv4, ipv6: row.ipv6)
    #expect(try path(network) == row.path)
  }

  @Test("Without the kernel's tables the path is unreadable")
  func absent() throws {
    let network = try FakeNetwork()
    try network.remove("proc/net/route")
    #expect(try path(network) == .unreadable(.noSuchFile))
    try network.remove("proc/net/ipv6_route")
    #expect(try path(network) == .unreadable(.noSuchFile))
  }

  @Test("A kernel without IPv6 has only the table of IPv4")
  func onlyIPv4() throws {
    let network = try FakeNetwork()
    try network.remove("proc/net/ipv6_route")
    #expect(try path(network) == .noRoute)
  }

  @Test("A default route counts even if another table is unreadable")
  func half() throws {
    let network = try FakeNetwork()
    try network.add("eth0", .wired)
    try network.setRoutes(ipv4: [], ipv6: [FakeNetwork.everywhereIPv6("eth0")])
    try network.remove("proc/net/route")
    #expect(try path(network) == Self.everywhere("eth0", .wired))
  }

  @Test("A table that is too long is read in part, and is unreadable unless that part has a default route")
  func long() throws {
    let network = try FakeNetwork()
    try network.add("docker0", .init(uevent: "DEVTYPE=bridge\n"))
    try network.add("eth0", .wired)
    let many = Array(repeating: Self.near("docker0"), count: 10_000)
    try network.setRoutes(ipv4: many)
    #expect(try path(network) == .unreadable(.fileTooLarge))
    try network.setRoutes(ipv4: [FakeNetwork.everywhere("eth0")] + many)
    #expect(try path(network) == Self.everywhere("eth0", .wired))
  }

  private func path(_ network: FakeNetwork) throws -> NetworkPath {
    NetworkPath(root: try #require(Path(network.root)))
  }
}
