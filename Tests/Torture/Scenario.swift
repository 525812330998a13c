import TestSupport

/// A run into which faults are injected: what is stored before it, what it requests, and what the origin answers.
struct Scenario: Sendable {
  /// The stage of a scenario at which a request comes.
  enum Stage: Sendable {
    case preparation
    /// The run into which a fault is injected, and those after it.
    case torture
  }

  /// A change of the entries that the preparation has stored.
  enum Tampering: Sendable {
    case none
    /// The entries were last used long ago.
    case aged
    /// An update was broken off at the end of each entry.
    case remains
    /// Each entry has a hard link in a backup.
    case linked
  }

  enum Kind: Sendable {
    /// Whatever happens to the store, the output must be that of a run without a store.
    case fetch
    /// When the command reports success, the entries that it was to remove must be gone.
    case removal
    /// When the command reports success, its output must be right.
    case printing
    /// Every line that is printed must be right; unreadable entries are passed over.
    case listing
    /// The output has figures of the readable entries, or of what was done. They may be smaller than without a fault.
    case counting
  }

  typealias Handler = @Sendable (ReceivedRequest, Stage) -> OriginAnswer

  let name: String
  var kind = Kind.fetch
  /// The arguments of the runs that fill the store. An argument that begins with a slash is a target at the origin.
  var preparation: [[String]] = []
  var tampering = Tampering.none
  /// The arguments of the run; `@out` stands for a file beside the store.
  let arguments: [String]
  /// The arguments of a further run, which must be right; `nil` for the same as before.
  var probe: [String]?
  /// Whether the run leaves a detached process behind.
  var isDetached = false
  /// Whether the number of calls that the run makes is random.
  var isRandom = false
  let answer: Handler
}

extension Scenario {
  static let all: [Scenario] = storing + fresheningAndVariants + parts + reuse + removal + capacity

  private static let fresh: Handler = { request, _ in Resource().answer(to: request) }

  /// Answers with a resource that is stale at the next request, and with `now` at that request.
  private static func becoming(_ now: Resource) -> Handler {
    { request, stage in (stage == .preparation ? Resource(cacheControl: "max-age=0") : now).answer(to: request) }
  }

  private static let storing = [
    Scenario(name: "store", arguments: ["/small"], answer: fresh),
    Scenario(name: "store-more", preparation: [["/small/other"]], arguments: ["/small"], answer: fresh),
    Scenario(name: "store-huge", preparation: [["/small"]], arguments: ["/huge"], answer: fresh),
    Scenario(name: "store-to-file", arguments: ["-o", "@out", "/large"], answer: fresh),
    Scenario(
      name: "replace", preparation: [["/small"]], arguments: ["/small"], answer: becoming(Resource(version: "2"))),
    Scenario(
      name: "replace-large", preparation: [["/large"]], arguments: ["-o", "@out", "/large"],
      answer: becoming(Resource(version: "2"))),
    Scenario(name: "credentials", arguments: ["-u", "me:secret", "/small"], answer: fresh),
    Scenario(
      name: "credentials-again", preparation: [["-u", "me:secret", "/small"]],
      arguments: ["-u", "me:secret", "/small"], answer: fresh),
    Scenario(
      name: "query", preparation: [["/small/other"]],
      arguments: ["-X", "QUERY", "-d", "secret=content", "/small"], answer: fresh),
    Scenario(name: "redirect", arguments: ["-L", "/small/old"]) { request, stage in
      guard request.resourcePath == "/small/old" else { return fresh(request, stage) }
      let fields = [
        ("Location", "/small/new"), ("Cache-Control", "max-age=3600"),
        ("ETag", Contents.tag(request.resourcePath, "1")),
      ]
      return .response(301, fields: fields, content: Contents.bytes(request.resourcePath, "1"))
    },
    Scenario(name: "two", arguments: ["/small/one", "/small/two"], answer: fresh),
  ]

  private static let fresheningAndVariants = [
    Scenario(name: "freshen", preparation: [["/small"]], arguments: ["/small"], answer: becoming(Resource())),
    Scenario(name: "freshen-large", preparation: [["/large"]], arguments: ["/large"], answer: becoming(Resource())),
    Scenario(
      name: "freshen-remains", preparation: [["/large"]], tampering: .remains, arguments: ["/large"],
      answer: becoming(Resource())),
    Scenario(
      name: "freshen-linked", preparation: [["/small"]], tampering: .linked, arguments: ["/small"],
      answer: becoming(Resource())),
    Scenario(
      name: "head", preparation: [["/small"]], arguments: ["-I", "-o", "/dev/null", "/small"], probe: ["/small"],
      answer: becoming(Resource())),
    Scenario(
      name: "variant", preparation: [["-H", "Accept: a/a", "/small"]], arguments: ["-H", "Accept: b/b", "/small"],
      answer: varying),
    Scenario(
      name: "variant-ninth", preparation: (1...8).map { ["-H", "Accept: a/\($0)", "/small"] },
      arguments: ["-H", "Accept: b/b", "/small"], answer: varying),
    Scenario(
      name: "variant-hit", preparation: [["-H", "Accept: a/a", "/small"], ["-H", "Accept: b/b", "/small"]],
      arguments: ["-H", "Accept: a/a", "/small"], answer: varying),
    Scenario(
      name: "variant-concealed", preparation: [["/small/other"]], arguments: ["-H", "Cookie: secret=cookie", "/small"]
    ) { request, _ in
      let version = request.has("Cookie") ? "cookie" : "none"
      return Resource(version: version, fields: [("Vary", "Cookie")]).answer(to: request)
    },
    Scenario(
      name: "variants-end", preparation: [["-H", "Accept: a/a", "/small"], ["-H", "Accept: b/b", "/small"]],
      arguments: ["-H", "Accept: c/c", "/small"]
    ) { request, stage in
      stage == .preparation ? varying(request, stage) : Resource(version: "plain").answer(to: request)
    },
  ]

