package import Platform

/// Content that is read while it is sent: its parts one after the other.
package struct StreamedContent: Equatable, Sendable {
  package enum Source: Equatable, Sendable {
    /// What stays open: standard input.
    case descriptor(Descriptor)
    case file(Path)
  }

  /// What is read by one transfer at a time, and mostly once.
  package final class Input: Equatable, @unchecked Sendable {
    package let source: Source
    /// In bytes, where the request says so: no more is sent, and with less it fails.
    fileprivate let length: Int64?
    /// How much has been read, in bytes.
    fileprivate var spent: Int64 = 0
    /// Where reading began in what can be read again.
    fileprivate var start: Int64?
    /// Whether it can be.
    fileprivate let isRepeatable: Bool

    package init(_ source: Source, length: Int64? = nil) {
      self.source = source
      self.length = length
      if case .descriptor(let descriptor) = source {
        isRepeatable = (try? descriptor.status().kind) == .regular
      } else {
        isRepeatable = false
      }
    }

    package static func == (one: Input, other: Input) -> Bool { one === other }
  }

  package enum Part: Equatable, Sendable {
    case bytes([UInt8])
    /// What stands in a file from an offset, in bytes; the place at which it is read otherwise counts for nothing.
    case section(of: Source, from: Int64, count: Int64)
    /// To its end, which mostly nobody knows before: the last part, if there is one.
    case rest(of: Input)

    /// The first `count` bytes of a file.
    package static func file(_ path: Path, count: Int64) -> Part { .section(of: .file(path), from: 0, count: count) }
  }

  package var parts: [Part]

  package init(_ parts: [Part] = []) {
    self.parts = parts
  }

  /// In bytes; `nil` where only the end tells.
  package var count: Int64? {
    var count: Int64 = 0
    for part in parts {
      switch part {
      case .bytes(let bytes): count += Int64(bytes.count)
      case .section(of: _, from: _, let size): count += size
      case .rest(let input):
        guard let length = input.length else { return nil }
        count += length
      }
    }
    return count
  }
}

extension OutgoingMessage.Content {
  /// Whether it can be read however often.
  package var isRepeatable: Bool { input?.isRepeatable ?? true }

  /// Whether it can be read from its beginning still, or again; to be asked while nobody reads it.
  package var canBeSent: Bool { input.map { $0.spent == 0 || $0.isRepeatable } ?? true }

  private var input: StreamedContent.Input? {
    guard case .streamed(let content) = self, case .rest(let input) = content.parts.last else { return nil }
    return input
  }
}

/// What comes next of the content of a message.
enum ContentPiece {
  case bytes(ArraySlice<UInt8>)
  /// `count` bytes of a file that is there to be read by whoever sends them, as long as it is open here.
  case part(of: Path, FileStatus, offset: Int64, count: Int)

  /// In bytes.
  var count: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .part(_, _, offset: _, let count): count
    }
  }
}

/// Reads content, piece by piece and from any place, for one message.
struct ContentReader {
  /// Open while it is read from: most pieces follow the one before.
  private final class OpenFile {
    let path: Path
    let descriptor: OwnedDescriptor

    /// A FIFO that nobody writes to yet is not waited for here.
    init(_ path: Path) throws(Errno) {
      self.path = path
      descriptor = try Descriptor.workingDirectory.open(path, [.readOnly, .nonBlocking])
    }
  }

  private let content: OutgoingMessage.Content
  private var file: OpenFile?
  /// Where the piece that was asked for last will come from: nothing was there yet.
  private(set) var awaited: Descriptor?

  init(_ content: OutgoingMessage.Content) {
    self.content = content
  }

  /// - Parameter longestPart: how much of a file may be left to whoever asks, in bytes; `nil` where they cannot
  ///   read it.
  /// - Returns: at most `count` bytes from `offset`: none where there are no more, fewer where it is easier so; or a
  ///   part; `nil` where there are none yet, and `awaited` is to be waited for.
  /// - Throws: `unreadableContent`, `contentSpent`.
  mutating func piece(
    at offset: Int64, count: Int, longestPart: Int?
  ) throws(TransportError) -> ContentPiece? {
    awaited = nil
    switch content {
    case .none: return .bytes([])
    case .bytes(let bytes): return .bytes(Self.piece(of: bytes, at: offset, count: count))
    case .streamed(let content): return try piece(of: content, at: offset, count: count, longestPart)
    }
  }

