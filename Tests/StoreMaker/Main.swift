import CacheStore
import Glibc
import HTTPCaching
import HTTPSemantics
import Platform

/// Fills a store with entries like those of real fetches, for measurements. The same seed makes the same store.
///
///     store-maker DIRECTORY COUNT [SEED]
///
/// Each entry is stored through `CacheStore` as in a fetch, from two threads.
@main
struct StoreMaker {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3, let root = Path(arguments[1]), let count = Int(arguments[2]) else {
      fail("usage: store-maker DIRECTORY COUNT [SEED]")
    }
    let seed = arguments.count > 3 ? UInt64(arguments[3]) ?? 1 : 1
    let store = Store(root: root, clock: .system, limits: StoreLimits(capacity: 1 << 50))
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<workers {
        group.addTask {
          for number in stride(from: worker, to: count, by: workers) {
            do { try insert(SampleEntry(number, seed: seed), into: store) } catch { fail("entry \(number): \(error)") }
          }
        }
      }
    }
  }

  /// The number of threads: the number of processors of the smallest machine that measures.
  private static let workers = 2

  private static func insert(_ entry: SampleEntry, into store: Store) throws {
    var writer = try store.beginInsertion(expecting: UInt64(entry.length))
    try writer.append(entry.content)
    _ = try writer.commit(entry.stored)
    var visit: StoreVisit?
    let found = store.lookup(entry.stored.key, for: [:], concealing: { _ in nil }, in: &visit)
    guard let place = found.path() else { return }
    // The last uses are spread over the last hundred days.
    let use = timespec(tv_sec: Int(entry.lastUseSeconds), tv_nsec: 0)
    let path = store.root.appending(place).description
    _ = withUnsafePointer(to: (use, use)) { times in
      times.withMemoryRebound(to: timespec.self, capacity: 2) { utimensat(AT_FDCWD, path, $0, 0) }
    }
  }

  private static func fail(_ text: String) -> Never {
    _ = Array("store-maker: \(text)\n".utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(1)
  }
}

extension Lookup {
  /// The path of the entry that was found, relative to the store's root.
  fileprivate consuming func path() -> Path? {
    takeContent()?.name.path
  }
}
