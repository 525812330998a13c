import CacheStore
import HTTPCaching
import HTTPSemantics
import Interface

extension ExplainedRequest {
  /// Returns the explanation for people. It is the same in a pipe as on a terminal, except for colours and line breaks.
  ///
  /// - Parameter width: the width of the lines, in columns.
  func text(coloured: Bool, width: Int) -> String {
    var sections = [storedRows, findingRows]
    if variants.contains(where: { !$0.comparisons.isEmpty }) { sections.append(variantRows) }
    sections.append(explanation.verdicts.flatMap { rows(of: $0, coloured: coloured) })
    return text(of: sections, width)
  }

  /// Returns what one policy does with the request, and why.
  func text(of verdict: PolicyVerdict, coloured: Bool, width: Int) -> String {
    text(of: [storedRows, findingRows, rows(of: verdict, coloured: coloured)], width)
  }

  /// Returns what a policy does with the request for a reason other than its ruling, such as a digest.
  func text(
    of action: PolicyVerdict.Action, under policy: CachePolicy, because reason: String, coloured: Bool, width: Int
  ) -> String {
    let row = (name: policy.rawValue, value: "\(Self.painted(action, coloured)): \(reason)")
    return text(of: [storedRows, findingRows, [row]], width)
  }

  private func text(of sections: [[Row]], _ width: Int) -> String {
    let indent = "\n" + Words.spaces(Self.nameWidth)
    let texts = sections.filter { !$0.isEmpty }.map { rows in
      rows.map { name, value in
        let lines = Self.wrapped(value, to: max(Self.narrowest, width - Self.nameWidth))
        return Words.left(name, Self.nameWidth) + lines.joined(separator: indent) + "\n"
      }.joined()
    }
    return "\(request.method.name) \(Escaping.visible(words(request.target)))\n\n" + texts.joined(separator: "\n")
  }

  /// The width of the longest name of a policy, and space.
  private static let nameWidth = 19

  /// The least columns for values: fewer would hold single words.
  private static let narrowest = 30

  /// Breaks a text into lines of at most `width` columns, unless a single word is longer. Colours take no columns.
  static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var length = 0
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let count = TerminalColor.columns(of: word)
      if !lines.isEmpty, length < width, count < width - length {
        lines[lines.count - 1] += " " + word
        length += 1 + count
      } else {
        lines.append(String(word))
        length = count
      }
    }
    return lines
  }

  private typealias Row = (name: String, value: String)

  private var storedRows: [Row] {
    var rows: [Row] = []
    if let selected {
      let stored = selected.stored
      rows = [
        ("status", stored.response.status.description),
        ("size", Words.count(stored.contentLength, "byte")),
        ("stored at", InternetDate.format(stored.responseTime)),
        ("used", InternetDate.format(selected.usedAt)),
        ("file", "\(Escaping.visible(selected.path)) (\(selected.fileBytes) bytes)"),
      ]
    }
    if let redirectTarget {
      rows.append(("leads to", "\(Escaping.visible(words(redirectTarget))), which is a separate request"))
    }
    if case .target = key.primary {
    } else {
      rows.append(("key", Escaping.visible(key.description(masked: !showsSecrets))))
    }
    if key.audience != nil { rows.append(("for", "requests with these credentials, trust or partition")) }
    if countForOthers > 0 {
      let count = Words.count(countForOthers, "response is", "responses are")
      rows.append(("others", "\(count) stored for the URL under other keys"))
    }
    for (path, damage) in damaged { rows.append(("damaged", "\(Escaping.visible(path)): \(damage)")) }
    for (path, damage) in inaccessible {
      rows.append((damage.isAccessDenied ? "unread" : "foreign", "\(Escaping.visible(path)): \(damage)"))
    }
    return rows
  }

  private var findingRows: [Row] {
    explanation.findings.map { finding in
      (finding.subject.rawValue, Escaping.visible(finding.sentence) + Self.bracketed(finding.source))
    }
  }

  private var variantRows: [Row] {
    variants.map { variant in
      let words = variant.comparisons.map { comparison in
        let stored = "\(comparison.name): \(comparison.stored.words)"
        if comparison.isMatch { return "\(stored), as in the request" }
        guard let requested = comparison.requested else { return "\(stored), not comparable with the request's" }
        return "\(stored), but in the request \(requested.words)"
      }
      let name = variant.isSelected ? "variant, selected" : variant.isMatch ? "variant, matching" : "variant"
      return (name, Escaping.visible(words.joined(separator: "; ")) + Self.bracketed("RFC 9111 section 4.1"))
    }
  }

  // MARK: Policies

  private func rows(of verdict: PolicyVerdict, coloured: Bool) -> [Row] {
    var text = Self.painted(verdict.action, coloured)
    if verdict.action == .fail { text += " with \(ExitStatus.notCached.rawValue)" }
    if let status = verdict.madeStatus { text += " as \(status)" }
    if let grant = verdict.grant { text += " (\(grant.rawValue))" }
    text += ": \(sentence(of: verdict))"
    if case .serve(let reuse) = verdict.ruling.decision, !reuse.freshness.isFresh {
      text += ", \(reuse.freshness.staleWords)"
    }
    if verdict.action == .fail {
      text += verdict.policy.allowsNetwork ? ", and only-if-cached forbids sending" : ", and nothing is sent"
    }
    var rows = [(name: verdict.policy.rawValue, value: text + (verdict.source.map(Self.bracketed) ?? ""))]
    if !verdict.addedFields.isEmpty {
      let fields = verdict.addedFields.map { "\($0.name.spelling): \($0.value.text)" }
      rows.append(("", Escaping.visible("sending " + fields.joined(separator: ", "))))
    }
    if verdict.grant == .staleWhileRevalidate { rows.append(("", "and validated in the background afterwards")) }
    if let reuse = verdict.ruling.decision.onError, let grant = reuse.grant {
      let how = reuse.freshness.isFresh ? "served" : "served stale"
      rows.append(("", "\(Self.errorWords(grant)), \(how) (\(grant.rawValue))"))
    }
    return rows
  }

  /// A clause that states what the deciding rule found.
  func sentence(of verdict: PolicyVerdict) -> String {
    let sentence = verdict.ruling.rule.sentence
    guard verdict.ruling.rule == .notStored, let bypassReason else { return sentence }
    return "\(sentence): \(bypassReason.sentence)"
  }

  private static func errorWords(_ grant: StaleGrant) -> String {
    grant == .disconnected
      ? "if the origin cannot be reached"
      : "if the origin fails, or answers 500, 502, 503 or 504"
  }

  private static func painted(_ action: PolicyVerdict.Action, _ coloured: Bool) -> String {
    guard coloured else { return action.rawValue }
    let color: TerminalColor =
      switch action {
      case .serve: .green
      case .validate, .complete: .cyan
      case .forward: .yellow
      case .fail: .red
      }
    return color.painting(action.rawValue)
  }

  private static func bracketed(_ source: String) -> String { " [\(source)]" }
}
