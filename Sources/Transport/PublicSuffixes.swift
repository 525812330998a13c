import Platform

/// Domains below which anybody may register a name, as the list has them that browsers share
/// (https://publicsuffix.org/list/).
package enum PublicSuffixes {
  /// Why nothing can tell.
  package struct Unknown: Error {
    package let reason: String
  }

  private static let program = NameProgram("garner-psl")

  /// - Parameter domain: in ASCII, in lower case.
  package static func contains(_ domain: String) throws(Unknown) -> Bool {
    // The list knows no period at the end.
    let name = domain.utf8.last == UInt8(ascii: ".") ? domain.utf8.dropLast() : domain.utf8[...]
    do throws(NameProgram.Unusable) {
      return try program.answer(to: Array(name)) != nil
    } catch {
      throw Unknown(reason: error.reason)
    }
  }
}
