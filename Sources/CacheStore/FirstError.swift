/// The first error of several steps, all of which are tried whatever becomes of the others.
struct FirstError<Failure: Error> {
  private var error: Failure?

  mutating func attempt(_ body: () throws(Failure) -> Void) {
    do throws(Failure) { try body() } catch { note(error) }
  }

  mutating func note(_ error: Failure) {
    if self.error == nil { self.error = error }
  }

  /// To be called when everything has been tried.
  func throwIfAny() throws(Failure) {
    if let error { throw error }
  }
}
