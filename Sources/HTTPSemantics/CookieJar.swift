/// The cookies of a run (RFC 6265 sections 5.3 and 5.4).
package struct CookieJar: Sendable {
  /// The longest Cookie field of a request, in bytes. No server takes more.
  private static let longestField = 8190
  /// The number of cookies to keep: as many as "general-use user agents" ought to keep at least (RFC 6265 section
  /// 6.1).
  static let maximumCookies = 3000
  /// The number of cookies to keep of one domain (ibid.).
  static let maximumPerDomain = 50

  private struct Kept {
    var cookie: Cookie
    /// The position of the cookie in the order in which they were made.
    let number: Int
    /// When the cookie was last set or sent, in the same count.
    var lastAccess: Int
  }

  /// The cookies of each domain by their names. A request has one host, and a file has the cookies of many.
  private var domains: [String: [[UInt8]: [Kept]]] = [:]
  private var count = 0
  /// The number of times that cookies have been made, set anew or sent.
  private var accesses = 0

  package init() {}

  /// All cookies, in no order.
  private var all: [Kept] { domains.values.flatMap { $0.values.joined() } }

  /// All cookies, in the order in which they were made.
  package var cookies: [Cookie] { all.ordered { $0.number < $1.number }.map(\.cookie) }

  /// Keeps a cookie, in place of one that it replaces. A cookie that has expired only removes that one. A cookie that
  /// an origin has set in this run stays, whatever a file says that is read later.
  package mutating func keep(_ cookie: Cookie, at now: Timestamp) {
    let named = domains[cookie.domain]?[cookie.name] ?? []
    let index = named.firstIndex { cookie.replaces($0.cookie) }
    if let index, named[index].cookie.isFromOrigin, !cookie.isFromOrigin { return }
    accesses += 1
    if cookie.isExpired(at: now) {
      guard let index else { return }
      domains[cookie.domain]?[cookie.name]?.remove(at: index)
      count -= 1
    } else if let index {
      // "Update the creation-time of the newly created cookie to match the creation-time of the old-cookie."
      let kept = Kept(cookie: cookie, number: named[index].number, lastAccess: accesses)
      domains[cookie.domain]?[cookie.name]?[index] = kept
    } else {
      let kept = Kept(cookie: cookie, number: accesses, lastAccess: accesses)
      domains[cookie.domain, default: [:]][cookie.name, default: []].append(kept)
      count += 1
      // Many are removed at a time, because each removal looks at all others.
      if count == 2 * Self.maximumCookies { removeExcess(at: now) }
    }
  }

  /// Removes what is too much: first cookies that have expired, then those of domains with more than their share, then
  /// any others. Of each kind, those go first that have not been set or sent for longest (RFC 6265 section 5.3).
  private mutating func removeExcess(at now: Timestamp) {
    removeExpired(at: now)
    let kept = all.ordered { $0.lastAccess < $1.lastAccess }
    var surplus = kept.count - Self.maximumCookies
    guard surplus > 0 else { return }
    var counts: [String: Int] = [:]
    let isWithinShare = kept.reversed().map { kept in
      counts[kept.cookie.domain, default: 0] += 1
      return counts[kept.cookie.domain, default: 0] <= Self.maximumPerDomain
    }
    let candidates = zip(kept, isWithinShare.reversed())
    let excess = candidates.filter { !$1 }.prefix(surplus).map(\.0.number)
    surplus -= excess.count
    let oldest = candidates.filter(\.1).prefix(surplus).map(\.0.number)
    let removed = Set(excess + oldest)
    remove { removed.contains($0.number) }
  }

  private mutating func remove(where isRemoved: (Kept) -> Bool) {
    for (domain, names) in domains {
      let left = names.mapValues { $0.filter { !isRemoved($0) } }.filter { !$1.isEmpty }
      domains[domain] = left.isEmpty ? nil : left
    }
    count = domains.values.reduce(0) { $1.values.reduce($0) { $0 + $1.count } }
  }

  /// Keeps the cookies that an origin sets.
  ///
  /// - Parameter isPublicSuffix: as in the initialiser of `Cookie`.
  package mutating func takeCookies(
    of fields: Fields, inAnswerTo request: Request, at now: Timestamp, isPublicSuffix: (String) -> Bool
  ) {
    let (target, host) = (request.target, request.cookieHost)
    for value in fields.values(of: "Set-Cookie") {
      guard var cookie = Cookie(value, from: target, of: host, at: now, isPublicSuffix: isPublicSuffix) else {
        continue
      }
      cookie.isFromOrigin = true
      // A cookie over an insecure connection neither replaces one that came over a secure connection, nor stands beside
      // it (RFC 6265bis section 5.7).
      let isSecure = Cookie.isSecure(target.origin, of: host)
      if isSecure || !isGuarded(from: cookie, at: now) { keep(cookie, at: now) }
    }
  }

  private func isGuarded(from cookie: Cookie, at now: Timestamp) -> Bool {
    domains.contains { domain, names in
      cookie.sharesHosts(with: domain)
        && names[cookie.name]?.contains { !$0.cookie.isExpired(at: now) && cookie.shadows($0.cookie) } == true
    }
  }

  package mutating func removeExpired(at now: Timestamp) { remove { $0.cookie.isExpired(at: now) } }

  /// Returns the Cookie field of a request: "Cookies with longer paths are listed before cookies with shorter paths."
  ///
  /// - Returns: `nil` if there are no cookies for the request.
  package mutating func field(for request: Request, at now: Timestamp) -> FieldValue? {
    let (target, host) = (request.target, request.cookieHost)
    let sent = domains(of: host).flatMap { $0.values.joined() }
      .filter { !$0.cookie.isExpired(at: now) && $0.cookie.belongs(to: target, of: host) }
      .ordered { ($1.cookie.path.utf8.count, $0.number) < ($0.cookie.path.utf8.count, $1.number) }
    var bytes: [UInt8] = []
    for kept in sent {
      let cookie = kept.cookie
      let pair = cookie.name + [ASCII.equals] + cookie.value
      if bytes.count + pair.count > Self.longestField { continue }
      if !bytes.isEmpty { bytes += [ASCII.semicolon, ASCII.space] }
      bytes += pair
      noteAccess(of: kept)
    }
    return bytes.isEmpty ? nil : FieldValue(bytes)
  }

  private mutating func noteAccess(of kept: Kept) {
    let cookie = kept.cookie
    guard let index = domains[cookie.domain]?[cookie.name]?.firstIndex(where: { $0.number == kept.number }) else {
      return
    }
    accesses += 1
    domains[cookie.domain]?[cookie.name]?[index].lastAccess = accesses
  }

  /// Returns the cookies of the host, and of each domain that it is below.
  private func domains(of host: String) -> [[[UInt8]: [Kept]]] {
    var found = domains[host].map { [$0] } ?? []
    if domains.isEmpty || IPAddress.isHost(host) { return found }
    var rest = host[...]
    while let period = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: period)...]
      if let names = domains[String(rest)] { found.append(names) }
    }
    return found
  }
}
