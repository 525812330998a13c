import FlagTable
import HTTPSemantics
import Transport

/// What somebody wrote with a host that is not in ASCII is what it would be with that in ASCII.
extension URIReference {
  /// As `init(typed:)`, whatever the host is in.
  static func typed(
    _ bytes: [UInt8], slashes: Slashes = .oneToThree, dotSegments: DotSegments = .removed
  ) throws(URIError) -> URIReference {
    do throws(URIError) {
      return try URIReference(typed: bytes, slashes: slashes, dotSegments: dotSegments)
    } catch .hostBeyondASCII {
      let bytes = try mappingHost(of: bytes, isTyped: true, HostNames.ascii)
      return try URIReference(typed: bytes, slashes: slashes, dotSegments: dotSegments)
    }
  }

  /// As `init(_:relativeTo:)`, whatever the host is in.
  static func received(_ reference: FieldValue, relativeTo base: TargetURI) throws(URIError) -> URIReference {
    do throws(URIError) {
      return try URIReference(reference, relativeTo: base)
    } catch .hostBeyondASCII {
      let bytes = try mappingHost(of: reference.bytes, isTyped: false, HostNames.ascii)
      return try URIReference(FieldValue(bytes), relativeTo: base)
    }
  }
}

extension ArgumentText {
  /// A pattern of URLs, or a URL, with its host in ASCII where it has one.
  ///
  /// - Throws: where nothing can tell.
  func withHostInASCII() throws(Failure) -> ArgumentText {
    if bytes.allSatisfy({ $0 < 0x80 && $0 != ASCII.percent }) { return self }
    do throws(URIError) {
      return ArgumentText(try URIReference.mappingHost(of: bytes, isTyped: true, HostNames.ascii))
    } catch .hostNotMapped(let reason) {
      throw .malformedURL(visible, .hostNotMapped(reason: reason))
    } catch {
      return self
    }
  }
}

extension ArgumentText {
  /// The URL that it is.
  func target() throws(Failure) -> TargetURI {
    do throws(URIError) {
      return try URIReference(typed: bytes, slashes: .oneToThree).target
    } catch {
      throw .malformedURL(visible, error)
    }
  }
}
