package import HTTPSemantics

/// A response as the cache stores it: its head, its key and selecting fields, and its times (RFC 9111 section 3).
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

  /// Copied before it is changed. Dozens of functions pass a stored response on, and few change it.
  private var box: Box

  private var ownBox: Box {
    mutating get {
      if !isKnownUniquelyReferenced(&box) { box = Box(box.parts) }
      return box
    }
  }

  /// The status and the stored fields.
  package var response: Response {
    get { box.parts.response }
    set { ownBox.parts.response = newValue }
  }
  /// The method of the request that the response answered: GET, QUERY, a POST that is a query, or a POST whose answer
  /// stands for a GET's.
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
  /// The time of the request that brought the response, or that last validated it.
  package var requestTime: Timestamp {
    get { box.parts.requestTime }
    set { ownBox.parts.requestTime = newValue }
  }
  /// The time at which the head of that request's answer arrived.
  package var responseTime: Timestamp {
    get { box.parts.responseTime }
    set { ownBox.parts.responseTime = newValue }
  }
  /// The number of content bytes as received, in their content coding. Means nothing before the content has come.
  package var contentLength: UInt64 {
    get { box.parts.contentLength }
    set { ownBox.parts.contentLength = newValue }
  }
  /// How much of the representation the content is.
  package var extent: Extent {
    get { box.parts.extent }
    set { ownBox.parts.extent = newValue }
  }
  package var marks: Marks {
    get { box.parts.marks }
    set { ownBox.parts.marks = newValue }
  }
  /// Whether the store found the remains of an unfinished update, so that the head's freshness may be out of date.
  package var isDoubtful: Bool {
    get { box.parts.isDoubtful }
    set { ownBox.parts.isDoubtful = newValue }
  }

  package init(
    _ response: Response, to requestMethod: Method = .get, under key: CacheKey,
    selecting: SelectingFields = .none, requestTime: Timestamp, responseTime: Timestamp, contentLength: UInt64 = 0,
    extent: Extent = .whole, marks: Marks = .none
  ) {
    box = Box(
      Parts(
        response: response, requestMethod: requestMethod, key: key, selecting: selecting, requestTime: requestTime,
        responseTime: responseTime, contentLength: contentLength, extent: extent, marks: marks, isDoubtful: false))
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

  /// The bytes of the representation that are stored.
  package var heldBytes: Range<UInt64> {
    switch extent {
    case .whole: 0..<contentLength
    case .part(let range, of: _): range
    }
  }

  /// Whether content of this length is complete, as far as the head says. A 206 without a Content-Length need not be as
  /// long as its Content-Range (RFC 9110 section 14.4).
  package func isComplete(with length: UInt64) -> Bool { length == announcedLength ?? length }

  /// The number of content bytes that are going to come, if the head states it.
  package var announcedLength: UInt64? {
    if isPart { return heldBytes.length }
    return response.status.mayHaveContent ? fields[.contentLength]?.decimal : 0
  }

  /// The length of the whole representation, if it is known.
  package var completeLength: UInt64? {
    switch extent {
    case .whole: contentLength
    case .part(_, of: let length): length
    }
  }

  package var fields: Fields { response.fields }
  package var cacheControl: CacheControl { CacheControl(of: response.fields) }

  /// Whether the fields that select the response are known. They are not for a response that varies and comes from an
  /// archive that does not tell them: any request's fields select it.
  package var isOfKnownVariant: Bool {
    !selecting.members.isEmpty || !fields.contains(.vary) || Vary(of: fields) == .names([])
  }

  /// Whether the response itself allows a cache to use it without validation: it is fresh, and its selecting fields are
  /// known. A request, or a policy, may demand more.
  ///
  /// - Parameters:
  ///   - freshness: the response's, for the request at hand.
  ///   - control: the response's directives, passed on because `cacheControl` parses them on each call.
  package func isUsableUnvalidated(_ freshness: Freshness, _ control: CacheControl) -> Bool {
    freshness.isFresh && !control.noCache && isOfKnownVariant
  }

  /// "When more than one suitable response is stored, a cache MUST use the most recent one (as determined by the Date
  /// header field)" (RFC 9111 section 4). If both have the same date, the one that was requested last is preferred, and
  /// in the same second the one that came last.
  package func isPreferred(to other: StoredResponse?) -> Bool {
    guard let other else { return true }
    let date = fields.dateValue(receivedAt: responseTime)
    let otherDate = other.fields.dateValue(receivedAt: other.responseTime)
    if date != otherDate { return date > otherDate }
    return requestTime == other.requestTime ? responseTime >= other.responseTime : requestTime > other.requestTime
  }

  /// Returns this response as a new head for another one's content, after a 304: with the key, the selecting fields and
  /// the extent of that content.
  package func fitting(contentOf other: StoredResponse) -> StoredResponse {
    var stored = self
    (stored.key, stored.selecting) = (other.key, other.selecting)
    (stored.contentLength, stored.extent) = (other.contentLength, other.extent)
    return stored
  }

  /// Whether the other response, which another run has stored while this one was on its way, is the more recent and
  /// stays.
  ///
  /// Of the answers to two requests that overlap, the one with the later Date may be the older one, because many
  /// origins write the Date when they send the head. So the response whose age is counted from the later time stays.
  /// "The most recent one (as determined by the Date header field)" is a choice among stored responses (RFC 9111
  /// section 4): which answers are stored is left to the cache.
  ///
  /// A response from the future does not count, or nothing would take its place once the clock has been set back.
  ///
  /// - Parameter known: the result of a look-up before this response was requested; `nil` if nobody looked. Within
  ///   one second, times do not tell whether the other response was there, and this does.
  package func isOvertaken(by other: StoredResponse, over known: Selection?, at now: Timestamp) -> Bool {
    guard key == other.key, !isPart, !other.isPart, !other.isDoubtful, other.responseTime <= now else { return false }
    let cameMeanwhile = known?.lacks(other) == true
    let wasThere = isAskedFor(after: other) && !(requestTime == other.responseTime && cameMeanwhile)
    if wasThere { return false }
    let (start, otherStart) = (startOfAge, other.startOfAge)
    if start != otherStart { return otherStart > start }
    if requestTime != other.requestTime { return other.requestTime > requestTime }
    return cameMeanwhile || other.responseTime < responseTime
  }

  /// The time from which the age of the response is counted (RFC 9111 section 4.2.3): that of the request, or an
  /// earlier one if Date or Age shows that a cache on the way had the response.
  private var startOfAge: Timestamp {
    responseTime.advanced(bySeconds: -Age(of: self, at: responseTime).correctedInitialAge)
  }

  /// Whether this response was requested after the other one had come. Then the other one does not count, whatever its
  /// Date: that is what a reload is for.
  package func isAskedFor(after other: StoredResponse) -> Bool { requestTime >= other.responseTime }

  /// Whether this response outdates the other one, which the request had selected, without replacing it, because other
  /// fields select that one. By its Date, the other one would still be preferred.
  package func outdates(_ other: StoredResponse) -> Bool {
    key == other.key && !isPart && !other.isPart && !replaces(other) && isAskedFor(after: other)
      && !isPreferred(to: other)
  }

  /// Whether the other response is a part, which is not kept beside this whole one.
  package func takesPlace(ofPart other: StoredResponse) -> Bool { key == other.key && !isPart && other.isPart }

  /// Whether the other response is no longer stored once this one is: the same fields select both, or one of them
  /// answers whatever the fields are.
  package func replaces(_ other: StoredResponse) -> Bool {
    guard key == other.key, !isPart else { return false }
    return selecting == other.selecting || selecting.members.isEmpty || other.selecting.members.isEmpty
  }
}

