import CJSON

/// Takes a JSON text apart while it comes, by yajl; nothing is held but the token that is being read.
///
/// The corresponding C function is `yajl_parse`.
final class JSONScanner {
  /// What a JSON text is made of; bytes are valid during the call only.
  enum Event {
    case beginObject
    case endObject
    case beginArray
    case endArray
    case key(UnsafeRawBufferPointer)
    case string(UnsafeRawBufferPointer)
    /// As it is spelt.
    case number(UnsafeRawBufferPointer)
    /// `true`, `false` or `null`.
    case literal
  }

  enum Fault: Error, Equatable {
    case malformed
    /// The handler has had enough.
    case stopped
  }

  private let handler: (Event) -> Bool
  /// Set before anything is read.
  private var parser: OpaquePointer?
  /// How many events there have been.
  private(set) var eventCount: UInt64 = 0

  /// - Parameter handler: answers whether to go on.
  init(_ handler: @escaping (Event) -> Bool) {
    self.handler = handler
    parser = yajl_alloc(Self.callbacks, nil, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    if let parser { yajl_free(parser) }
  }

  /// How much has been taken of what was fed last, in bytes; in a handler, up to its event.
  var takenBytes: Int { yajl_get_bytes_consumed(parser) }

  func feed(_ bytes: UnsafeRawBufferPointer) throws(Fault) {
    guard let text = bytes.baseAddress else { return }
    try check(yajl_parse(parser, text.assumingMemoryBound(to: UInt8.self), bytes.count))
  }

  /// Ends the text.
  func finish() throws(Fault) { try check(yajl_complete_parse(parser)) }

  private func check(_ status: yajl_status) throws(Fault) {
    switch status {
    case yajl_status_ok: return
    case yajl_status_client_canceled: throw .stopped
    default: throw .malformed
    }
  }

  private func handle(_ event: Event) -> Int32 {
    eventCount += 1
    return handler(event) ? 1 : 0
  }

  private static func scanner(_ context: UnsafeMutableRawPointer?) -> JSONScanner? {
    context.map { Unmanaged<JSONScanner>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func handle(_ context: UnsafeMutableRawPointer?, _ event: Event) -> Int32 {
    scanner(context)?.handle(event) ?? 0
  }

  /// yajl keeps the address: it is that of a value that lives as long as the program.
  nonisolated(unsafe) private static let callbacks: UnsafeMutablePointer<yajl_callbacks> = {
    let callbacks = UnsafeMutablePointer<yajl_callbacks>.allocate(capacity: 1)
    callbacks.initialize(
      to: yajl_callbacks(
        yajl_null: { handle($0, .literal) },
        yajl_boolean: { context, _ in handle(context, .literal) },
        yajl_integer: nil,
        yajl_double: nil,
        yajl_number: { handle($0, .number(UnsafeRawBufferPointer(start: $1, count: $2))) },
        yajl_string: { handle($0, .string(UnsafeRawBufferPointer(start: $1, count: $2))) },
        yajl_start_map: { handle($0, .beginObject) },
        yajl_map_key: { handle($0, .key(UnsafeRawBufferPointer(start: $1, count: $2))) },
        yajl_end_map: { handle($0, .endObject) },
        yajl_start_array: { handle($0, .beginArray) },
        yajl_end_array: { handle($0, .endArray) }))
    return callbacks
  }()
}
