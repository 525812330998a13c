import CJSON

/// A streaming parser of JSON, by yajl. It holds nothing but the token that is being read.
///
/// The corresponding C function is `yajl_parse`.
final class JSONScanner {
  /// A piece of a JSON text. Its bytes are valid during the call of the handler only.
  enum Event {
    case beginObject
    case endObject
    case beginArray
    case endArray
    case key(UnsafeRawBufferPointer)
    case string(UnsafeRawBufferPointer)
    /// The number as it is written.
    case number(UnsafeRawBufferPointer)
    /// `true`, `false` or `null`.
    case literal
  }

  enum Fault: Error, Equatable {
    case malformed
    /// The handler returned `false`.
    case stopped
  }

  private let handler: (Event) -> Bool
  /// Set at the end of `init`, because yajl is given the address of `self`.
  private var parser: OpaquePointer?
  /// How many events the handler has been called with.
  private(set) var eventCount: UInt64 = 0

  /// - Parameter handler: returns whether to continue.
  init(_ handler: @escaping (Event) -> Bool) {
    self.handler = handler
    parser = yajl_alloc(Self.callbacks, nil, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    if let parser { yajl_free(parser) }
  }

  /// How many bytes of those that were fed last have been read: within the handler, up to the end of its event.
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

  /// Allocated once and never freed, because yajl keeps the address.
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
