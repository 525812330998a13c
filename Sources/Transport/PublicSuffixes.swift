import Platform

/// The domains below which anybody may register a name, by the list that browsers share
/// (https://publicsuffix.org/list/).
package enum PublicSuffixes {
  /// Why the list cannot be consulted.
  package struct Unknown: Error {
    package let reason: String
  }

  private static let program = NameProgram("garner-psl")

  /// - Parameter domain: the domain in ASCII and lower case.
  package static func contains(_ domain: String) throws(Unknown) -> Bool {
    // Names in the list have no period at the end.
    let name = domain.utf8.last == UInt8(ascii: ".") ? domain.utf8.dropLast() : domain.utf8[...]
    do throws(NameProgram.Unusable) {
      return try program.answer(to: Array(name)) != nil
    } catch {
      throw Unknown(reason: error.reason)
    }
  }
}