/// The result of a look-up for a request (RFC 9111 section 4.1).
package enum Selection: Equatable, Sendable {
  /// Nothing is stored for the URI.
  case uriMiss
  /// Something is stored for the URI, but the request's fields select none of it.
  case varyMiss
  case selected(StoredResponse)

  package var stored: StoredResponse? {
    if case .selected(let stored) = self { stored } else { nil }
  }

  /// Whether a response was certainly not stored at the time of this look-up. One that other fields select may have
  /// been.
  fileprivate func lacks(_ other: StoredResponse) -> Bool {
    switch self {
    case .uriMiss: return true
    case .varyMiss: return false
    case .selected(var stored):
      // It may have been pinned or tagged since.
      stored.marks = other.marks
      return stored.selecting == other.selecting && stored != other
    }
  }

  /// Whether this result is preferred to one that was found in another place; if both have the same time, it is.
  package func isPreferred(to other: Selection) -> Bool {
    switch (self, other) {
    case (.selected(let stored), .selected(let other)):
      // A whole response is worth more than any part.
      stored.isPart == other.isPart ? stored.isPreferred(to: other) : other.isPart
    case (.selected, _): true
    case (_, .selected): false
    case (.varyMiss, _): true
    case (.uriMiss, _): other == .uriMiss
    }
  }
}
