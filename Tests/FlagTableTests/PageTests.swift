import Testing

@testable import FlagTable

@Suite("Help texts and manual pages are made from the table")
struct PageTests {
  @Test("The short help has one line for each flag")
  func shortHelp() throws {
    let page = try #require(HelpPage(of: Toy.table, width: 80))
    #expect(
      page.text(.short) == """
        Usage: toy [OPTIONS] URL...

        Play with flags.

        Commands:
          toy store ls [PATTERN...]   List the store.
          toy store show FILE [PLACE]
                                      Show one.
          toy store find [PATTERN...]
                                      Find one.
          toy say WORD                Say a word.
          toy tell [WORD...]          Tell of a command.

        Transfer:
          -o, --output FILE           Write to FILE.
          -H, --header LINE           Send LINE.
          -s, --silent                Say nothing.
          -m, --max-time SECONDS      Stop after SECONDS.
          -L, --location              Follow.
              --no-location           Stay.
              --offline[=MODE]        Stay [off] line.

        Common:
              --color WHEN            Colour it.
          -v, --verbose               Say more.
          -h, --help                  Help.

        See 'toy --help' for details.

        """)
  }

  @Test("The full help has details, examples, values and negations")
  func fullHelp() throws {
    let text = try #require(HelpPage(of: Toy.table, width: 50)).text(.full)
    #expect(
      text.contains(
        """
          -o, --output FILE
                Write to FILE.

                Not to standard output. See also --silent.

                    toy -o x http://a/

                It's whole or absent.

          -H, --header LINE
                Send LINE.

                Also spelt --field.

        """))
    #expect(text.contains("The values are auto, always."))
    #expect(text.contains("--no-silent turns it off."))
  }

  @Test("The help of a command has its flags and the common ones")
  func helpOfCommand() throws {
    let text = try #require(HelpPage(of: Toy.table, words: ["store", "list"], width: 80)).text(.short)
    #expect(text.hasPrefix("Usage: toy store ls [OPTIONS] [PATTERN...]\n"))
    #expect(text.contains("-j, --json"))
    #expect(text.contains("--color WHEN"))
    #expect(!text.contains("--output"))
    #expect(HelpPage(of: Toy.table, words: ["store", "none"], width: 80) == nil)
  }

  @Test(
    "No line of the help is wider than requested, within the limits of 40 and 100 columns",
    arguments: [1, 40, 60, 80, 500])
  func width(_ width: Int) throws {
    let lines = try #require(HelpPage(of: Toy.table, width: width)).text(.full).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= min(max(width, 40), 100) })
  }

  static let heading = ManPage<Toy>.Heading(
    "toy", .commands, summary: "Play with flags.", date: "2026-01-02", source: "toy 1.0")

  static let page = ManPage(
    heading, of: Toy.table, commands: [[], ["store", "ls"], ["store", "show"], ["say"]],
    themes: [(Toy.common, ManualSection("Common", "Always there."))],
    before: [ManualSection("Description", "It's \"quoted\". Second sentence.")],
    after: [ManualSection("Exit status", "", terms: [.init("0", "Good."), .init("22", "`Bad` ^~.")])]
  ).text

  @Test(
    "The manual page contains this passage",
    arguments: [
      #".TH "TOY" "1" "2026-01-02" "toy 1.0" "User Commands""#,
      #"toy \- play with flags"#,
      #"\fBtoy store show\fR [\fIOPTIONS\fR] \fIFILE\fR \fI[PLACE]\fR"#,
      ".SH \"DESCRIPTION\"\nIt\\(aqs \\(dqquoted\\(dq.\nSecond sentence.\n",
      ".TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\nWrite to FILE.\n.IP\nNot to standard output.\n",
      #"See also \fB\-\-silent\fR."#,
      ".IP\n.nf\n    toy \\-o x http://a/\n.fi\n.IP\nIt\\(aqs",
      #"\fB\-\-offline\fR[=\fIMODE\fR]"#,
      ".TP\n\\fB22\\fR\n\\fBBad\\fR \\(ha\\(ti.\n",
      ".SS \"Common\"\nAlways there.\n.TP\n\\fB\\-\\-color\\fR",
    ])
  func manual(_ passage: String) {
    #expect(Self.page.contains(passage))
  }

  @Test("A page without the root lists shared options once, and says which options each command takes")
  func pageOfCommands() {
    let names = ["ls", "list"]
    let commands = names.map { name in
      Command<Toy>(
        name, summary: "List.", flags: [Toy.shared, Toy.output, Toy.silent, Toy.seconds, Toy.location, Toy.offline],
        select: { $0.command = name })
    }
    let root = Command<Toy>(
      "toy", summary: "Play.", flags: Toy.table.flags, subcommands: commands, select: { $0.command = "fetch" })
    let text = ManPage(
      Self.heading, of: root, commands: names.map { [$0] }, synopsis: ["toy COMMAND"], rootPage: "`toy`(1)", before: [],
      after: []
    ).text
    #expect(text.contains("\\fBtoy\\fR \\fICOMMAND\\fR\n"))
    #expect(text.contains(".SH \"OPTIONS\"\n.SS \"Transfer\"\n.TP\n\\fB\\-\\-shared\\fR\n"))
    #expect(text.split(separator: ".TP").count == 2)
    #expect(text.contains("It takes \\fB\\-\\-shared\\fR.\n"))
    let line = text.split(separator: "\n").joined(separator: " ")
    #expect(
      line.contains("From \\fBtoy\\fR(1), it takes the options under Transfer except \\fB\\-\\-header\\fR."))
  }

  @Test("A topic's page has its section and its flags, and fits the width")
  func topic() {
    let section = ManualSection(
      "Ways", "There are `ways`, which are many, and which are told of here.",
      terms: [.init("one", "The first of them,\nwhich is the one that is best.")])
    #expect(
      TopicPage(section, flags: [Toy.seconds]).text(width: 40) == """
        There are ways, which are many, and
        which are told of here.

          one  The first of them, which is the
               one that is best.

          -m, --max-time SECONDS
                Stop after SECONDS.

        """)
  }

  @Test("A line that begins with a period is escaped in the manual page")
  func roffControl() {
    let page = ManPage(Self.heading, of: Toy.table, before: [ManualSection("X", ".netrc is a file")], after: [])
    #expect(page.text.contains("\n\\&.netrc is a file\n"))
  }

  @Test("References to flags are found in markup, but not within literals")
  func references() {
    let inlines: [Markup.Inline] = [
      .text("See "), .flag("a"), .text(", "), .literal(#"\flag{no}"#), .text(" and "), .flag("b-c"), .text("."),
    ]
    #expect(Markup.inlines(of: #"See \flag{a}, `\flag{no}` and \flag{b-c}."#) == inlines)
  }

  @Test(
    "Unclosed markup is plain text",
    arguments: ["`open", #"\flag{open"#, "`", "\\", #"\flag{"#])
  func unclosed(_ source: String) {
    #expect(Markup.plain(source) == source)
  }
}
