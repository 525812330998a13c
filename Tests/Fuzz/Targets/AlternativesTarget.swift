import HTTPSemantics

@testable import Client

extension FuzzTarget {
  /// The Alt-Svc field, and files of alternative services.
  static let alternatives = FuzzTarget("alternatives", longestInput: 512) { (bytes) throws(Violation) in
    var input = FuzzInput(bytes)
    if input.byte() == UInt8(ascii: "f") {
      let read = AlternativeFile.read(Array(input.rest))
      try require(AlternativeFile.read(AlternativeFile.write(read)) == read, "a file is written as another")
    } else {
      let fields = Fields([Field("Alt-Svc", FieldValue(Array(input.rest)))])
      let origin = AlternativeServices.Origin(host: "www.shop.example", port: 443)
      let head = Response(200, fields: fields)
      guard let offers = AlternativeServices.offered(by: head, from: origin, at: now) else { return }
      try require(offers.allSatisfy { $0.origin == origin }, "an origin speaks for another")
      let read = AlternativeFile.read(AlternativeFile.write(offers))
      try require(read.count == offers.count, "an offer does not fit its line")
      for (read, offer) in zip(read, offers) {
        try require(read.host == offer.host && read.port == offer.port, "an offer leads elsewhere when it is read")
        try require(read.expiry <= offer.expiry, "an offer outlives what was said")
      }
    }
  }

  private static let now = Timestamp(secondsSinceEpoch: 1_700_000_000)
}
