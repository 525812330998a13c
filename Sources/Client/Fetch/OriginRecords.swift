import HTTPSemantics

/// What origins have told a run to keep: cookies, and what hosts say about themselves.
struct OriginRecords {
  let cookies: GroupCookieRecords
  let hosts: HostRecords

  init(_ plan: FetchPlan, _ context: ProcessContext, _ diagnostics: Diagnostics) {
    cookies = GroupCookieRecords(of: plan.transfers, context, diagnostics)
    hosts = HostRecords(
      strictHosts: plan.strictHosts.map { StrictHostRecord($0, context, diagnostics) },
      alternatives: plan.alternatives.flatMap { AlternativeRecord($0, context, diagnostics) })
  }

  /// Writes the records that are to be kept in files.
  func finish(reporting report: (Failure) -> Void) {
    cookies.finish(reporting: report)
    hosts.finish()
  }
}

/// What hosts say about themselves over verified connections.
struct HostRecords {
  /// `nil` without `--hsts`: no host is then recorded as one to be asked over TLS only.
  let strictHosts: StrictHostRecord?
  /// `nil` if the alternatives that hosts offer are not kept.
  let alternatives: AlternativeRecord?

  func note(_ head: Response, from target: TargetURI) {
    strictHosts?.note(head, from: target)
    alternatives?.note(head, from: target)
  }

  func finish() {
    strictHosts?.finish()
    alternatives?.finish()
  }
}
