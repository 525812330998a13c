import CacheStore
import HTTPCaching
import HTTPSemantics
import Interface

extension ExplainedRequest {
  var json: JSON {
    .object([
      ("url", .string(words(request.target))),
      ("method", .string(request.method.name)),
      ("key", .string(key.description(masked: !showsSecrets))),
      ("stored", .bool(selected != nil)),
      ("entry", selected.map(Self.entry) ?? .null),
      ("redirect_url", redirectTarget.map { .string(words($0)) } ?? .null),
      ("findings", .array(explanation.findings.map(Self.finding))),
      ("variants", .array(variants.map(Self.variant))),
      ("stored_for_others", .number(Int64(countForOthers))),
      (
        "damaged",
        .array(
          damaged.map { path, damage in
            .object([("path", .string(path)), ("damage", .string("\(damage)"))])
          })
      ),
      ("foreign", .array(inaccessible.filter { !$0.damage.isAccessDenied }.map { .string($0.path) })),
      ("unread", .array(inaccessible.filter(\.damage.isAccessDenied).map { .string($0.path) })),
      ("policies", .array(explanation.verdicts.map(verdict))),
    ])
  }

  private static func entry(_ variant: Variant) -> JSON {
    .object([
      ("path", .string(variant.path)),
      ("file_size", .number(variant.fileBytes)),
      ("status", .number(Int64(variant.stored.response.status.rawValue))),
      ("size", .number(Int64(clamping: variant.stored.contentLength))),
      ("stored_at", .string(InternetDate.format(variant.stored.responseTime))),
      ("used_at", .string(InternetDate.format(variant.usedAt))),
    ])
  }

  private static func finding(_ finding: Finding) -> JSON {
    let figures = finding.figures.map { figure -> (String, JSON) in
      switch figure.value {
      case .seconds(let seconds): (figure.name, .number(seconds))
      case .text(let text): (figure.name, .string(text))
      case .flag(let flag): (figure.name, .bool(flag))
      }
    }
    return .object([
      ("subject", .string(finding.subject.rawValue)), ("finding", .string(finding.sentence)),
      ("source", .string(finding.source)), ("figures", .object(figures)),
    ])
  }

  private static func variant(_ variant: Variant) -> JSON {
    let fields = variant.comparisons.map { comparison in
      JSON.object([
        ("name", .string(comparison.name.spelling)), ("stored", value(comparison.stored)),
        ("requested", comparison.requested.map(value) ?? .null), ("matches", .bool(comparison.isMatch)),
      ])
    }
    return .object([
      ("selected", .bool(variant.isSelected)), ("matches", .bool(variant.isMatch)),
      ("stored_at", .string(InternetDate.format(variant.stored.responseTime))), ("path", .string(variant.path)),
      ("fields", .array(fields)),
    ])
  }

  private static func value(_ value: SelectingFields.Value) -> JSON {
    if case .absent = value { .null } else { .string(value.words) }
  }

  private func verdict(_ verdict: PolicyVerdict) -> JSON {
    let fields = verdict.addedFields.map { JSON.array([.string($0.name.spelling), .string($0.value.text)]) }
    return .object([
      ("policy", .string(verdict.policy.rawValue)),
      ("action", .string(verdict.action.rawValue)),
      ("exit_status", verdict.action == .fail ? .number(Int64(ExitStatus.notCached.rawValue)) : .null),
      ("rule", .string(verdict.ruling.rule.rawValue)),
      ("finding", .string(sentence(of: verdict))),
      ("source", verdict.source.map(JSON.string) ?? .null),
      ("fwd", verdict.reason.map { .string($0.rawValue) } ?? .null),
      ("grant", verdict.grant.map { .string($0.rawValue) } ?? .null),
      ("status", verdict.madeStatus.map { .number(Int64($0.rawValue)) } ?? .null),
      ("added_fields", .array(fields)),
      ("on_error", verdict.ruling.decision.onError?.grant.map { .string($0.rawValue) } ?? .null),
    ])
  }
}
