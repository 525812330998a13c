import HTTPCaching
import HTTPSemantics
import Interface
import Transport

/// The option `--dry-run` of a fetch: tells what the fetch would do and send, by the means of `cache explain`. Nothing
/// is sent, and the store stays as it is.
extension CacheCommand {
  /// - Returns: the exit status of the first URL for which a fetch would do nothing but fail, or 0 without any.
  func printDryRun(of plan: FetchPlan, _ context: ProcessContext, _ diagnostics: Diagnostics) throws(Failure) -> Int32 {
    let records = OriginRecords(plan, context, diagnostics)
    let queue = plan.transfers
    // Of transfers in parallel, none counts as the last.
    let goOneByOne = plan.parallelLimit == 1 || queue.hasOneURL
    var firstStatus: Int32?
    while let planned = queue.next() {
      try Failure.throwIfInterrupted()
      let text: String
      do throws(Failure) {
        let transfer = try planned.plan.get()
        if planned.isListed { planned.noteSite(to: diagnostics) }
        let explained = try explained(
          transfer, records.cookies[planned.group], records.hosts.strictHosts, isLast: goOneByOne && planned.isLast,
          diagnostics)
        text = explained.dryRunText(of: transfer, coloured: printer.usesColor, width: printer.terminalWidth)
      } catch {
        switch error {
        // These concern the run, and not the URL alone.
        case .interrupted, .store: throw error
        default: TransferFailures.report(error, ofUnplanned: planned, to: diagnostics)
        }
        firstStatus = firstStatus ?? error.exitStatus
        if plan.endsEarly { break }
        continue
      }
      try printer.write(text)
    }
    return firstStatus ?? ExitStatus.success.rawValue
  }
}

extension ExplainedRequest {
  fileprivate func dryRunText(of plan: TransferPlan, coloured: Bool, width: Int) -> String {
    guard let verdict = verdict(under: plan.policy) else { return "" }
    var text: String
    let sent: Request?
    if let deviation = deviation(from: verdict) {
      text = self.text(
        of: deviation.action, under: plan.policy, because: deviation.reason, coloured: coloured, width: width)
      if let stored = deviation.served {
        text += sizeRefusal(of: stored.response, length: stored.contentLength, plan) ?? ""
      }
      sent = deviation.sent
    } else {
      text = self.text(of: verdict, coloured: coloured, width: width)
      text += sizeRefusal(of: verdict, plan) ?? digestText(of: verdict, plan)
      sent = verdict.ruling.decision.sent
    }
    guard let sent else { return text + "nothing is sent\n\n" }
    if Self.framing(of: sent, plan) == .chunked, plan.terms.options.version == .http10 {
      let status = ExitStatus.uploadFailed.rawValue
      return text + "nothing is sent, and the fetch fails with \(status): \(TransportError.chunksRefused)\n\n"
    }
    let fields = plan.terms.keyRules.credentialFields
    for line in Self.lines(of: sent, plan) {
      text += "> \(Escaping.visible(Masking.withoutSecret(Array(line.utf8)[...], of: .request, fields)))\n"
    }
    return text + "\n"
  }

  /// What a fetch does for a reason other than the ruling of its policy.
  private struct Deviation {
    let action: PolicyVerdict.Action
    let reason: String
    /// `nil` if nothing is sent.
    let sent: Request?
    /// The response that is served whole; `nil` if none is.
    var served: StoredResponse?
  }

  /// - Returns: `nil` if the fetch does what the policy rules.
  private func deviation(from verdict: PolicyVerdict) -> Deviation? {
    guard verdict.policy.servesByDigest, verdict.ruling.rule != .notStored else { return nil }
    if let match = digestMatch {
      let what = match.place == .ofURL ? "it" : "the stored response for \(words(of: match))"
      return Deviation(action: .serve, reason: "\(what) has the requested digest", sent: nil, served: match.stored)
    }
    if hasOtherDigest, verdict.policy.allowsNetwork, let anew = self.verdict(under: .reload) {
      return Deviation(
        action: anew.action, reason: "the stored response does not have the requested digest",
        sent: anew.ruling.decision.sent)
    }
    return nil
  }

