package import FlagTable

/// Conditions for stored responses, other than their URL. A response must meet all sorts of conditions that are given;
/// of several of one sort, one is enough.
package struct EntryFilters: Equatable, Sendable {
  package enum State: Equatable, Sendable {
    case fresh
    case stale
  }

  package var hosts: [HostPattern] = []
  package var states: [State] = []
  package var requiresPin = false
  package var tags: [TagPattern] = []
  package var statuses: [StatusPattern] = []
  package var types: [MediaTypePattern] = []
  /// Members of Cache-Groups (RFC 9875 section 2).
  package var groups: [ArgumentText] = []
  package var youngerThan: PastMoment?
  package var olderThan: PastMoment?
  package var unusedFor: Duration?
  /// The size of the content, in bytes.
  package var largerThan: Int64?

  package init() {}

  package var isEmpty: Bool { self == EntryFilters() }

  /// The conditions without those that `cache prune` takes for limits.
  package var withoutLimits: EntryFilters {
    var rest = self
    (rest.olderThan, rest.unusedFor, rest.largerThan) = (nil, nil, nil)
    rest.states = []
    return rest
  }
}
