/// The cookies of a run, in the order in which they were made (RFC 6265 sections 5.3 and 5.4).
package struct CookieJar: Equatable, Sendable {
  /// Of one request: what is more, no server takes.
  private static let longestField = 8190
  /// As many as "general-use user agents" ought to keep at least (RFC 6265 section 6.1).
  static let keptCookies = 3000
  /// As many of one domain (ibid.).
  static let keptOfDomain = 50

  package private(set) var cookies: [Cookie] = []
  /// Of each cookie a hash of what it is known by: a file has more lines than anybody wants to compare with all others.
  private var marks: [Int] = []

  package init() {}

  /// Keeps a cookie in the place of one that it replaces; one that has expired removes that. What an origin has set in
  /// this run stays, whatever a file says that is read later.
  package mutating func keep(_ cookie: Cookie, at now: Timestamp) {
    let mark = cookie.mark
    let place = marks.indices.first { marks[$0] == mark && cookie.replaces(cookies[$0]) }
    if let place, cookies[place].isFromOrigin, !cookie.isFromOrigin { return }
    if cookie.isExpired(at: now) {
      if let place {
        cookies.remove(at: place)
        marks.remove(at: place)
      }
    } else if let place {
      // "Update the creation-time of the newly created cookie to match the creation-time of the old-cookie."
      cookies[place] = cookie
    } else {
      cookies.append(cookie)
      marks.append(mark)
      // Many go at a time: each time, all others are looked at.
      if cookies.count == 2 * Self.keptCookies { removeExcess(at: now) }
    }
  }

  /// First what has expired goes, then the oldest of domains with more than their share, and then the oldest of all
  /// (RFC 6265 section 5.3).
  private mutating func removeExcess(at now: Timestamp) {
    removeExpired(at: now)
    let domains = cookies.map(\.domain.hashValue)
    func isExcess(_ place: Int) -> Bool {
      var (newer, other) = (0, domains.count - 1)
      while newer < Self.keptOfDomain, other > place {
        if domains[other] == domains[place] { newer += 1 }
        other -= 1
      }
      return newer == Self.keptOfDomain
    }
    var surplus = cookies.count - Self.keptCookies
    for goesByDomain in [true, false] {
      var kept: [Cookie] = []
      for place in cookies.indices {
        if surplus > 0, !goesByDomain || isExcess(place) { surplus -= 1 } else { kept.append(cookies[place]) }
      }
      cookies = kept
    }
    marks = cookies.map(\.mark)
  }

  /// Takes in what an origin sets.
  ///
  /// - Parameter isPublicSuffix: as `Cookie` asks it.
  package mutating func keep(
    _ fields: Fields, inAnswerTo request: Request, at now: Timestamp, isPublicSuffix: (String) -> Bool
  ) {
    let (target, host) = (request.target, request.cookieHost)
    for value in fields.values(of: "Set-Cookie") {
      guard var cookie = Cookie(value, from: target, of: host, at: now, isPublicSuffix: isPublicSuffix) else {
        continue
      }
      cookie.isFromOrigin = true
      // Nobody who is not sure of the connection takes the place of what came over a sure one, or stands beside it
      // (RFC 6265bis section 5.7).
      let isSure = Cookie.isSecure(target.origin, of: host)
      let isGuarded = !isSure && cookies.contains { !$0.isExpired(at: now) && cookie.shadows($0) }
      if !isGuarded { keep(cookie, at: now) }
    }
  }

  package mutating func removeExpired(at now: Timestamp) {
    cookies.removeAll { $0.isExpired(at: now) }
    marks = cookies.map(\.mark)
  }

  /// The Cookie field of a request: "Cookies with longer paths are listed before cookies with shorter paths."
  ///
  /// - Returns: `nil` where there are none for it.
  package func field(for request: Request, at now: Timestamp) -> FieldValue? {
    let (target, host) = (request.target, request.cookieHost)
    let sent = Array(cookies.filter { !$0.isExpired(at: now) && $0.belongs(to: target, of: host) }.enumerated())
      .ordered { ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset) }
    var bytes: [UInt8] = []
    for (_, cookie) in sent {
      let pair = cookie.name + [ASCII.equals] + cookie.value
      if bytes.count + pair.count > Self.longestField { continue }
      if !bytes.isEmpty { bytes += [ASCII.semicolon, ASCII.space] }
      bytes += pair
    }
    return bytes.isEmpty ? nil : FieldValue(bytes)
  }
}