  /// Returns how content that the policy serves is refused for its size; `nil` if it is not.
  private func sizeRefusal(of verdict: PolicyVerdict, _ plan: TransferPlan) -> String? {
    guard case .serve(let reuse) = verdict.ruling.decision, let range = reuse.contentRange(for: request.method) else {
      return nil
    }
    return sizeRefusal(of: reuse.head(isValidated: false), length: range.length, plan)
  }

  private func sizeRefusal(of head: Response, length: UInt64, _ plan: TransferPlan) -> String? {
    let delivery = plan.delivery
    // The content of a redirection that is followed is not delivered.
    guard let limit = delivery.maximumSize, length > limit, redirectTarget == nil else { return nil }
    let continuation = delivery.continuation(by: head, lengthIn416: nil)
    if case .other = continuation { return nil }
    guard delivery.use(of: head, continuation) == .delivered else { return nil }
    return "it is larger than \(Words.count(limit, "byte")), and is refused with \(ExitStatus.tooLarge.rawValue)\n"
  }

  /// Returns what a digest that the user expects may change about what the policy rules.
  private func digestText(of verdict: PolicyVerdict, _ plan: TransferPlan) -> String {
    var text = ""
    if hasOtherDigest, verdict.action == .serve {
      text += "it does not have the requested digest, and is refused with \(ExitStatus.digestMismatch.rawValue)\n"
    }
    if plan.delivery.integrity != nil, isCheckedAsDelivered(by: verdict) {
      let isFetchedAnew = plan.policy.allowsSending(CacheControl(of: request.fields))
      text += "if that does not have the requested digest, it is "
      text += isFetchedAnew ? "fetched anew\n" : "refused with \(ExitStatus.digestMismatch.rawValue)\n"
    }
    if let match = digestMatch, plan.policy.takesStoredOnError, verdict.ruling.rule != .notStored {
      text += "if the origin cannot be reached, the stored response for \(words(of: match)) is served by its digest\n"
    }
    return text
  }

  /// Returns whether the digest of the served content is unknown until the content is delivered.
  private func isCheckedAsDelivered(by verdict: PolicyVerdict) -> Bool {
    guard verdict.action == .serve, request.method == .get, !request.mayBeAnsweredByDigest else { return false }
    return verdict.madeStatus.map { $0 == 206 } ?? true
  }

  private func verdict(under policy: CachePolicy) -> PolicyVerdict? {
    for verdict in explanation.verdicts where verdict.policy == policy { return verdict }
    return nil
  }

  private func words(of match: DigestMatch) -> String { Escaping.visible(words(match.stored.key.target)) }

  /// Returns the head in the form of HTTP/1.1, without fields that are for a proxy or ask for another version.
  private static func lines(of request: Request, _ plan: TransferPlan) -> [String] {
    let version = plan.terms.options.version == .http10 ? "HTTP/1.0" : "HTTP/1.1"
    var lines = ["\(request.method.name) \(request.target.pathAndQuery) \(version)"]
    if !request.fields.contains(.host) { lines.append("Host: \(request.target.origin.authority)") }
    for field in request.fields.lines {
      lines.append("\(field.name.spelling):" + (field.value.bytes.isEmpty ? "" : " \(field.value.text)"))
    }
    switch framing(of: request, plan) {
    case .none: break
    case .length(let count): lines.append("Content-Length: \(count)")
    case .chunked: lines.append("Transfer-Encoding: chunked")
    }
    return lines
  }

  /// Returns the framing that is added to the fields of the request: none if the user has typed one.
  private static func framing(of request: Request, _ plan: TransferPlan) -> ContentFraming {
    // As with curl, no content is sent if only the head is asked for, whatever the method.
    if plan.terms.options.skipsContent { return .none }
    // "A sender MUST NOT send a Content-Length header field in any message that contains a Transfer-Encoding header
    // field" (RFC 9112 section 6.2).
    if request.fields.contains(.transferEncoding) || request.fields.contains(.contentLength) { return .none }
    return plan.content.framing(for: request.method)
  }
}
