import FlagTable

/// The commands that export stored responses to an archive, and that import them from one.
extension Commands {
  static let export = Command<Invocation>(
    "export",
    summary: "Write what is stored into an archive.",
    details: #"""
      FILE is written as WARC 1.1, which crawlers and players of the web's archives read: for each stored response its
      request, as far as it selects the response, its head and its body, byte for byte, with their digests. A name that
      ends in `.gz` gets it compressed, a record at a time; `-` is standard output. FILE appears when it is whole.
      PATTERN and the options that select are as for `garner cache ls`; where there are some and nothing matches, the
      exit status is 1.

      What is only partly there is left out, and so is what is damaged: then the exit status is 113, and FILE has the
      rest. It is 112 where something belongs to another user or cannot be read.

          garner cache export site.warc.gz 'https://example.com/*'
          garner cache export - | ssh elsewhere garner cache import -
      """#,
    flags: ArchiveFlags.ofExport + EntryFilterFlags.all,
    operands: [file, pattern],
    select: { $0.command = .cache(.export) })

  static let importArchive = Command<Invocation>(
    "import",
    summary: "Store what an archive holds.",
    details: #"""
      FILE is a WARC file, as `garner cache export`, wget and crawlers write them, or a HAR file, as browsers do; either
      may be compressed by gzip; `-` is standard input. What it holds is stored as it was when it was received, so that
      `garner --offline` serves it, and a fetch validates it where it is stale. Dot segments of a URL are kept:
      `--path-as-is` asks for them.

      Final responses to GET are imported. What the origin has forbidden to store, by `no-store`, and what garner had
      exported of requests with credentials is passed over without \flag{all}; responses to other methods, parts and
      304s always are; and so is what would replace a newer stored response. A record that is damaged is told of with
      its place, and the exit status is then 26, as for an archive that ends too early or makes no sense from some place
      on; what was whole is imported.
      """#,
    flags: ArchiveFlags.ofImport + [CacheFlags.diskCapacity, CacheFlags.largestObject, CacheFlags.durable],
    operands: [file],
    select: { $0.command = .cache(.importArchive) })

  private static let file = Operand<Invocation>("FILE", .one, completes: .file) {
    invocation, text throws(InvalidValue) in invocation.operands.append(try FileName.check(text))
  }
}
