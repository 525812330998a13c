/// What origins have set, as a run knows it.
struct OriginRecords {
  let cookies: CookieRecords
  /// `nil` where no host says of itself that it is asked over TLS only.
  let strictHosts: StrictHostRecord?

  init(_ plan: FetchPlan, _ context: ProcessContext, _ diagnostics: Diagnostics) {
    cookies = CookieRecords(of: plan.transfers, context, diagnostics)
    strictHosts = plan.strictHosts.map { StrictHostRecord($0, context, diagnostics) }
  }

  /// Writes those that are to be written.
  func finish(reporting report: (Failure) -> Void) {
    cookies.finish(reporting: report)
    strictHosts?.finish()
  }
}
