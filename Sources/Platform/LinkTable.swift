/// The network interfaces of this machine, as `sys/class/net` describes them.
struct LinkTable {
  enum State: Equatable {
    case up(LinkMedium)
    case down
    /// A bridge with nothing but virtual ends in it: it leads nowhere beyond this machine.
    case enclosed
  }

  private let root: Path

  init(root: Path) {
    self.root = root.appending("sys/class/net")
  }

  /// The length of `IFNAMSIZ`, without the NUL.
  private static let longestName = 15

  /// Whether an interface can have that name. Such a name cannot lead out of the directory of interfaces.
  static func isName(_ name: String) -> Bool {
    let bytes = name.utf8
    return (1...longestName).contains(bytes.count) && name != "." && name != ".."
      && bytes.allSatisfy { $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: "/") && $0 != 0x7f }
  }

  /// Returns the state of an interface. One that is not described counts as up and of unknown medium, because a route
  /// leads over it.
  func state(of name: String) -> State {
    guard let description = LinkDescription(name, in: root) else { return .up(.unknown) }
    if !description.isUp { return .down }
    return state(of: description, depth: 0)
  }

  /// A VLAN on a bond in a bridge is three levels deep; anything deeper than this limit is a loop.
  private static let greatestDepth = 8

  private func state(of link: LinkDescription, depth: Int) -> State {
    if let medium = link.medium { return .up(medium) }
    var media: Set<LinkMedium> = []
    if depth < Self.greatestDepth {
      for name in link.lowerLinks {
        guard let lower = LinkDescription(name, in: root), lower.isUp else { continue }
        if case .up(let medium) = state(of: lower, depth: depth + 1), medium != .unknown { media.insert(medium) }
      }
    }
    if media.isEmpty, link.isBridge { return .enclosed }
    return .up(media.count == 1 ? media.first ?? .unknown : .unknown)
  }
}

/// One directory of `sys/class/net`.
private struct LinkDescription {
  let isUp: Bool
  /// `nil` if the medium is that of the links below, or cannot be recognized.
  let medium: LinkMedium?
  let isBridge: Bool
  /// The names of the interfaces below this one: the ports of a bridge, the members of a bond, the link that a VLAN is
  /// on.
  let lowerLinks: [String]

  init?(_ name: String, in root: Path) {
    guard let path = Path(name), let directory = try? Directory(root.appending(path)) else { return nil }
    isUp = Self.isUp(directory)
    let kind = Self.value("DEVTYPE", in: directory, "uevent")
    isBridge = kind == "bridge"
    medium = Self.medium(directory, name, kind)
    lowerLinks = medium == nil ? Self.lowerLinks(directory) : []
  }

  /// The state that RFC 2863 defines; drivers that do not know it say "unknown", and then the flags count.
  private static func isUp(_ directory: borrowing Directory) -> Bool {
    switch text(directory, "operstate") {
    case "up": true
    case "unknown", nil: flags(directory) & flagUp != 0 && text(directory, "carrier") != "0"
    default: false
    }
  }

  /// `IFF_UP`.
  private static let flagUp: UInt32 = 1

  private static func flags(_ directory: borrowing Directory) -> UInt32 {
    guard let text = text(directory, "flags"), text.hasPrefix("0x") else { return flagUp }
    return UInt32(text.dropFirst(2), radix: 16) ?? flagUp
  }

  private static func medium(_ directory: borrowing Directory, _ name: String, _ kind: String?) -> LinkMedium? {
    // Modems come first: like those of a tunnel, their packets have no Ethernet header.
    if kind == "wwan" || hasMobileDevice(directory) || name.hasPrefix(mobileNamePrefix) { return .mobile }
    if kind == "wlan" || has(directory, "wireless") || has(directory, "phy80211") { return .wireless }
    let type = text(directory, "type").flatMap { Int($0) }
    if kind == "ppp" || type == typePPP { return .mobile }
    if kind == "wireguard" || has(directory, "tun_flags") || type.map(tunnelTypes.contains) == true { return .tunnel }
    // The medium of a Bluetooth link is that of whatever network the other device is in.
    if kind == "bluetooth" { return .unknown }
    return has(directory, "device") ? .wired : nil
  }

  /// The prefix of systemd's names for interfaces of modems, such as `wwan0`, and for no others.
  private static let mobileNamePrefix = "ww"

  // From linux/if_arp.h: PPP; packets without a link's header, IP in IP, IP in IPv6, IPv6 in IPv4, GRE, GRE over IPv6.
  private static let typePPP = 512
  private static let tunnelTypes = [65534, 768, 769, 776, 778, 823]

  private static func hasMobileDevice(_ directory: borrowing Directory) -> Bool {
    let kind = value("DEVTYPE", in: directory, "device/uevent")
    return kind == "wwan" || kind == "wwan_dev"
  }

  private static func lowerLinks(_ directory: borrowing Directory) -> [String] {
    guard let names = try? directory.names() else { return [] }
    return names.filter { $0.hasPrefix("lower_") }
      .map { String(decoding: $0.bytes.dropFirst("lower_".utf8.count), as: UTF8.self) }
      .filter(LinkTable.isName).sorted()
  }

  // MARK: Reading

  /// The kernel makes no attribute longer than a page.
  private static let longestAttribute = 4096

  private static func has(_ directory: borrowing Directory, _ name: Path) -> Bool {
    (try? directory.status(of: name, followingLinks: false)) != nil
  }

  /// Returns an attribute without its line feed; `nil` if there is none, or the kernel does not give its value now.
  private static func text(_ directory: borrowing Directory, _ name: Path) -> String? {
    guard let file = try? directory.open(name, [.readOnly, .nonBlocking]),
      let bytes = try? file.readBytes(limit: longestAttribute)
    else { return nil }
    return String(decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
  }

  /// The value of a line `KEY=value`.
  private static func value(_ key: String, in directory: borrowing Directory, _ name: Path) -> String? {
    let lines = text(directory, name)?.utf8.split(separator: UInt8(ascii: "\n")) ?? []
    let start = Array("\(key)=".utf8)
    return lines.first { $0.starts(with: start) }.map { String(decoding: $0.dropFirst(start.count), as: UTF8.self) }
  }
}
