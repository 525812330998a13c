package import Platform

/// Content that is read while it is sent, one part after the other.
package struct StreamedContent: Equatable, Sendable {
  package enum Source: Equatable, Sendable {
    /// A descriptor that stays open: standard input.
    case descriptor(Descriptor)
    case file(Path)
  }

  /// A source that one transfer at a time reads, mostly only once.
  package final class Input: Equatable, @unchecked Sendable {
    package let source: Source
    /// The length in bytes that the request announces: no more is sent, and a shorter source is an error.
    fileprivate let length: Int64?
    /// The number of bytes that have been read.
    fileprivate var spent: Int64 = 0
    /// The position at which reading began, in a source that can be read again.
    fileprivate var start: Int64?
    /// Whether the source can be read again.
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
    /// `count` bytes of a file from an offset in bytes. The current position of a descriptor does not matter.
    case section(of: Source, from: Int64, count: Int64)
    /// Everything up to the end of the source, whose length is mostly unknown. It can only be the last part.
    case rest(of: Input)

    /// The first `count` bytes of a file.
    package static func file(_ path: Path, count: Int64) -> Part { .section(of: .file(path), from: 0, count: count) }
  }

  package var parts: [Part]

  package init(_ parts: [Part] = []) {
    self.parts = parts
  }

  /// The length in bytes; `nil` if only the end of the content shows it.
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
  /// Whether the content can be read any number of times.
  package var isRepeatable: Bool { input?.isRepeatable ?? true }

  /// Whether the content can be read from its beginning, for the first time or again. Ask this while nobody reads it.
  package var canBeSent: Bool { input.map { $0.spent == 0 || $0.isRepeatable } ?? true }

  private var input: StreamedContent.Input? {
    guard case .streamed(let content) = self, case .rest(let input) = content.parts.last else { return nil }
    return input
  }
}

/// The next piece of a message's content.
enum ContentPiece {
  case bytes(ArraySlice<UInt8>)
  /// `count` bytes of a file that the program can read itself, as long as the file is open here.
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
  /// A file that is kept open, because most pieces follow the one before.
  private final class OpenFile {
    let path: Path
    let descriptor: OwnedDescriptor

    /// Opens without waiting for a FIFO that nobody writes to yet.
    init(_ path: Path) throws(Errno) {
      self.path = path
      descriptor = try Descriptor.workingDirectory.open(path, [.readOnly, .nonBlocking])
    }
  }

  private let content: OutgoingMessage.Content
  private var file: OpenFile?
  /// The descriptor that the last requested piece will come from, if nothing was there yet.
  private(set) var awaited: Descriptor?

  init(_ content: OutgoingMessage.Content) {
    self.content = content
  }

  /// - Parameter longestPart: the longest part of a file, in bytes, that the program may read itself; `nil` if it
  ///   cannot read files.
  /// - Returns: at most `count` bytes from `offset`, none at the end of the content, and fewer if that is easier; or a
  ///   part of a file. `nil` means that there are none yet: wait for `awaited`.
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
      let file = try open(source)
      // Not by its own path, which may soon lead to another file.
      if isPart { return .part(of: file.sharedPath, try file.status(), offset: offset, count: count) }
      bytes = try file.readBytes(limit: count, at: offset)
    } catch {
      throw .unreadableContent(name: source.name, reason: "\(error)")
    }
    // The length has been announced already.
    guard bytes.count == count else {
      throw .unreadableContent(name: source.name, reason: "it has become shorter")
    }
    return .bytes(bytes[...])
  }

  private mutating func rest(
    of input: StreamedContent.Input, at offset: Int64, count: Int, _ longestPart: Int?
  ) throws(TransportError) -> ContentPiece? {
    guard offset == input.spent || input.isRepeatable else { throw .contentSpent }
    // Without a length, there is no bound.
    let rest = input.length.map { $0 - offset } ?? .max
    let bytes: [UInt8]
    var isLonger = false
    do throws(Errno) {
      let descriptor = try open(input.source)
      if input.isRepeatable {
        if let part = try input.part(of: descriptor, at: offset, longestPart) { return part }
        if offset != input.spent { try descriptor.seek(to: input.position(of: offset, in: descriptor)) }
        input.spent = offset
      }
      guard try input.isReadable(descriptor) else {
        awaited = descriptor
        return nil
      }
      bytes = try descriptor.readAvailableBytes(limit: Int(min(Int64(count), rest)))
      input.spent += Int64(bytes.count)
      // The end of the input is not waited for, because its writer may be waiting for the response.
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

  private mutating func open(_ source: StreamedContent.Source) throws(Errno) -> Descriptor {
    switch source {
    case .descriptor(let descriptor): return descriptor
    case .file(let path):
      let openFile = if let file, file.path == path { file } else { try OpenFile(path) }
      file = openFile
      return openFile.descriptor.borrowed
    }
  }
}

extension StreamedContent.Input {
  /// Whether reading does not block.
  fileprivate func isReadable(_ descriptor: Descriptor) throws(Errno) -> Bool {
    isRepeatable ? true : try descriptor.waitUntilReadable(milliseconds: 0)
  }

  /// Returns a part of the file as it stands now, and moves the position behind it, so that other readers of the
  /// descriptor go on there.
  ///
  /// - Returns: `nil` if the bytes are to be read here: at the end of the file, which moves if the file grows, or if
  ///   the content has a length at which it must end.
  fileprivate func part(
    of descriptor: Descriptor, at offset: Int64, _ longestPart: Int?
  ) throws(Errno) -> ContentPiece? {
    let position = try position(of: offset, in: descriptor)
    guard let longestPart, length == nil else { return nil }
    let status = try descriptor.status()
    let count = min(Int64(longestPart), status.size - position)
    guard count > 0 else { return nil }
    try descriptor.seek(to: position + count)
    spent = offset + count
    return .part(of: descriptor.sharedPath, status, offset: position, count: Int(count))
  }

  /// Returns the position in the file of an offset in the content, which begins where reading began.
  fileprivate func position(of offset: Int64, in descriptor: Descriptor) throws(Errno) -> Int64 {
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
