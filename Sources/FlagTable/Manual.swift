/// A section of the manual, which a help topic prints as well.
package struct ManualSection: Equatable, Sendable {
  /// A word, a number or a name, with its meaning.
  package struct Term: Equatable, Sendable {
    package let term: String
    /// Markup, as in `Flag.details`.
    package let meaning: String

    package init(_ term: String, _ meaning: String) {
      self.term = term
      self.meaning = meaning
    }
  }

  package let title: String
  /// Markup, as in `Flag.details`.
  package let text: String
  package let terms: [Term]

  package init(_ title: String, _ text: String = "", terms: [Term] = []) {
    self.title = title
    self.text = text
    self.terms = terms
  }
}
