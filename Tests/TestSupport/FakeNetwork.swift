import Glibc

/// The files of `/proc/net` and `/sys/class/net` below a root of their own, as Linux writes them.
package final class FakeNetwork: Sendable {
  /// The content of a link's directory below `sys/class/net`.
  package struct Link: Sendable {
    package var operstate: String?
    package var carrier: String?
    package var flags: String?
    package var type: String
    package var uevent: String
    /// The `uevent` of the device below the link; `nil` if there is none, as for a virtual link.
    package var deviceEvent: String?
    /// Names of which only the existence counts: `wireless`, `tun_flags`, `lower_eth0`.
    package var marks: [String]

    package init(
      operstate: String? = "up", carrier: String? = "1", flags: String? = "0x1003", type: String = "1",
      uevent: String = "", deviceEvent: String? = nil, marks: [String] = []
    ) {
      self.operstate = operstate
      self.carrier = carrier
      self.flags = flags
      self.type = type
      self.uevent = uevent
      self.deviceEvent = deviceEvent
      self.marks = marks
    }

    package static let wired = Link(deviceEvent: "DRIVER=e1000e\n")
    package static let wireless = Link(uevent: "DEVTYPE=wlan\n", deviceEvent: "DRIVER=iwlwifi\n", marks: ["phy80211"])
    package static let modem = Link(type: "65534", uevent: "DEVTYPE=wwan\n", deviceEvent: "DRIVER=qmi_wwan\n")
    package static let tunnel = Link(operstate: "unknown", flags: "0x1091", type: "65534", marks: ["tun_flags"])
    /// One end of a pair of virtual links.
    package static let virtual = Link()

    /// The same link without a connection.
    package var unplugged: Link {
      var link = self
      (link.operstate, link.carrier) = ("down", "0")
      return link
    }
  }

  private let directory: TemporaryDirectory

  /// Makes a network with the link `lo` and without routes.
  package init() throws(SystemFailure) {
    directory = try TemporaryDirectory("network")
    for name in ["proc", "proc/net", "sys", "sys/class", "sys/class/net"] { try directory.makeDirectory(name) }
    try setRoutes(ipv4: [], ipv6: [])
    try add("lo", Link(operstate: "unknown", flags: "0x9", type: "772"))
  }

  package var root: String { directory.path }

  /// Writes `proc/net/route`, with its titles above the lines, and `proc/net/ipv6_route`.
  package func setRoutes(ipv4: [String], ipv6: [String] = []) throws(SystemFailure) {
    let titles = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT"
    try write(([titles] + ipv4).map { $0 + "\n" }.joined(), to: "proc/net/route")
    try write((ipv6 + Self.ipv6OfLoopback).map { $0 + "\n" }.joined(), to: "proc/net/ipv6_route")
  }

  package func add(_ name: String, _ link: Link) throws(SystemFailure) {
    let path = "sys/class/net/\(name)"
    try directory.makeDirectory(path)
    for (file, text) in [("operstate", link.operstate), ("carrier", link.carrier), ("flags", link.flags)] {
      if let text { try write(text + "\n", to: "\(path)/\(file)") }
    }
    try write(link.type + "\n", to: "\(path)/type")
    try write(link.uevent + "INTERFACE=\(name)\n", to: "\(path)/uevent")
    if let event = link.deviceEvent {
      try directory.makeDirectory("\(path)/device")
      try write(event, to: "\(path)/device/uevent")
    }
    for mark in link.marks { try directory.makeDirectory("\(path)/\(mark)") }
  }

  package func write(_ text: String, to name: String) throws(SystemFailure) {
    try directory.write(text, to: name)
  }

  package func remove(_ name: String) throws(SystemFailure) {
    try checked("unlink \(name)", unlink(directory.path(name)))
  }

  /// A default route of IPv4.
  package static func everywhere(_ interface: String, metric: Int = 0) -> String {
    "\(interface)\t00000000\t0102000A\t0003\t0\t0\t\(metric)\t00000000\t0\t0\t0"
  }

  /// A default route of IPv6, its metric in hexadecimal.
  package static func everywhereIPv6(_ interface: String, metric: String = "00000400") -> String {
    let zeros = String(repeating: "0", count: 32)
    return "\(zeros) 00 \(zeros) 00 fd000000000000000000000000000001 \(metric) 00000002 00000000 00000003 \(interface)"
  }

  /// The kernel's IPv6 route for `lo`, and the rejecting route that ends its table.
  private static let ipv6OfLoopback: [String] = {
    let zeros = String(repeating: "0", count: 32)
    let one = String(repeating: "0", count: 31) + "1"
    return [
      "\(one) 80 \(zeros) 00 \(zeros) 00000000 00000004 00000000 80200001       lo",
      "\(zeros) 00 \(zeros) 00 \(zeros) ffffffff 00000001 00000000 00200200       lo",
    ]
  }()
}
