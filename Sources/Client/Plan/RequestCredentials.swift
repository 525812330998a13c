import FlagTable
import HTTPSemantics
import Interface
import Platform

extension RequestBuilder {
  /// `USER:PASSWORD`, with its origin.
  struct Credentials {
    let bytes: [UInt8]
    var areFromNetrc = false
  }

  /// Returns the credentials for a URL that was typed: those of an option, of a netrc file, or of the URL.
  func credentials(for reference: URIReference) throws(Failure) -> Credentials? {
    if let typed = options.credentials { return Credentials(bytes: typed.bytes) }
    if options.bearerToken != nil { return nil }
    let inURL = reference.userInfo
    if options.netrc == .optional, let inURL, inURL.hasPassword {
      return Credentials(bytes: inURL.userPass)
    }
    if options.netrc != nil || options.netrcFile != nil, let file = netrcFile, let netrc = try netrc(in: file),
      let found = netrc.credentials(for: reference.target.origin.host, user: inURL?.user)
    {
      // Control characters are not allowed, as in a URL: RFC 7617 section 2.
      guard found.allSatisfy({ $0 >= ASCII.space && $0 != 0x7f }) else {
        throw .unreadableInput(file.visible, "the credentials for this host hold a control character")
      }
      return Credentials(bytes: found, areFromNetrc: true)
    }
    return inURL.map { Credentials(bytes: $0.userPass) }
  }

  private var netrcFile: ArgumentText? {
    options.netrcFile ?? context.environment.path("HOME").map { ArgumentText($0.appending(".netrc").bytes) }
  }

  /// Returns `nil` if there is no file, and none was named.
  private func netrc(in file: ArgumentText) throws(Failure) -> Netrc? {
    do throws(Failure) {
      return try netrcFiles.netrc(in: file, context)
    } catch .input(_, .noSuchFile) where options.netrcFile == nil {
      return nil
    } catch {
      throw error
    }
  }
}
