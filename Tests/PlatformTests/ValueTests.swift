import Platform
import Testing

@Suite("Paths, environment, clocks and random bytes")
struct ValueTests {
  @Test(
    "A path has a parent and a last component",
    arguments: [
      ("file", ".", "file"), ("a/b", "a", "b"), ("/a", "/", "a"), ("/a/b/c", "/a/b", "c"), ("a//b", "a", "b"),
      ("a/b/", "a", nil), ("/", ".", nil),
    ] as [(Path, Path, Path?)])
  func components(path: Path, parent: Path, last: Path?) {
    #expect(path.parent == parent || path == "/")
    #expect(path.lastComponent == last)
  }

  @Test("Path components are joined by one separator")
  func joined() {
    #expect(("a" as Path).appending("b") == "a/b")
    #expect(("a/" as Path).appending("b") == "a/b")
    #expect(("/" as Path).appending("b") == "/b")
  }

  @Test("A path is not empty and has no NUL, and any other bytes are allowed")
  func pathBytes() {
    #expect(Path([]) == nil)
    #expect(Path([0x61, 0, 0x62]) == nil)
    #expect(Path([0xff, 0xfe])?.bytes.elementsEqual([0xff, 0xfe]) == true)
  }

  private static let directories: [(sentence: String, environment: [String: String], cache: Path?)] = [
    ("the XDG variable names the place", ["XDG_CACHE_HOME": "/x", "HOME": "/h"], "/x"),
    ("without it the place is under HOME", ["HOME": "/h"], "/h/.cache"),
    ("a relative XDG variable names no place", ["XDG_CACHE_HOME": "x", "HOME": "/h"], nil),
    ("an empty XDG variable is ignored", ["XDG_CACHE_HOME": "", "HOME": "/h"], "/h/.cache"),
    ("without either there is no place", [:], nil),
    ("a relative HOME is no place", ["HOME": "h"], nil),
    ("an empty HOME is no place", ["HOME": ""], nil),
  ]

  @Test("The cache directory follows the XDG Base Directory Specification", arguments: directories)
  func baseDirectories(row: (sentence: String, environment: [String: String], cache: Path?)) {
    #expect(BaseDirectories(Environment(row.environment)).cache == row.cache, "\(row.sentence)")
  }

  @Test("Each base directory has a variable of its own")
  func otherDirectories() {
    let directories = BaseDirectories(Environment(["HOME": "/h", "XDG_CACHE_HOME": "/c"]))
    #expect(directories.configuration == "/h/.config")
    #expect(directories.cache == "/c" && directories.relativeCacheVariable == nil)
  }

  @Test("A relative variable is ignored for the configuration, and reported for the cache")
  func relativeVariables() {
    let directories = BaseDirectories(
      Environment(["HOME": "/h", "XDG_CACHE_HOME": "c", "XDG_CONFIG_HOME": "d"]))
    #expect(directories.configuration == "/h/.config")
    #expect(directories.relativeCacheVariable == "XDG_CACHE_HOME")
    #expect(BaseDirectories(Environment(["HOME": "h"])).relativeCacheVariable == "HOME")
  }

  @Test("Variables are found by the beginning of their names")
  func variables() {
    let environment = Environment(["A_B": "1=2", "A_": "", "A": "3", "B_A_": "4"])
    let found = environment.variables(beginningWith: "A_").map { String(decoding: $0, as: UTF8.self) }
    #expect(found.sorted() == ["A_=", "A_B=1=2"])
  }

  @Test("With more rights than the user who started it, the process takes no path from the environment")
  func secureExecution() {
    let environment = Environment(["HOME": "/h", "XDG_CACHE_HOME": "/x"], isSecureExecution: true)
    #expect(BaseDirectories(environment).cache == nil)
    #expect(environment.path("HOME") == nil)
    #expect(environment.variables(beginningWith: "XDG").isEmpty)
    #expect(environment["HOME"] == "/h")
  }

  @Test("The environment of the process is read as bytes")
  func ofProcess() {
    #expect(Environment.ofProcess[bytes: "PATH"]?.isEmpty == false)
    #expect(Environment.ofProcess["A_NAME_THAT_NOBODY_SETS"] == nil)
    #expect(!Environment.ofProcess.isSecureExecution)
  }

  @Test("The monotonic clock does not go back, and the wall clock shows a plausible time")
  func clock() {
    let clock = Clock.system
    let before = clock.monotonic()
    #expect(clock.monotonic() >= before)
    #expect(clock.wallTime().seconds > 1_700_000_000)
    #expect(WallTime(seconds: 1, nanoseconds: 5) < WallTime(seconds: 1, nanoseconds: 6))
  }

  @Test("Random bytes have the requested number and differ", arguments: [1, 16, 32, 1_000])
  func random(count: Int) throws {
    #expect(try SecureRandom.bytes(count: count).count == count)
    #expect(try SecureRandom.hexadecimal(bytes: 16) != SecureRandom.hexadecimal(bytes: 16))
    #expect(try SecureRandom.hexadecimal(bytes: count).utf8.count == 2 * count)
  }

  @Test("A file is no terminal and has no width")
  func terminal() throws {
    let null = try Descriptor.workingDirectory.open("/dev/null", [.readOnly])
    #expect(null.isTerminal == false)
    #expect(null.terminalWidth == nil)
  }
}
