import FlagTable
import HTTPCaching

// What the manual says of fetches.

extension ManualText {
  static let caching = ManualSection(
    "Caching",
    #"""
    The cache is private to its user, and persistent. It follows RFC 9110 and RFC 9111: a stored response is served
    while it is fresh; a stale one is validated with the origin, and when the origin says that it is unchanged, the
    stored body is printed.

    Several processes may use one cache at a time. Nothing that happens to the cache makes a fetch fail: where it cannot
    be used, garner says so once and does without. A stored response that is found damaged before any of it was printed
    is fetched anew.

    Responses to requests with credentials are stored apart for each set of credentials, and so are those that were
    fetched with \flag{insecure} or \flag{cacert}. No secret of a request is kept readable, shown, or sent to another
    origin: user information, credentials, the fields that are known to hold some, and those that
    \flag{credential-field} names. A token in the query of a URL is part of what the cache keeps; messages and listings
    hide it, but not what \flag{write-out} prints of URLs.

    An unsafe method, such as POST or DELETE, invalidates what is stored of its URL. An origin can have its stored
    responses removed: all by Clear-Site-Data over https (not with \flag{insecure}), those of some Cache-Groups by
    Cache-Group-Invalidation in the answer to an unsafe method (RFC 9875).
    """#)

  static let policies = ManualSection(
    "Cache policies",
    #"""
    \flag{cache-policy} takes a policy by the name in the first column, by Apple's name for it, with or without
    `NSURLRequest` before it, or by that of the Fetch standard. Case does not matter. \flag{offline}, \flag{refresh},
    \flag{reload}, \flag{prefer-offline} and \flag{no-store} are short for some of them.
    """#,
    terms: PolicyName.all.map { name in
      let others = name.apple + [name.fetch].compactMap { $0 == name.policy.rawValue ? nil : $0 }
      let spelt = others.isEmpty ? "" : " Also " + others.map { "`\($0)`" }.joined(separator: ", ") + "."
      return ManualSection.Term(name.policy.rawValue, name.meaning + spelt)
    })

  static let freshness = ManualSection(
    "Freshness",
    #"""
    A response is fresh for as long as its origin says, by max-age or Expires. Without an explicit lifetime it is fresh
    for a tenth of the time since it was last modified, a week at most; without a Last-Modified, it is stale at once.
    Where there is no way to the origin, a stale response is served, unless the response says must-revalidate or
    no-cache, or the request says how old or how fresh it is to be. Where the origin answers 500, 502, 503 or 504, a
    stale response is served if its stale-if-error (RFC 5861) allows it. The user can ask for more or for less:
    \flag{offline}, \flag{prefer-offline} and the policies that take what is stored, whatever its age, take it in spite
    of must-revalidate, too.
    """#)

  static let keys = ManualSection(
    "Cache keys",
    #"""
    A response is stored under its URL, the request fields that its Vary names, and a digest of what says who asked.
    \flag{ignore-param} leaves parameters out of the URL, \flag{cache-key} puts a text in its place, and
    \flag{cache-partition} sets responses apart. What has come under such a key answers nobody who does not say the
    same.

    QUERY (RFC 10008), by \flag{request} and \flag{data}, is cached like GET; what is sent and its type are part of what
    is asked for. \flag{cache-post} lets POST be answered from the cache in the same way.
    """#)

  static let storing = ManualSection(
    "Storing",
    #"""
    What RFC 9111 allows a private cache to store is stored, if it is no larger than \flag{max-object-size}. These
    options change what a response is taken to say on its way into the cache, or have less of it stored; what is printed
    is what the origin sent. With \flag{no-store} nothing is stored, and with \flag{memory-only} nothing on the disk.
    """#)

  static let hook = ManualSection(
    "Store hook",
    #"""
    \flag{store-hook} lets a command have the last word. `sh -c COMMAND` is run before a response is stored, and before
    the head of a stored one is brought up to date. Its standard input describes the response: lines `:method:`,
    `:url:`, `:status:`, `:size:`, `:storage:` and `:tag:`, then the fields that would be stored, a line each.
    GARNER_CONTENT names a file with the content, its coding kept. What is fetched is printed whatever the hook says.
    What it leaves out stays as it is. It may print these lines, and end with these statuses:
    """#,
    terms: [
      .init("Name: value", "The field takes the place of every field of that name; `Name:` alone leaves it out."),
      .init(":storage: memory-only", "Nothing of it reaches the disk; it is kept until the run ends."),
      .init(":storage: not-allowed", "It is not stored."),
      .init(":tag: KEY=VALUE", "Is noted with it, as by `--tag`."),
      .init("exit 0", "It is stored as proposed and changed."),
      .init("exit 10", "It is not stored; only `-v` tells."),
      .init(
        "exit N",
        #"It is not stored, and there is a warning; so it is where it takes longer than \flag{store-hook-timeout}."#),
    ])

  static let offline = ManualSection(
    "Offline",
    #"""
    What is stored can answer where the network cannot: with \flag{offline}, nothing is sent, and what is absent is a
    failure with 110; with \flag{prefer-offline}, what is absent is fetched. `garner prefetch` fills the cache before,
    and `garner cache check --offline` tells what would be missing.

    With \flag{reachability}, the state of the network selects the policy, as `garner network` shows. The state is read
    from the kernel's tables; nothing is sent, so that "reachable" means that there is a way out of this machine, and
    not that somebody answers at its end. The interface of the default route decides, of several the one with the lowest
    metric. What is below a bridge, a bond, a VLAN or a VPN counts in its place, where it shows. A URL whose host is
    this machine, also by \flag{connect-to} or \flag{resolve}, is always reachable, and `wifi`, unless a state is
    typed. These are the states:
    """#,
    terms: [
      .init("not-reachable", "No route leads beyond this machine, or its link is down."),
      .init("wwan", "A modem in a mobile network, or a connection by PPP."),
      .init(
        "wifi", "A wireless or wired local network; also spelt `lan`. A telephone at a USB port is one."),
      .init(
        "unknown",
        "All else, such as the inside of a container, routes to near networks only, or a proxy on this machine."),
    ])

  static let integrity = ManualSection(
    "Integrity",
    #"""
    Where an origin says what digest its content has (Content-Digest or Repr-Digest, RFC 9530, with sha-256 or sha-512),
    that is checked: content with another one is neither stored nor put into the file of \flag{output}. A digest that
    the user knows is checked in the same way, and stored content that has it is served whichever URL it came from.
    """#)

  static let variables = ManualSection(
    "Variables",
    #"""
    \flag{write-out} prints these, as `%{name}`. Beside them, `%header{NAME}` is a field of the response, `%{stderr}`
    and `%{stdout}` say where the rest goes, `%{onerror}` ends the text of a fetch that succeeded, and `%%` is a percent
    sign. `%{json}` is all of them as one JSON object, with null for what there is not, and `%{header_json}` all fields
    of the response, an array of values for each name in lower case. A name that is unknown prints nothing, with a
    warning.
    """#,
    terms: WriteOutVariable.allCases.map { .init($0.rawValue, $0.meaning) })
}
