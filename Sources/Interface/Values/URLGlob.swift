package import FlagTable
import HTTPSemantics

/// A URL that was typed, in which braces and brackets stand for several, as in curl: `{a,b}`, `[1-100]`, `[a-z:2]`.
///
/// Each URL is made when it is asked for.
package struct URLGlob: Equatable, Sendable {
  /// Why a URL is no glob. Places count bytes from 1.
  package enum Fault: Error, Equatable, Sendable {
    case badRange(at: Int)
    case nestedBrace(at: Int)
    case emptyBraces(at: Int)
    case unmatched(at: Int)
    case tooMany

    package var reason: String {
      switch self {
      case .badRange(let place): "byte \(place) begins a malformed range; expected one such as [1-10] or [a-z:2]"
      case .nestedBrace(let place): "byte \(place) is a brace within braces"
      case .emptyBraces(let place): "byte \(place) begins braces with nothing in them"
      case .unmatched(let place): "byte \(place) is a bracket or brace without its counterpart"
      case .tooMany: "it stands for more URLs than can be counted"
      }
    }
  }

  /// One URL that the glob stands for.
  package struct Element: Equatable, Sendable {
    package let text: ArgumentText
    /// The text that each pair of braces or brackets stands for in it.
    package let choices: [[UInt8]]
  }

  private enum Piece: Equatable {
    case literal([UInt8])
    case words([[UInt8]])
    case numbers(first: Int, step: Int, count: Int, width: Int)
    case letters(first: UInt8, step: UInt8, count: Int)

    var count: Int {
      switch self {
      case .literal: 1
      case .words(let words): words.count
      case .numbers(first: _, step: _, let count, width: _), .letters(first: _, step: _, let count): count
      }
    }

    func append(_ index: Int, to text: inout [UInt8]) {
      switch self {
      case .literal(let literal):
        text += literal
      case .words(let words):
        text += words[index]
      case .numbers(let first, let step, count: _, let width):
        let digits = String(first + index * step).utf8
        for _ in 0..<max(0, width - digits.count) { text.append(ASCII.zero) }
        text += digits
      case .letters(let first, let step, count: _):
        text.append(first + UInt8(index) * step)
      }
    }

    var isChoice: Bool {
      if case .literal = self { false } else { true }
    }
  }

  private var pieces: [Piece] = []
  /// How many URLs the glob stands for.
  package private(set) var count = 1

  /// Whether a URL has a brace or a bracket, and so may be a glob.
  package static func isMeant(by text: ArgumentText) -> Bool {
    for byte in text.bytes where isBracket(byte) { return true }
    return false
  }

  package init(parsing text: ArgumentText) throws(Fault) {
    var reader = Reader(bytes: text.bytes)
    pieces = try reader.pieces()
    for piece in pieces {
      let (product, overflows) = count.multipliedReportingOverflow(by: piece.count)
      if overflows { throw .tooMany }
      count = product
    }
  }

  /// Returns the URL at `index`. The last choice varies fastest.
  package func element(_ index: Int) -> Element {
    // How many elements lie between two choices of a piece.
    var stride = count
    var rest = index
    var text: [UInt8] = []
    var choices: [[UInt8]] = []
    for piece in pieces {
      stride /= piece.count
      let start = text.count
      piece.append(rest / stride, to: &text)
      rest %= stride
      if piece.isChoice { choices.append(Array(text[start...])) }
    }
    return Element(text: ArgumentText(text), choices: choices)
  }

  private static func isBracket(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "}"), ASCII.openingBracket, ASCII.closingBracket: true
    default: false
    }
  }

  // MARK: Reading

  private struct Reader {
    let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) {
      self.bytes = bytes
    }

    mutating func pieces() throws(Fault) -> [Piece] {
      var pieces: [Piece] = []
      var literal: [UInt8] = []
      while index < bytes.count {
        let byte = bytes[index]
        switch byte {
        case ASCII.backslash where index + 1 < bytes.count && URLGlob.isBracket(bytes[index + 1]):
          literal.append(bytes[index + 1])
          index += 2
        case ASCII.openingBracket where index + 1 < bytes.count && bytes[index + 1] == ASCII.closingBracket:
          // `[]` ends the name of a list among the parameters of a query. curl takes it literally, too.
          literal += bytes[index...(index + 1)]
          index += 2
        case ASCII.openingBracket:
          if let end = addressEnd {
            literal += bytes[index...end]
            index = end + 1
          } else {
            pieces += [.literal(literal), try range()]
            literal = []
          }
        case UInt8(ascii: "{"):
          pieces += [.literal(literal), try words()]
          literal = []
        case ASCII.closingBracket, UInt8(ascii: "}"):
          throw .unmatched(at: index + 1)
        default:
          literal.append(byte)
          index += 1
        }
      }
      return pieces + [.literal(literal)]
    }

    /// The index of the bracket that ends an IPv6 address, if the current bracket begins one: digits and two colons,
    /// then perhaps a zone.
    private var addressEnd: Int? {
      guard let end = bytes[index...].firstIndex(of: ASCII.closingBracket) else { return nil }
      let address = bytes[(index + 1)..<end].prefix { $0 != ASCII.percent }
      let isOfDigits = address.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
          UInt8(ascii: "A")...UInt8(ascii: "F"), ASCII.colon, ASCII.period:
          true
        default: false
        }
      }
      return isOfDigits && address.filter({ $0 == ASCII.colon }).count >= 2 ? end : nil
    }

    private mutating func words() throws(Fault) -> Piece {
      let start = index
      var words: [[UInt8]] = []
      var word: [UInt8] = []
      index += 1
      while index < bytes.count {
        let byte = bytes[index]
        index += 1
        switch byte {
        case ASCII.backslash
        where index < bytes.count && (URLGlob.isBracket(bytes[index]) || bytes[index] == ASCII.comma):
          word.append(bytes[index])
          index += 1
        case UInt8(ascii: "{"), ASCII.openingBracket:
          throw .nestedBrace(at: index)
        case ASCII.closingBracket:
          throw .unmatched(at: index)
        case ASCII.comma:
          words.append(word)
          word = []
        case UInt8(ascii: "}"):
          if words.isEmpty, word.isEmpty { throw .emptyBraces(at: start + 1) }
          return .words(words + [word])
        default:
          word.append(byte)
        }
      }
      throw .unmatched(at: start + 1)
    }

    /// `[1-10]`, `[01-10:2]`, `[a-z]`, `[a-z:2]`.
    private mutating func range() throws(Fault) -> Piece {
      let start = index
      let fault = Fault.badRange(at: start + 1)
      guard let end = bytes[start...].firstIndex(of: ASCII.closingBracket) else { throw .unmatched(at: start + 1) }
      let text = bytes[(start + 1)..<end]
      index = end + 1
      guard let dash = text.firstIndex(of: ASCII.hyphen) else { throw fault }
      let colon = text[dash...].firstIndex(of: ASCII.colon)
      let (first, last) = (text[..<dash], text[(dash + 1)..<(colon ?? end)])
      let step = try colon.map { (colon) throws(Fault) in try number(text[(colon + 1)...], or: fault) } ?? 1
      guard step > 0 else { throw fault }
      if first.count == 1, last.count == 1, let lower = first.first, let upper = last.first, isLetter(lower) {
        guard isLetter(upper), lower <= upper, (lower < 0x60) == (upper < 0x60), step <= max(1, Int(upper - lower))
        else { throw fault }
        return .letters(first: lower, step: UInt8(step), count: Int(upper - lower) / step + 1)
      }
      let (lower, upper) = (try number(first, or: fault), try number(last, or: fault))
      guard lower <= upper, step <= max(1, upper - lower) else { throw fault }
      // Leading zeros are kept: all numbers are padded to the width of the first.
      let width = first.first == ASCII.zero ? first.count : 0
      return .numbers(first: lower, step: step, count: (upper - lower) / step + 1, width: width)
    }

    private func isLetter(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// The most digits of which an Int holds every number.
    private static let maximumDigits = 18

    private func number(_ digits: ArraySlice<UInt8>, or fault: Fault) throws(Fault) -> Int {
      guard !digits.isEmpty, digits.count <= Self.maximumDigits else { throw fault }
      var number = 0
      for digit in digits {
        guard ASCII.isDigit(digit) else { throw fault }
        number = number * 10 + Int(digit - ASCII.zero)
      }
      return number
    }
  }
}
