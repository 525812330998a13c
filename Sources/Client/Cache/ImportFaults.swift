import Archives
import CacheStore
import HTTPCaching
import HTTPSemantics

/// Why a response of an archive is not imported.
enum ImportRefusal: Error {
  case notStorable(NotStored, Method)
  /// Neither http nor https.
  case otherScheme
  /// The archive has requests, but not this response's, so that it is unknown what the response answers.
  case withoutRequest
  /// The response is missing or incomplete.
  case noResponse
  case noContent
  case restricted
  case older
  case alreadyStored
  /// The archive has another response for the same place in the store, and does not tell which requests select which.
  case placeTaken
  /// The record refers to content that is not found.
  case contentAbsent
  case tooLarge
  case full
  /// What is wrong with the record; completes "its ...".
  case damaged(String)

  /// The text that follows a number in the summary.
  var word: String {
    switch self {
    case .notStorable(.method, let method): Escaping.visible(method.name)
    case .notStorable(.requestBound, _): "bound to their requests"
    case .notStorable(.notModified, _): "304"
    case .notStorable(.partialContent, _): "partial"
    case .notStorable(let reason, _): reason.rawValue
    case .otherScheme: "not http or https"
    case .withoutRequest: "without their request"
    case .noResponse: "without a response"
    case .noContent: "without content"
    case .restricted: "private"
    case .older: "older than the stored response"
    case .alreadyStored: "already stored"
    case .placeTaken: "with another response in their place"
    case .contentAbsent: "without the content that they refer to"
    case .tooLarge: "too large"
    case .full: "without room in the cache"
    case .damaged: "damaged"
    }
  }
}

/// An error that ends the reading of a record.
enum RecordFault: Error {
  /// The record is not imported, and the next one is read.
  case refused(ImportRefusal)
  case fatal(ImportFault)
}

/// An error that ends the reading of an archive.
enum ImportFault: Error {
  case archive(ArchiveError)
  /// The store failed.
  case store(StoreError)
  case interrupted
}
