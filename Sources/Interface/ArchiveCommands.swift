import FlagTable

/// The commands that export stored responses to an archive, and that import them from one.
extension Commands {
  static let export = Command<Invocation>(
    "export",
    summary: "Export stored responses to an archive.",
    details: """
      FILE is written as WARC 1.1, which web crawlers and archive players read. It holds, for each stored response, the
      request as far as it selects the response, the head and the body, byte for byte, with their digests. If the name
      ends in `.gz`, each record is compressed. `-` is standard output. FILE appears when it is complete. PATTERN and
      the options select responses as for `garner cache ls`; if any are given and nothing matches, the exit status is 1.

      Partial responses are left out. Damaged ones are left out, too; the exit status is then 113, and FILE has the
      rest. The exit status is 112 if an entry belongs to another user or cannot be read. Responses to POST and QUERY
      are exported, but `garner cache import` passes over them.

          garner cache export site.warc.gz 'https://example.com/*'
          garner cache export - | ssh elsewhere garner cache import -
      """,
    flags: ArchiveFlags.ofExport + EntryFilterFlags.all,
    operands: [file, pattern],
    select: { $0.command = .cache(.export) })

  static let importArchive = Command<Invocation>(
    "import",
    summary: "Import responses from an archive.",
    details: #"""
      FILE is a WARC file, as `garner cache export`, wget and crawlers write it, or a HAR file, as browsers write it;
      either may be compressed with gzip. `-` is standard input. Responses are stored as they were when they were
      received: `garner --offline` serves them, and a fetch validates the stale ones. Dot segments of a URL are kept;
      use `--path-as-is` to request such a URL.

      Final responses to GET are imported. Without \flag{all}, responses that the origin has forbidden to store, by
      `no-store`, are skipped, and so are responses that garner had exported of requests with credentials, or that are
      selected by fields that garner keeps secret. Responses to other methods, partial responses and 304s are always
      skipped, and so is a response that would replace a newer stored one. A damaged record is reported with its place,
      and the exit status is then 26, as for an archive that ends too early or is unreadable from some place on; the
      intact records are imported.
      """#,
    flags: ArchiveFlags.ofImport + [CacheFlags.diskCapacity, CacheFlags.largestObject, CacheFlags.durable],
    operands: [file],
    select: { $0.command = .cache(.importArchive) })

  private static let file = Operand<Invocation>("FILE", .one, completes: .file) {
    invocation, text throws(InvalidValue) in invocation.operands.append(try FileName.check(text))
  }
}
