import Archives
import CacheStore
import ContentCoding
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// Writes stored responses as entries of HAR.
final class HARExport {
  enum Fault: Error {
    case output(Errno)
    /// HAR holds content without its codings, and these cannot be undone.
    case coding(ContentCodingError)
  }

  private var writer: HARWriter

  init(_ output: ArchiveOutput) throws(Errno) {
    writer = HARWriter(output)
    try writer.begin(creator: "garner", version: ProgramVersion.number)
  }

  /// Reads all of the content, decoded as it is going to be written.
  ///
  /// - Returns: the number of decoded bytes.
  /// - Throws: the error that would break off the entry.
  static func check(_ content: borrowing StoredContent) throws(ContentFailure<Fault>) -> UInt64 {
    var count: UInt64 = 0
    try decode(content) { (bytes) throws(Errno) in count += UInt64(bytes.count) }
    return count
  }

  func write(
    _ exported: ExportedResponse, _ content: borrowing StoredContent
  ) throws(ContentFailure<Fault>) {
    let exchange = HARWriter.Exchange(
      exported.request, exported.response, startedAt: exported.requestTime, milliseconds: exported.milliseconds,
      receivedBytes: content.length, selectingNames: exported.selectingNames, isRestricted: exported.isRestricted)
    do throws(Errno) { try writer.begin(exchange) } catch { throw .sink(.output(error)) }
    try Self.decode(content) { (bytes) throws(Errno) in try writer.append(bytes) }
    do throws(Errno) { try writer.end(exchange) } catch { throw .sink(.output(error)) }
  }

  func end() throws(Errno) { try writer.end() }

  private static func decode(
    _ content: borrowing StoredContent, to sink: (UnsafeRawBufferPointer) throws(Errno) -> Void
  ) throws(ContentFailure<Fault>) {
    var decoder: ContentDecoder
    do throws(ContentCodingError) {
      decoder = try ContentDecoder(names: content.stored.fields.members(of: .contentEncoding))
    } catch {
      throw .sink(.coding(error))
    }
    try content.forEachVerifiedChunk { (bytes) throws(Fault) in
      var failure: Errno?
      do throws(ContentCodingError) {
        _ = try decoder.feed(bytes) { piece in
          do throws(Errno) { try sink(piece) } catch { failure = error }
          return failure == nil
        }
      } catch {
        throw .coding(error)
      }
      if let failure { throw .output(failure) }
    }
    do throws(ContentCodingError) { try decoder.finish() } catch { throw .sink(.coding(error)) }
  }
}
