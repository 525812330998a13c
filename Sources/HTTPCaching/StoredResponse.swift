package import HTTPSemantics

/// A response as the cache keeps it: its head, what selected it, and when it came (RFC 9111 section 3).
package struct StoredResponse: Equatable, Sendable {
  private struct Parts: Equatable {
    var response: Response
    var requestMethod: Method
    var key: CacheKey
    var selecting: SelectingFields
    var requestTime: Timestamp
    var responseTime: Timestamp
    var contentLength: UInt64
    var extent: Extent
    var marks: Marks
    var isDoubtful: Bool
  }

  private final class Box: @unchecked Sendable {
    var parts: Parts

    init(_ parts: Parts) { self.parts = parts }
  }

  /// Copied before it is changed: what is stored is handed on by dozens, and changed by few.
  private var box: Box

  private var ownBox: Box {
    mutating get {
      if !isKnownUniquelyReferenced(&box) { box = Box(box.parts) }
      return box
    }
  }

  /// Status and the stored fields.
  package var response: Response {
    get { box.parts.response }
    set { ownBox.parts.response = newValue }
  }
  /// The method of the request that it answered: GET, or a POST whose answer stands for a GET's.
  package var requestMethod: Method {
    get { box.parts.requestMethod }
    set { ownBox.parts.requestMethod = newValue }
  }
  package var key: CacheKey {
    get { box.parts.key }
    set { ownBox.parts.key = newValue }
  }
  package var selecting: SelectingFields {
    get { box.parts.selecting }
    set { ownBox.parts.selecting = newValue }
  }
  /// When the request was made that brought the response, or that last validated it.
  package var requestTime: Timestamp {
    get { box.parts.requestTime }
    set { ownBox.parts.requestTime = newValue }
  }
  /// When the head of that answer arrived.
  package var responseTime: Timestamp {
    get { box.parts.responseTime }
    set { ownBox.parts.responseTime = newValue }
  }
  /// Bytes of the content as received, its content coding kept; of no account before that has come.
  package var contentLength: UInt64 {
    get { box.parts.contentLength }
    set { ownBox.parts.contentLength = newValue }
  }
  /// How much of the representation that content is.
  package var extent: Extent {
    get { box.parts.extent }
    set { ownBox.parts.extent = newValue }
  }
  package var marks: Marks {
    get { box.parts.marks }
    set { ownBox.parts.marks = newValue }
  }
  /// Set where the store found remains of an unfinished update: what the head says of its freshness may be out of date.
  package var isDoubtful: Bool {
    get { box.parts.isDoubtful }
    set { ownBox.parts.isDoubtful = newValue }
  }

  package init(
    _ response: Response, to requestMethod: Method = .get, under key: CacheKey,
    selecting: SelectingFields = .none, requestTime: Timestamp, responseTime: Timestamp, contentLength: UInt64 = 0,
    extent: Extent = .whole, marks: Marks = .none, isDoubtful: Bool = false
  ) {
    box = Box(
      Parts(
        response: response, requestMethod: requestMethod, key: key, selecting: selecting, requestTime: requestTime,
        responseTime: responseTime, contentLength: contentLength, extent: extent, marks: marks, isDoubtful: isDoubtful))
  }

  package static func == (one: StoredResponse, other: StoredResponse) -> Bool {
    one.box === other.box || one.box.parts == other.box.parts
  }

  /// Whether the content is the whole representation or a part of it (RFC 9111 section 3.3).
  ///
  /// A part has the head that the whole would have: status 200, no Content-Range.
  package enum Extent: Equatable, Sendable {
    case whole
    /// These bytes of a representation whose length may not be known.
    case part(Range<UInt64>, of: UInt64?)
  }

  package var isPinned: Bool { marks.isPinned }

  package var isPart: Bool { extent != .whole }

  /// The bytes of the representation that are there.
  package var heldBytes: Range<UInt64> {
    switch extent {
    case .whole: 0..<contentLength
    case .part(let range, of: _): range
    }
  }

  /// How many those are.
  var heldCount: UInt64 { heldBytes.upperBound - heldBytes.lowerBound }

  /// Whether so many bytes are all the content that is to be stored, as far as the head says: a 206 need not be as long
  /// as its Content-Range, where it has no Content-Length (RFC 9110 section 14.4).
  package func isComplete(with length: UInt64) -> Bool { length == announcedLength ?? length }

  /// How many bytes of content are going to come, where the head says so.
  package var announcedLength: UInt64? {
    if isPart { return heldCount }
    return response.status.mayHaveContent ? fields[.contentLength]?.decimal : 0
  }

  /// The length of the whole representation, where it is known.
  package var completeLength: UInt64? {
    switch extent {
    case .whole: contentLength
    case .part(_, of: let length): length
    }
  }

  package var fields: Fields { response.fields }
  package var cacheControl: CacheControl { CacheControl(of: response.fields) }

  /// Whether it is known what selects it: of an archive's response that varies it is not, and any request's fields do.
  package var isOfKnownVariant: Bool {
    !selecting.members.isEmpty || !fields.contains(.vary) || Vary(of: fields) == .names([])
  }

  /// "When more than one suitable response is stored, a cache MUST use the most recent one (as determined by the Date
  /// header field)" (RFC 9111 section 4); of one date, the one that came last.
  package func isPreferred(to other: StoredResponse?) -> Bool {
    guard let other else { return true }
    let date = fields.dateValue(receivedAt: responseTime)
    let otherDate = other.fields.dateValue(receivedAt: other.responseTime)
    return date == otherDate ? responseTime >= other.responseTime : date > otherDate
  }

  /// A new head of the content of another response, after a 304: with what is the content's to say.
  package func fitting(contentOf other: StoredResponse) -> StoredResponse {
    var stored = self
    (stored.key, stored.selecting) = (other.key, other.selecting)
    (stored.contentLength, stored.extent) = (other.contentLength, other.extent)
    return stored
  }

  /// Whether what another run has stored while this one was on its way is the more recent of the two, and stays.
  ///
  /// What comes from the future does not count, or nothing would take its place once the clock has been put back.
  ///
  /// - Parameter known: what a look-up had found before this one was asked for; `nil` where nobody has looked. Of one
  ///   second, times do not tell whether the other one was there.
  package func isOvertaken(by other: StoredResponse, over known: Selection?, at now: Timestamp) -> Bool {
    guard key == other.key, !isPart, !other.isPart, !other.isDoubtful, other.responseTime <= now else { return false }
    if requestTime == other.responseTime, known?.lacks(other) == true { return other.isPreferred(to: self) }
    return !isAskedFor(after: other) && !isPreferred(to: other)
  }

  /// Whether the other one was there when this one was asked for, and does not count, whatever its Date: that is what a
  /// reload is for.
  package func isAskedFor(after other: StoredResponse) -> Bool { requestTime >= other.responseTime }

  /// Whether the other one, which the request had selected, is outdated by this, its answer, and would be preferred to
  /// it still by its Date: where it is not replaced, because it is selected by other fields.
  package func outdates(_ other: StoredResponse) -> Bool {
    key == other.key && !isPart && !other.isPart && !replaces(other) && isAskedFor(after: other)
      && !isPreferred(to: other)
  }

  /// Whether the other one is a part, which is not kept beside this.
  package func takesPlace(ofPart other: StoredResponse) -> Bool { key == other.key && !isPart && other.isPart }

  /// Whether the other one is no longer stored when this one is: where both are selected by the same fields, or one of
  /// them answers whatever the fields are.
  package func replaces(_ other: StoredResponse) -> Bool {
    guard key == other.key, !isPart else { return false }
    return selecting == other.selecting || selecting.members.isEmpty || other.selecting.members.isEmpty
  }
}

/// What a look-up found for a request (RFC 9111 section 4.1).
package enum Selection: Equatable, Sendable {
  /// Nothing is stored for the URI.
  case uriMiss
  /// Something is, but nothing that the request's fields select.
  case varyMiss
  case selected(StoredResponse)

  package var stored: StoredResponse? {
    if case .selected(let stored) = self { stored } else { nil }
  }

  /// Whether a response was certainly not there when this was found: what other fields select may have been.
  fileprivate func lacks(_ other: StoredResponse) -> Bool {
    switch self {
    case .uriMiss: return true
    case .varyMiss: return false
    case .selected(var stored):
      // It may have been pinned since.
      stored.marks = other.marks
      return stored.selecting == other.selecting && stored != other
    }
  }

  /// Whether this counts where another place has found that; of two of the same time, this one.
  package func isPreferred(to other: Selection) -> Bool {
    switch (self, other) {
    case (.selected(let stored), .selected(let other)):
      // The whole is worth more than any part.
      stored.isPart == other.isPart ? stored.isPreferred(to: other) : other.isPart
    case (.selected, _): true
    case (_, .selected): false
    case (.varyMiss, _): true
    case (.uriMiss, _): other == .uriMiss
    }
  }
}
