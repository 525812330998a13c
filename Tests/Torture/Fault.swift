import Glibc

/// A call of the C library that a run makes on its store, as the preloaded library has counted it.
struct Call: Hashable, Sendable {
  /// From 1.
  let number: Int
  /// The name of the C function, and its use where that matters: `openat+create`.
  let name: String
  /// How many bytes the call is asked to move; 0 where it moves none.
  let byteCount: Int

  /// A line of the log: number, name, bytes.
  init?(logLine: Substring) {
    let words = logLine.split(separator: " ")
    guard words.count == 3, let number = Int(words[0]), let byteCount = Int(words[2]) else { return nil }
    self.number = number
    name = String(words[1])
    self.byteCount = byteCount
  }

  /// Whether a signal may interrupt the call, by POSIX, and the run must still end as if it had not.
  fileprivate var isInterruptible: Bool {
    ["open", "read", "pread", "write", "pwrite", "splice", "copy_file_range", "sendfile", "getrandom", "fsync"]
      .contains(name) || name.hasPrefix("openat") || ["fchmod", "ftruncate", "fcntl+lock"].contains(name)
  }

  /// Whether the call changes names that other processes see: its reply can be lost.
  fileprivate var changesNames: Bool {
    ["mkdirat", "unlinkat", "renameat", "renameat2", "linkat"].contains(name) || name.hasSuffix("+create")
  }
}

/// A fault that is injected at a call.
struct Fault: Hashable, Sendable {
  enum Kind: String, Sendable {
    case killBefore = "kill-before"
    case killAfter = "kill-after"
    /// The call fails and has done nothing.
    case fail
    /// The call fails, but has done what it should.
    case lost
    /// Half of the bytes are moved.
    case short
    /// One byte is moved.
    case byte
    case interrupt
  }

  let kind: Kind
  /// The error of the call, for `fail` and `lost`.
  var error: FaultError?
  /// Whether the fault meets every call from that one on.
  var isLasting = false

  /// The part of a case's name that describes the fault: `fail-ENOSPC-lasting`.
  var name: String {
    [kind.rawValue, error?.rawValue, isLasting ? "lasting" : nil].compactMap(\.self).joined(separator: "-")
  }

  /// The value of `GARNER_FAULT_PLAN` for the preloaded library.
  func plan(for call: Call) -> String {
    "\(call.number) \(kind.rawValue) \(error?.number ?? 0) \(isLasting ? 1 : 0)"
  }

  /// Whether the fault kills the process.
  var kills: Bool { kind == .killBefore || kind == .killAfter }

  /// Whether a run with the fault must look like one without it.
  func isHarmless(at call: Call) -> Bool {
    switch kind {
    case .killBefore, .killAfter, .fail, .lost: false
    // An update is appended with one write or not at all: a lasting fault may meet this write.
    case .short, .byte: call.name != "write" && !isLasting
    case .interrupt: call.isInterruptible && !isLasting
    }
  }

  /// All faults that a call can meet.
  static func all(at call: Call) -> [Fault] {
    var faults = [Fault(kind: .killBefore), Fault(kind: .killAfter)]
    for error in FaultError.allCases {
      faults += [Fault(kind: .fail, error: error), Fault(kind: .fail, error: error, isLasting: true)]
    }
    if call.changesNames { faults.append(Fault(kind: .lost, error: .inputOutput)) }
    if call.byteCount > 1 {
      faults += [Fault(kind: .short), Fault(kind: .short, isLasting: true), Fault(kind: .byte)]
    }
    return faults + [Fault(kind: .interrupt), Fault(kind: .interrupt, isLasting: true)]
  }
}

/// The errors that file systems and resource limits cause.
enum FaultError: String, CaseIterable, Sendable {
  case noSpace = "ENOSPC"
  case quotaExceeded = "EDQUOT"
  case inputOutput = "EIO"
  case readOnlyFileSystem = "EROFS"
  case accessDenied = "EACCES"
  case notPermitted = "EPERM"
  case tooManyFiles = "EMFILE"
  case tooManyFilesInSystem = "ENFILE"
  case noMemory = "ENOMEM"
  case noLocks = "ENOLCK"
  case staleHandle = "ESTALE"

  var number: Int32 {
    switch self {
    case .noSpace: ENOSPC
    case .quotaExceeded: EDQUOT
    case .inputOutput: EIO
    case .readOnlyFileSystem: EROFS
    case .accessDenied: EACCES
    case .notPermitted: EPERM
    case .tooManyFiles: EMFILE
    case .tooManyFilesInSystem: ENFILE
    case .noMemory: ENOMEM
    case .noLocks: ENOLCK
    case .staleHandle: ESTALE
    }
  }
}
