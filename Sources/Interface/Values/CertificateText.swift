package import FlagTable
import HTTPSemantics

/// The value of `--cert`: a file's name, and behind a colon the password of its key.
package struct CertificateText: Equatable, Sendable {
  package let file: ArgumentText
  package let passphrase: ArgumentText?
  /// Where in the text the password begins; the end of the text if there is none.
  let secretStart: Int

  /// Reads `FILE` or `FILE:PASSWORD`. A backslash before a colon, or before another backslash, makes either a part of
  /// the name.
  package init(parsing text: ArgumentText) {
    var name: [UInt8] = []
    var rest = text.bytes[...]
    while let byte = rest.popFirst() {
      if byte == ASCII.backslash, let next = rest.first, next == ASCII.colon || next == ASCII.backslash {
        rest.removeFirst()
        name.append(next)
      } else if byte == ASCII.colon {
        file = ArgumentText(name)
        passphrase = ArgumentText(rest)
        secretStart = text.bytes.count - rest.count
        return
      } else {
        name.append(byte)
      }
    }
    file = ArgumentText(name)
    passphrase = nil
    secretStart = text.bytes.count
  }
}
