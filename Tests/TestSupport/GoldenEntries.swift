/// Entries as released versions wrote them. Entries are added here, but never changed.
package enum GoldenEntries {
  /// Version 1: a response, freshened once.
  package static let freshened = """
    iWdhcm5lcgoBAAEAAAAAADauwyK0BMUz/bPCtaBIXzAcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAJ
    KSMmykt6kWEgc21hbGwgYm9keSwga2VwdCBmb3IgZ29vZApL8tYIJun380hFQUSWAAAAAQUAAABo
    dHRwcwILAAAAZXhhbXBsZS5vcmcDAgAAALsBBAEAAAAvEAMAAABHRVQgAwAAAAvIACECAAAAT0si
    GgAAAAwAAABDb250ZW50LVR5cGV0ZXh0L3BsYWluIg0AAAAEAAAARVRhZyJvbmUiMAgAAAAXkDV3
    AAAAADEIAAAAGJA1dwAAAABACAAAAFD7lbHuxrs9y8gpKMsJMjBIRUFElgAAAAEFAAAAaHR0cHMC
    CwAAAGV4YW1wbGUub3JnAwIAAAC7AQQBAAAALxADAAAAR0VUIAMAAAALyAAhAgAAAE9LIhoAAAAM
    AAAAQ29udGVudC1UeXBldGV4dC9wbGFpbiINAAAABAAAAEVUYWcidHdvIjAIAAAAm5M1dwAAAAAx
    CAAAAJyTNXcAAAAAQAgAAABQ+5Wx7sa7PRoyaXhUcNtT
    """

  /// Version 1: bytes 5 to 26 of 100.
  package static let part = """
    iWdhcm5lcgoBAAMAAAAAAGEb/QRGKdqFNVhhBFYIar4WAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABj
    ZiGdKoIkNWEgcGFydCwga2VwdCBmb3IgZ29vZApl19Bvs9P/nkhFQUSrAAAAAQUAAABodHRwcwIL
    AAAAZXhhbXBsZS5vcmcDAgAAALsBBAEAAAAvEAMAAABHRVQgAwAAAAvIACECAAAAT0siGgAAAAwA
    AABDb250ZW50LVR5cGV0ZXh0L3BsYWluIg0AAAAEAAAARVRhZyJvbmUiMAgAAAAXkDV3AAAAADEI
    AAAAGJA1dwAAAABACAAAAAYI90CaJaNuQRAAAAAFAAAAAAAAAGQAAAAAAAAAR6MA0EZVZLo=
    """

  /// Version 1: a response of 140,000 bytes, which are three blocks, without its content: the bytes before the content
  /// and the bytes behind it.
  package static let large = """
    iWdhcm5lcgoBAAEAAAAAAGMPC4yrPcsUq39RoH7o9u3gIgIAAAAAAAAAAAAAAAAAAAAAAAAAAAAI
    5C9k6elAYFN8QVyOdy8NE7dsuG9JUIinCeXXK81znkhFQUSWAAAAAQUAAABodHRwcwILAAAAZXhh
    bXBsZS5vcmcDAgAAALsBBAEAAAAvEAMAAABHRVQgAwAAAAvIACECAAAAT0siGgAAAAwAAABDb250
    ZW50LVR5cGV0ZXh0L3BsYWluIg0AAAAEAAAARVRhZyJvbmUiMAgAAAAXkDV3AAAAADEIAAAAGJA1
    dwAAAABACAAAAAU3gikuLnhJG6RZ/WCL4xE=
    """

  /// The content of `large`: a byte of each number of Knuth's linear congruential generator.
  package static let largeContent: [UInt8] = {
    var state: UInt64 = 1
    return (0..<140_000).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 33)
    }
  }()
}
