import Testing

/// A rule in one sentence, the subject that it is applied to, and the expected outcome.
package struct Row<Subject: Sendable, Outcome: Sendable>: Sendable, CustomTestStringConvertible {
  package let sentence: String
  package let subject: Subject
  package let outcome: Outcome

  package init(_ sentence: String, _ subject: Subject, _ outcome: Outcome) {
    self.sentence = sentence
    self.subject = subject
    self.outcome = outcome
  }

  package var testDescription: String { sentence }
}
