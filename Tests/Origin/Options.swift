/// The options of the command line.
struct Options {
  enum Log {
    case standardError
    case file(String)
    case none
  }

  struct Misuse: Error, CustomStringConvertible {
    let description: String
  }

  /// 0 lets the kernel choose.
  var port: UInt16 = 0
  var printsPort = false
  var log = Log.standardError

  init(_ arguments: some Collection<String>) throws(Misuse) {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      switch argument {
      case "--port":
        guard let port = rest.next().flatMap({ UInt16($0) }) else {
          throw Misuse(description: "--port needs a number from 0 to 65535")
        }
        self.port = port
      case "--print-port": printsPort = true
      case "--quiet": log = .none
      case "--log":
        guard let path = rest.next() else { throw Misuse(description: "--log needs a file") }
        log = .file(path)
      default:
        throw Misuse(
          description: "unknown argument \(argument); origin [--port N] [--print-port] [--log FILE | --quiet]")
      }
    }
  }
}
