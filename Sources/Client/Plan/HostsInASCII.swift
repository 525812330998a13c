import FlagTable
import HTTPSemantics
import Transport

/// References whose host may not be in ASCII: they mean the same as with the host in ASCII.
extension URIReference {
  /// Does the same as `init(typed:)`, but the host need not be in ASCII.
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

  /// Does the same as `init(_:relativeTo:)`, but the host need not be in ASCII.
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
  /// Returns a URL, or a pattern of URLs, with its host in ASCII, if it has one.
  ///
  /// - Throws: `.malformedURL` if garner-idn cannot be used.
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
  /// Returns the reference that this text is. Its host need not be in ASCII.
  func reference(dotSegments: URIReference.DotSegments = .removed) throws(Failure) -> URIReference {
    do throws(URIError) {
      return try .typed(bytes, dotSegments: dotSegments)
    } catch {
      throw .malformedURL(visible, error)
    }
  }

  /// Returns the target of the URL that this text is. Unlike with `reference()`, its host must be in ASCII already:
  /// call `withHostInASCII()` first.
  func asciiTarget() throws(Failure) -> TargetURI {
    do throws(URIError) {
      return try URIReference(typed: bytes, slashes: .oneToThree).target
    } catch {
      throw .malformedURL(visible, error)
    }
  }
}