  private static let varying: Handler = { request, _ in
    let version = String((request.value("Accept") ?? "").filter { $0.isLetter || $0.isNumber })
    return Resource(version: version, fields: [("Vary", "Accept")]).answer(to: request)
  }

  private static let parts = [
    Scenario(name: "partial", arguments: ["/large"], probe: ["/large"]) { request, _ in
      request.has("Range") ? Resource().answer(to: request) : Resource().half(to: request)
    },
    Scenario(name: "resume", preparation: [["/large"]], arguments: ["/large"], answer: half),
    Scenario(name: "resume-to-file", preparation: [["/large"]], arguments: ["-o", "@out", "/large"], answer: half),
    Scenario(name: "resume-replaced", preparation: [["/large"]], arguments: ["/large"]) { request, stage in
      stage == .preparation ? Resource().half(to: request) : Resource(version: "2").answer(to: request)
    },
    Scenario(
      name: "range", preparation: [["/large"]], arguments: ["-H", "Range: bytes=70000-140000", "/large"],
      answer: fresh),
    Scenario(name: "range-absent", arguments: ["-H", "Range: bytes=70000-140000", "/large"], answer: fresh),
    Scenario(
      name: "range-of-part", preparation: [["-H", "Range: bytes=0-140000", "/large"]],
      arguments: ["-H", "Range: bytes=50000-200000", "/large"],
      answer: fresh),
  ]

  private static let half: Handler = { request, stage in
    stage == .preparation ? Resource().half(to: request) : Resource().answer(to: request)
  }

  private static let reuse = [
    Scenario(name: "hit", preparation: [["/small"]], tampering: .aged, arguments: ["/small"], answer: fresh),
    Scenario(name: "hit-large", preparation: [["/large"]], tampering: .aged, arguments: ["/large"], answer: fresh),
    Scenario(
      name: "hit-to-file", preparation: [["/large"]], tampering: .aged, arguments: ["-o", "@out", "/large"],
      answer: fresh),
    Scenario(name: "hit-linked", preparation: [["/large"]], tampering: .linked, arguments: ["/large"], answer: fresh),
    Scenario(name: "stale-if-error", preparation: [["/small"]], arguments: ["/small"]) { request, stage in
      guard stage == .preparation else { return .disconnect }
      return Resource(cacheControl: "max-age=0, stale-if-error=3600").answer(to: request)
    },
    Scenario(name: "background", preparation: [["/small"]], arguments: ["/small"], isDetached: true) { request, stage in
      let lifetime = stage == .preparation ? "max-age=0, stale-while-revalidate=3600" : "max-age=3600"
      return Resource(version: stage == .preparation ? "1" : "2", cacheControl: lifetime).answer(to: request)
    },
  ]

  private static let removal = [
    Scenario(
      name: "invalidate", preparation: [["/small"]], arguments: ["-d", "secret=content", "/small"], probe: ["/small"]
    ) { request, _ in
      request.method == "POST" ? .response(204) : Resource().answer(to: request)
    },
    Scenario(
      name: "cache-groups", preparation: [["/small/a"], ["/small/b"]], arguments: ["-d", "secret=content", "/small/c"],
      probe: ["/small/a"]
    ) { request, _ in
      if request.method == "POST" { return .response(204, fields: [("Cache-Group-Invalidation", "\"group\"")]) }
      return Resource(fields: [("Cache-Groups", "\"group\"")]).answer(to: request)
    },
    Scenario(
      name: "rm", kind: .removal, preparation: [["/small"], ["/small/other"]], arguments: ["cache", "rm", "/small"],
      probe: ["/small"], answer: fresh),
    Scenario(
      name: "rm-all", kind: .removal, preparation: [["/small"], ["/large"]], arguments: ["cache", "rm", "--all"],
      probe: ["/small"], answer: fresh),
    Scenario(
      name: "ls", kind: .listing, preparation: [["/small"], ["/large"]], arguments: ["cache", "ls", "--null"],
      probe: ["/small"], answer: fresh),
    Scenario(
      name: "cat", kind: .printing, preparation: [["/large"]], arguments: ["cache", "cat", "/large"],
      probe: ["/large"], answer: fresh),
  ]

  private static let capacity = [
    Scenario(
      name: "evict", preparation: (1...6).map { ["/small/\($0)"] },
      arguments: ["--disk-capacity", "8K", "--max-object-size", "8K", "/small"], isRandom: true, answer: fresh),
    Scenario(
      name: "evict-variants", preparation: (1...6).map { ["-H", "Accept: a/\($0)", "/small"] },
      arguments: ["--disk-capacity", "8K", "--max-object-size", "8K", "-H", "Accept: b/b", "/small"],
      isRandom: true, answer: varying),
    Scenario(name: "durable", preparation: [["/small"]], arguments: ["--durable", "/large"], answer: fresh),
    Scenario(
      name: "prune", kind: .counting, preparation: (1...4).map { ["/small/\($0)"] },
      arguments: ["cache", "prune", "--max-size", "1K"], probe: ["/small/1"], answer: fresh),
    Scenario(
      name: "pin", kind: .printing, preparation: [["/small"]], arguments: ["cache", "pin", "/small"],
      probe: ["/small"], answer: fresh),
    Scenario(
      name: "stats", kind: .counting, preparation: [["/small"], ["/large"]], arguments: ["cache", "stats"],
      probe: ["/small"], answer: fresh),
  ]
}
