package import HTTPSemantics
import Platform

/// Host names with letters beyond ASCII, in the form that DNS, certificates and every rule about hosts compare:
/// A-labels (RFC 5890 section 2.3.2.1).
package enum HostNames {
  private static let program = NameProgram("garner-idn")

  /// Returns the A-labels of a name in UTF-8.
  ///
  /// - Throws: `malformedHost` for a name that has none, `hostNotMapped` if the program cannot be used.
  package static func ascii(_ name: [UInt8]) throws(URIError) -> [UInt8] {
    let labels: [UInt8]?
    do throws(NameProgram.Unusable) {
      labels = try program.answer(to: name)
    } catch {
      throw .hostNotMapped(reason: error.reason)
    }
    guard let labels else { throw .malformedHost }
    guard !labels.isEmpty else { throw .hostNotMapped(reason: "garner-idn cannot be used: it gives no answer") }
    return labels
  }
}
