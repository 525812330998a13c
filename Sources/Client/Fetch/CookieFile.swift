import HTTPSemantics

/// Files of cookies in Netscape's form, as curl, wget and browsers' exports have it: a line a cookie, seven columns.
enum CookieFile {
  private static let httpOnlyMark = "#HttpOnly_"
  private static let heading = """
    # Netscape HTTP Cookie File
    # Written by garner: a line a cookie, which are domain, subdomains, path, secure, expiry, name and value.


    """

  /// What is no line of a cookie is left out. Lines of heads that were saved, `Set-Cookie: ...`, count where they name
  /// a domain.
  static func read(_ bytes: [UInt8], at now: Timestamp) -> [Cookie] {
    bytes.split(whereSeparator: { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn })
      .compactMap { cookie(line: $0) ?? cookie(fieldLine: $0, at: now) }
  }

  private static func cookie(line: ArraySlice<UInt8>) -> Cookie? {
    let isHTTPOnly = line.starts(with: httpOnlyMark.utf8)
    let line = isHTTPOnly ? line.dropFirst(httpOnlyMark.utf8.count) : line
    // A control character is no part of any (RFC 6265bis section 5.6).
    let isPlain = line.allSatisfy { ($0 >= ASCII.space && $0 != 0x7f) || $0 == ASCII.horizontalTab }
    if line.first == UInt8(ascii: "#") || !isPlain { return nil }
    let columns = line.split(separator: ASCII.horizontalTab, omittingEmptySubsequences: false)
    guard columns.count == 6 || columns.count == 7, let expiry = expiry(columns[4]), !columns[5].isEmpty else {
      return nil
    }
    let domain = columns[0].drop { $0 == ASCII.period }
    // One that begins like a comment would be written as one.
    if domain.isEmpty || domain.first == UInt8(ascii: "#") { return nil }
    let name = IPAddress.bracketed(domain) ?? String(decoding: ASCII.lowercased(domain), as: UTF8.self)
    let cookie = Cookie(
      name: Array(columns[5]), value: columns.count == 7 ? Array(columns[6]) : [], domain: name,
      isHostOnly: !isTrue(columns[1]) || Cookie.isSingleLabel(name),
      path: columns[2].first == UInt8(ascii: "/") ? String(decoding: columns[2], as: UTF8.self) : "/",
      isSecure: isTrue(columns[3]), isHTTPOnly: isHTTPOnly,
      expiry: expiry == 0 ? nil : Timestamp(secondsSinceEpoch: expiry))
    return cookie.isPermissible ? cookie : nil
  }

  /// In seconds since the epoch: decimals, which extensions of browsers export, are cut off, as by curl.
  private static func expiry(_ column: ArraySlice<UInt8>) -> Int64? {
    let seconds = column.prefix { $0 != ASCII.period }
    guard column[seconds.endIndex...].dropFirst().allSatisfy(ASCII.isDigit) else { return nil }
    return ASCII.decimalInt64(seconds)
  }

  private static func isTrue(_ column: ArraySlice<UInt8>) -> Bool { ASCII.equalIgnoringCase(column, "true".utf8) }

  /// Whoever set it is not known: it is taken for the domain itself.
  private static func cookie(fieldLine: ArraySlice<UInt8>, at now: Timestamp) -> Cookie? {
    let name = "set-cookie:"
    guard ASCII.equalIgnoringCase(fieldLine.prefix(name.utf8.count), name.utf8) else { return nil }
    let value = ASCII.trimmed(fieldLine.dropFirst(name.utf8.count))
    let attributes = value.split(separator: ASCII.semicolon).dropFirst().map { ASCII.trimmed($0) }
    let key = "domain="
    guard
      let domain = attributes.last(where: { ASCII.equalIgnoringCase($0.prefix(key.utf8.count), key.utf8) })?
        .dropFirst(key.utf8.count).drop(while: { $0 == ASCII.period }),
      let reference = try? URIReference(typed: Array("https://".utf8) + domain + Array("/".utf8))
    else { return nil }
    // What a file of the user's says of a domain is taken as it is (curl).
    return Cookie(FieldValue(value), from: reference.target, at: now) { _ in false }
  }

  static func write(_ cookies: [Cookie]) -> [UInt8] {
    var bytes = Array(heading.utf8)
    for cookie in cookies {
      let columns: [[UInt8]] = [
        Array(((cookie.isHTTPOnly ? httpOnlyMark : "") + (cookie.isHostOnly ? "" : ".") + host(cookie.domain)).utf8),
        word(!cookie.isHostOnly), Array(cookie.path.utf8), word(cookie.isSecure),
        Array("\(cookie.expiry?.secondsSinceEpoch ?? 0)".utf8), cookie.name, cookie.value,
      ]
      bytes += columns.joined(separator: [ASCII.horizontalTab])
      bytes.append(ASCII.lineFeed)
    }
    return bytes
  }

  /// An IPv6 address has no brackets in such files.
  private static func host(_ domain: String) -> String {
    let address = domain.dropFirst().dropLast()
    return IPAddress.bracketed(address.utf8) == domain ? String(address) : domain
  }

  private static func word(_ isTrue: Bool) -> [UInt8] { Array((isTrue ? "TRUE" : "FALSE").utf8) }
}