  private mutating func piece(
    of content: StreamedContent, at offset: Int64, count: Int, _ longestPart: Int?
  ) throws(TransportError) -> ContentPiece? {
    var start: Int64 = 0
    for part in content.parts {
      let inner = offset - start
      switch part {
      case .bytes(let bytes):
        if inner < bytes.count { return .bytes(Self.piece(of: bytes, at: inner, count: count)) }
        start += Int64(bytes.count)
      case .section(of: let source, from: let first, count: let size):
        if inner < size {
          let count = Int(min(Int64(longestPart ?? count), size - inner))
          return try piece(of: source, at: first + inner, count: count, isPart: longestPart != nil)
        }
        start += size
      case .rest(let input):
        return try rest(of: input, at: inner, count: count, longestPart)
      }
    }
    return .bytes([])
  }

  private static func piece(of bytes: [UInt8], at offset: Int64, count: Int) -> ArraySlice<UInt8> {
    bytes.dropFirst(Int(clamping: offset)).prefix(count)
  }

  private mutating func piece(
    of source: StreamedContent.Source, at offset: Int64, count: Int, isPart: Bool
  ) throws(TransportError) -> ContentPiece {
    let bytes: [UInt8]
    do throws(Errno) {
      let file = try opened(source)
      // Not by its own path, which may soon be another one's.
      if isPart { return .part(of: file.sharedPath, try file.status(), offset: offset, count: count) }
      bytes = try file.readBytes(limit: count, at: offset)
    } catch {
      throw .unreadableContent(name: source.name, reason: "\(error)")
    }
    // The length has been promised by now.
    guard bytes.count == count else {
      throw .unreadableContent(name: source.name, reason: "it has become shorter")
    }
    return .bytes(bytes[...])
  }

  private mutating func rest(
    of input: StreamedContent.Input, at offset: Int64, count: Int, _ longestPart: Int?
  ) throws(TransportError) -> ContentPiece? {
    guard offset == input.spent || input.isRepeatable else { throw .contentSpent }
    // Without a length, whatever comes.
    let rest = input.length.map { $0 - offset } ?? .max
    let bytes: [UInt8]
    var isLonger = false
    do throws(Errno) {
      let descriptor = try opened(input.source)
      if input.isRepeatable {
        if let part = try input.part(of: descriptor, at: offset, longestPart) { return part }
        if offset != input.spent { try descriptor.seek(to: input.place(of: offset, in: descriptor)) }
        input.spent = offset
      }
      guard try input.isReadable(descriptor) else {
        awaited = descriptor
        return nil
      }
      bytes = try descriptor.readAvailableBytes(limit: Int(min(Int64(count), rest)))
      input.spent += Int64(bytes.count)
      // Its end is not waited for: who writes it may be waiting for the answer.
      if bytes.count == rest, try input.isReadable(descriptor) {
        isLonger = try !descriptor.readAvailableBytes(limit: 1).isEmpty
      }
    } catch .interrupted {
      throw .interrupted
    } catch {
      throw .unreadableContent(name: input.source.name, reason: "\(error)")
    }
    if isLonger || (bytes.isEmpty && input.length != nil) {
      let word = isLonger ? "longer" : "shorter"
      throw .unreadableContent(name: input.source.name, reason: "it is \(word) than its Content-Length says")
    }
    return .bytes(bytes[...])
  }

  private mutating func opened(_ source: StreamedContent.Source) throws(Errno) -> Descriptor {
    switch source {
    case .descriptor(let descriptor): return descriptor
    case .file(let path):
      let open = if let file, file.path == path { file } else { try OpenFile(path) }
      file = open
      return open.descriptor.borrowed
    }
  }
}

extension StreamedContent.Input {
  /// Whether reading does not wait.
  fileprivate func isReadable(_ descriptor: Descriptor) throws(Errno) -> Bool {
    isRepeatable ? true : try descriptor.waitUntilReadable(milliseconds: 0)
  }

  /// What stands in it now, taken as read: whoever reads on in it finds what comes behind that.
  ///
  /// - Returns: `nil` where it is to be read here: at its end, which is further on where it grows meanwhile, and where
  ///   it has to end at its length.
  fileprivate func part(
    of descriptor: Descriptor, at offset: Int64, _ longestPart: Int?
  ) throws(Errno) -> ContentPiece? {
    let place = try place(of: offset, in: descriptor)
    guard let longestPart, length == nil else { return nil }
    let status = try descriptor.status()
    let count = min(Int64(longestPart), status.size - place)
    guard count > 0 else { return nil }
    try descriptor.seek(to: place + count)
    spent = offset + count
    return .part(of: descriptor.sharedPath, status, offset: place, count: Int(count))
  }

  /// Where content stands in a file that is read from where reading began.
  fileprivate func place(of offset: Int64, in descriptor: Descriptor) throws(Errno) -> Int64 {
    if let start { return start + offset }
    let start = try descriptor.position()
    self.start = start
    return start + offset
  }
}

extension StreamedContent.Source {
  fileprivate var name: String {
    switch self {
    case .descriptor: "standard input"
    case .file(let path): path.description
    }
  }
}
