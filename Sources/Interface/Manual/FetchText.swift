import FlagTable
import HTTPCaching

// What the manual says of fetches.

extension ManualText {
  static let caching = ManualSection(
    "Caching",
    #"""
    The cache is private to its user, and persistent. It follows RFC 9110 and RFC 9111. A stored response is served
    while it is fresh. A stale one is validated with the origin; if the origin says that it is unchanged, the stored
    body is printed.

    Several processes may use one cache at the same time. No problem of the cache makes a fetch fail: if the cache
    cannot be used, garner says so once and fetches without it. If a stored response is found damaged before any of it
    was printed, it is fetched anew.

    Responses to requests with credentials are stored separately for each set of credentials, and so are responses that
    were fetched with \flag{insecure} or \flag{cacert}. No secret of a request is stored in readable form, shown, or
    sent to another origin: user information, credentials, fields that are known to hold secrets, and fields that
    \flag{credential-field} names. A token in the query of a URL is stored as part of the URL; messages and listings
    hide it, but the URLs that \flag{write-out} prints do not.

    An unsafe method, such as POST or DELETE, invalidates what is stored for its URL. An origin can have its stored
    responses removed: all of them by Clear-Site-Data over https (not with \flag{insecure}), and those of some
    Cache-Groups by Cache-Group-Invalidation in the answer to an unsafe method (RFC 9875).
    """#)

  static let policies = ManualSection(
    "Cache policies",
    #"""
    \flag{cache-policy} takes the name of a policy in the first column, Apple's name for it, with or without
    `NSURLRequest` before it, or its name in the Fetch standard. Case does not matter. \flag{offline}, \flag{refresh},
    \flag{reload}, \flag{prefer-offline} and \flag{no-store} are short forms of some policies.
    """#,
    terms: PolicyName.all.map { name in
      let others = name.apple + [name.fetch].compactMap { $0 == name.policy.rawValue ? nil : $0 }
      let spelt = others.isEmpty ? "" : " Also " + others.map { "`\($0)`" }.joined(separator: ", ") + "."
      return ManualSection.Term(name.policy.rawValue, name.meaning + spelt)
    })

  static let freshness = ManualSection(
    "Freshness",
    #"""
    A response is fresh for as long as its origin says, by max-age or Expires. Without an explicit lifetime, it is fresh
    for a tenth of the time since it was last modified, but for a week at most; without a Last-Modified, it is stale at
    once. If the origin cannot be reached, a stale response is served, unless the response says must-revalidate or
    no-cache, or the request says how old or how fresh it must be. If the origin answers 500, 502, 503 or 504, a stale
    response is served if its stale-if-error (RFC 5861) allows it. Options change these rules: \flag{offline},
    \flag{prefer-offline} and the policies that serve stored responses whatever their age also serve those with
    must-revalidate.
    """#)

  static let keys = ManualSection(
    "Cache keys",
    #"""
    A response is stored under its URL, the request fields that its Vary names, and a digest of what identifies the
    user. Of responses that differ only in these fields, eight are kept: another one takes the place of the least
    recently used one that is not pinned, and is not stored if all are pinned.

    \flag{ignore-param} leaves parameters out of the URL, \flag{cache-key} replaces the URL by a text, and
    \flag{cache-partition} separates responses by a name. A response that is stored under such a key answers only
    requests that use the same options.

    QUERY (RFC 10008), sent with \flag{request} and \flag{data}, is cached like GET; its content and the type of the
    content are part of the key. With \flag{cache-post}, POST is answered from the cache in the same way.
    """#)

  static let storing = ManualSection(
    "Storing",
    #"""
    A response is stored if RFC 9111 allows a private cache to store it, and if it is no larger than
    \flag{max-object-size}. These options change what the cache takes a response to say when it is stored, or restrict
    what is stored; the printed response is what the origin sent. With \flag{no-store} nothing is stored, and with
    \flag{memory-only} nothing is stored on disk.
    """#)

  static let hook = ManualSection(
    "Store hook",
    #"""
    With \flag{store-hook}, a command decides last. `sh -c COMMAND` is run before a response is stored, and before the
    head of a stored one is updated. Its standard input describes the response: lines `:method:`, `:url:`, `:status:`,
    `:size:`, `:storage:` and `:tag:`, then the fields that would be stored, one per line. GARNER_CONTENT names a file
    with the content, in its content coding. The hook does not change what is printed now. Everything that it does not
    mention stays as proposed. It may print these lines, and exit with these statuses:
    """#,
    terms: [
      .init("Name: value", "The field replaces every field of that name; `Name:` alone leaves it out."),
      .init(":storage: memory-only", "The response is stored only in memory, until the run ends."),
      .init(":storage: not-allowed", "The response is not stored."),
      .init(":tag: KEY=VALUE", "The response is tagged, as with `--tag`."),
      .init("exit 0", "The response is stored as proposed, with these changes."),
      .init("exit 10", "The response is not stored; only `-v` reports it."),
      .init(
        "exit N",
        #"Not stored, with a warning; the same if the hook takes longer than \flag{store-hook-timeout}."#),
    ])

  static let offline = ManualSection(
    "Offline",
    #"""
    Stored responses can replace the network. With \flag{offline}, nothing is sent, and a response that is not stored is
    a failure with 110. With \flag{prefer-offline}, a response that is not stored is fetched. `garner prefetch` fills
    the cache in advance, and `garner cache check --offline` lists what would be missing.

    With \flag{reachability}, the state of the network selects the policy; `garner network` shows both. The state is
    read from the kernel's tables, and nothing is sent: "reachable" means that there is a route out of this machine, not
    that anything answers at its end. The interface of the default route decides; of several default routes, that with
    the lowest metric. For a bridge, a bond, a VLAN or a VPN, the interface below it counts, where that is visible. A
    URL whose host is this machine, also by \flag{connect-to}, \flag{resolve} or \flag{unix-socket}, is always
    reachable, and in the state `wifi`, unless a state is typed. These are the states:
    """#,
    terms: [
      .init("not-reachable", "No route leads beyond this machine, or its link is down."),
      .init("wwan", "A modem in a mobile network, or a connection by PPP."),
      .init(
        "wifi", "A wireless or wired local network; also spelt `lan`. A telephone at a USB port counts as one."),
      .init(
        "unknown",
        #"Anything else: a container, routes only to near networks, a proxy on this machine, or \flag{interface}."#),
    ])

  static let integrity = ManualSection(
    "Integrity",
    #"""
    If an origin sends a digest of its content (Content-Digest or Repr-Digest, RFC 9530, with sha-256 or sha-512),
    garner checks it: content with another digest is neither stored nor written to the file of \flag{output}. A digest
    that the user gives is checked in the same way; stored content with that digest is served whatever URL it came from.
    """#)

  static let variables = ManualSection(
    "Variables",
    #"""
    \flag{write-out} prints these variables as `%{name}`. In addition, `%header{NAME}` is a field of the response,
    `%{stderr}` and `%{stdout}` say where the rest is printed, `%{onerror}` ends the text if the fetch succeeded, and
    `%%` is a percent sign. `%{json}` is all variables as one JSON object, with null for a missing value, and
    `%{header_json}` all fields of the response, with an array of values for each name in lower case. An unknown name
    prints nothing, with a warning.
    """#,
    terms: WriteOutVariable.allCases.map { .init($0.rawValue, $0.meaning) })
}
