import HTTPCaching
import HTTPSemantics
import Transport

/// `--dry-run`: what a fetch would do and send, found out by what `cache explain` knows. Nothing is sent, and the store
/// stays as it is.
extension CacheCommand {
  func rehearse(_ plan: FetchPlan, _ context: ProcessContext, _ diagnostics: Diagnostics) throws(Failure) {
    let cookies = CookieRecords(of: plan.transfers, context, diagnostics)
    let queue = plan.transfers
    while let planned = queue.next() {
      let transfer = try planned.plan.get()
      let explained = try explained(transfer, cookies[planned.group], diagnostics)
      try printer.write(explained.rehearsal(of: transfer, coloured: printer.usesColor, width: printer.terminalWidth))
    }
  }
}

extension ExplainedRequest {
  fileprivate func rehearsal(of plan: TransferPlan, coloured: Bool, width: Int) -> String {
    var text = ""
    for verdict in explanation.verdicts where verdict.policy == plan.policy {
      text += self.text(of: verdict, coloured: coloured, width: width)
      if plan.delivery.integrity != nil {
        text += "what is stored and has the digest that is asked for is served before that\n"
      }
      guard let request = verdict.ruling.decision.sent else {
        text += "nothing is sent\n"
        continue
      }
      let fields = plan.terms.keyRules.credentialFields
      for line in Self.lines(of: request, plan) {
        text += "> \(Escaping.visible(Masking.withoutSecret(Array(line.utf8)[...], fields)))\n"
      }
    }
    return text + "\n"
  }

  /// The head as HTTP/1.1 has it.
  private static func lines(of request: Request, _ plan: TransferPlan) -> [String] {
    var lines = ["\(request.method.name) \(request.target.pathAndQuery) HTTP/1.1"]
    if !request.fields.contains(.host) { lines.append("Host: \(request.target.origin.authority)") }
    for field in request.fields.lines {
      lines.append("\(field.name.spelling): \(field.value.text)")
    }
    switch plan.content {
    case .none: break
    case .bytes(let bytes): lines.append("Content-Length: \(bytes.count)")
    case .streamed(let stream):
      lines.append(stream.count.map { "Content-Length: \($0)" } ?? "Transfer-Encoding: chunked")
    }
    return lines
  }
}
