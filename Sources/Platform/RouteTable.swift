/// A route that leads beyond this machine.
struct Route: Equatable {
  let interface: String
  /// In bits.
  let prefixLength: Int
  /// Routes with a lower metric are taken first.
  let metric: UInt32
}

/// The kernel's routes of both families: those of the main table for IPv4, those of all tables for IPv6.
struct RouteTable {
  /// The routes that lead to everywhere, in the order in which they are taken.
  private(set) var everywhere: [Route] = []
  /// The routes that lead to some nearby network, in the kernel's order.
  private(set) var nearby: [Route] = []
  /// Why routes may be missing here; `nil` if none are.
  private(set) var failure: Errno?

  /// Room for some 2,000 routes. The table of a host has dozens; that of a router in the Internet is not read as a
  /// whole.
  private static let longestTable = 256 << 10
  /// The longest prefix of a route to everywhere. A VPN covers all addresses with two routes, each to half of them, so
  /// that they take precedence over the default route.
  private static let everywherePrefixIPv4 = 1
  /// The same for IPv6. There a VPN covers the assigned addresses (2000::/3) or halves of them.
  private static let everywherePrefixIPv6 = 4

  init(root: Path) {
    do throws(Errno) {
      try read("proc/net/route", root, Route.init(ipv4:), everywhere: Self.everywherePrefixIPv4)
    } catch {
      failure = error
    }
    do throws(Errno) {
      try read("proc/net/ipv6_route", root, Route.init(ipv6:), everywhere: Self.everywherePrefixIPv6)
    } catch {
      // A kernel without IPv6 has no such table.
      if error != .noSuchFile { failure = failure ?? error }
    }
    everywhere.sort { one, other in
      let (isOneWhole, isOtherWhole) = (one.prefixLength == 0, other.prefixLength == 0)
      return isOneWhole == isOtherWhole ? one.metric < other.metric : isOtherWhole
    }
  }

  private mutating func read(
    _ path: Path, _ root: Path, _ parse: (ArraySlice<UInt8>) -> Route?, everywhere longestPrefix: Int
  ) throws(Errno) {
    let file = try Descriptor.workingDirectory.open(root.appending(path), .readOnly)
    let content = try file.readBytes(limit: Self.longestTable)
    var lines = content.split(separator: UInt8(ascii: "\n"))
    if content.count == Self.longestTable {
      failure = .fileTooLarge
      // The last line may be incomplete.
      _ = lines.popLast()
    }
    for line in lines {
      guard let route = parse(line) else { continue }
      if route.prefixLength <= longestPrefix { everywhere.append(route) } else { nearby.append(route) }
    }
  }
}

extension Route {
  // From linux/route.h and linux/ipv6_route.h.
  private static let isUp: UInt32 = 0x1
  private static let isRejecting: UInt32 = 0x200
  private static let isAnycast: UInt32 = 0x10_0000
  private static let isLocal: UInt32 = 0x8000_0000

  /// Reads `Iface Destination Gateway Flags RefCnt Use Metric Mask ...`. Addresses are hexadecimal numbers in the
  /// machine's byte order, the metric is decimal.
  init?(ipv4 line: ArraySlice<UInt8>) {
    let words = Self.words(line)
    guard words.count >= 8, let destination = UInt32(words[1], radix: 16), let flags = UInt32(words[3], radix: 16),
      let metric = UInt32(words[6]), let mask = UInt32(words[7], radix: 16)
    else { return nil }
    guard flags & Self.isUp != 0, flags & Self.isRejecting == 0 else { return nil }
    let address = UInt32(bigEndian: destination)
    let isBeyond = address >> 24 != 127 && address >> 16 != 0xa9fe && address >> 28 != 0xe
    guard isBeyond, Self.isInterface(words[0]) else { return nil }
    self.init(interface: words[0], prefixLength: mask.nonzeroBitCount, metric: metric)
  }

  /// Reads `destination length source length gateway metric references uses flags interface`, all numbers hexadecimal.
  init?(ipv6 line: ArraySlice<UInt8>) {
    let words = Self.words(line)
    guard words.count >= 10, let start = UInt16(words[0].prefix(4), radix: 16),
      let length = Int(words[1], radix: 16), let metric = UInt32(words[5], radix: 16),
      let flags = UInt32(words[8], radix: 16)
    else { return nil }
    guard flags & Self.isUp != 0, flags & (Self.isRejecting | Self.isAnycast | Self.isLocal) == 0 else { return nil }
    // Every interface that is up has routes for link-local addresses and for multicast.
    let isBeyond = length == 0 || (start & 0xffc0 != 0xfe80 && start & 0xff00 != 0xff00)
    guard isBeyond, Self.isInterface(words[9]) else { return nil }
    self.init(interface: words[9], prefixLength: length, metric: metric)
  }

  private static func words(_ line: ArraySlice<UInt8>) -> [String] {
    line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether a name can be that of a link beyond this machine; it becomes part of a path.
  private static func isInterface(_ name: String) -> Bool {
    name != "lo" && name != "*" && LinkTable.isName(name)
  }
}
