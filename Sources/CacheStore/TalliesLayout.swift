import HTTPCaching

/// The places of the numbers in `v1/tallies`, counted in numbers of 8 bytes; docs/entry-format.md has the table.
enum TalliesLayout {
  /// `\x89garner\x0b`; a machine of the other byte order reads another number.
  static let magic: Int64 = 0x0b72_656e_7261_6789
  static let version: Int64 = 1

  static let magicIndex = 0
  static let versionIndex = 1
  /// The place of the file's count of numbers.
  static let countIndex = 2
  /// The shard that an eviction looks at next, modulo 256.
  static let cursorIndex = 3

  /// The numbers of requests, by their outcome.
  static let results = 16..<22

  static func index(of result: CacheResult) -> Int {
    switch result {
    case .hit: 16
    case .stale: 17
    case .validated: 18
    case .updated: 19
    case .miss: 20
    case .bypass: 21
    }
  }

  static let savedBytesIndex = 24

  /// Returns the index of a number of entries, which always follows the number of their bytes.
  static func entriesIndex(after bytesIndex: Int) -> Int { bytesIndex + 1 }

  /// For each `ContentCategory`: bytes, entries.
  static let categories = 32
  static let categoryNumbers = 2

  /// For each shard, as `ShardSlot`.
  static let shards = 64
  static let shardNumbers = 4
  static let shardCount = 256

  /// The numbers of a shard.
  enum ShardSlot {
    static let bytes = 0
    static let entries = 1
    /// 1 if bytes and entries have been counted.
    static let isKnown = 2
    /// As `ShardChanges`.
    static let changes = 3
  }

  /// For each host, as `HostSlot`.
  static let hosts = shards + shardCount * shardNumbers
  static let hostNumbers = 16
  static let maximumNameBytes = (hostNumbers - HostSlot.name) * 8

  /// The numbers of a host.
  enum HostSlot {
    static let hash = 0
    static let bytes = 1
    static let entries = 2
    static let hits = 3
    static let savedBytes = 4
    static let nameLength = 5
    /// The first number of the name, which takes all that follow.
    static let name = 6
  }

  /// More hosts than most people ever fetch from; together 128 KiB, of which a run touches a page.
  static let hostCount = 1_024
  /// Behind the last slot: the numbers of hosts that have found no slot, or whose name is too long.
  static let otherHosts = hosts + hostCount * hostNumbers
  /// How many slots are tried for a host, from the one that its hash names on.
  static let longestProbe = 16

  static let count = otherHosts + hostNumbers
  static let fileBytes = Int64(count * 8)

  static func category(_ category: ContentCategory) -> Int { categories + category.number * categoryNumbers }

  static func shard(_ number: UInt8) -> Int { shards + Int(number) * shardNumbers }

  /// - Parameter slot: less than `hostCount`, or `hostCount` itself for the other hosts.
  static func host(_ slot: Int) -> Int { hosts + slot * hostNumbers }
}
