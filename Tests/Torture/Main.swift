import Glibc
import TestSupport

/// Injects faults into runs of the tool and looks for wrong answers: `make torture`.
@main
struct Main {
  static func main() {
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      useMemoryForFiles()
      let catalogue = try TortureCatalogue(try TortureWorker())
      let cases = catalogue.selected(by: options)
      if options.listsOnly {
        for one in cases { print(catalogue.name(of: one)) }
        return
      }
      exit(run(cases, of: catalogue, workers: options.workers) ? 0 : 1)
    } catch {
      fail("\(error)")
    }
  }

  /// Puts temporary files into `/dev/shm`, where it exists, so that no run waits for a disk.
  private static func useMemoryForFiles() {
    if getenv("TMPDIR") == nil, access("/dev/shm", W_OK) == 0 { setenv("TMPDIR", "/dev/shm", 1) }
  }

  private static func run(_ cases: [TortureCase], of catalogue: TortureCatalogue, workers: Int) -> Bool {
    let report = TortureReport(catalogue, total: cases.count)
    // A piece holds cases of one group, so that a worker rehearses a scenario seldom. Pieces are small enough to share
    // the work.
    let pieces = Monitor(pieces(of: cases, in: catalogue)[...])
    let living = Monitor(workers)
    for _ in 0..<workers {
      startThread {
        do {
          let worker = try TortureWorker()
          while let piece = pieces.withLock({ $0.popFirst() }) {
            for one in piece { report.note(one, try worker.run(one)) }
          }
        } catch {
          fail("\(error)")
        }
        living.withLock { $0 -= 1 }
      }
    }
    living.wait { $0 == 0 ? () : nil }
    return report.finish()
  }

  private static func pieces(of cases: [TortureCase], in catalogue: TortureCatalogue) -> [[TortureCase]] {
    let groups = Dictionary(grouping: cases) { catalogue.group(of: $0) }
    return groups.sorted { $0.key < $1.key }.flatMap { _, cases in
      stride(from: 0, to: cases.count, by: pieceCount).map { Array(cases[$0..<min($0 + pieceCount, cases.count)]) }
    }
  }

  private static let pieceCount = 250

  private static func fail(_ message: String) -> Never {
    _ = write(STDERR_FILENO, "torture: \(message)\n", message.utf8.count + 10)
    exit(2)
  }
}
