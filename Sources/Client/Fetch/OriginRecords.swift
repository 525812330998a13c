import HTTPSemantics

/// What origins have set, as a run knows it.
struct OriginRecords {
  let cookies: CookieRecords
  let hosts: HostRecords

  init(_ plan: FetchPlan, _ context: ProcessContext, _ diagnostics: Diagnostics) {
    cookies = CookieRecords(of: plan.transfers, context, diagnostics)
    hosts = HostRecords(
      strictHosts: plan.strictHosts.map { StrictHostRecord($0, context, diagnostics) },
      alternatives: plan.alternatives.flatMap { AlternativeRecord($0, context, diagnostics) })
  }

  /// Writes those that are to be written.
  func finish(reporting report: (Failure) -> Void) {
    cookies.finish(reporting: report)
    hosts.finish()
  }
}

/// What hosts say of themselves, over connections that are verified.
struct HostRecords {
  /// `nil` where no host says of itself that it is asked over TLS only.
  var strictHosts: StrictHostRecord?
  /// `nil` where nothing is kept of what they offer.
  var alternatives: AlternativeRecord?

  func note(_ head: Response, from target: TargetURI) {
    strictHosts?.note(head, from: target)
    alternatives?.note(head, from: target)
  }

  func finish() {
    strictHosts?.finish()
    alternatives?.finish()
  }
}
