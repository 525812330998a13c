import CPlatform

/// Unpredictable random bytes. The corresponding C function is `getrandom`.
package enum SecureRandom {
  package static func bytes(count: Int) throws(Errno) -> [UInt8] {
    var failure: Errno?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(Errno) {
        while filled < count {
          let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<count])
          filled += Int(try retryingOnInterrupt { cplatform_random(rest.baseAddress, rest.count) })
        }
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Returns `count` random bytes as twice as many digits.
  package static func hexadecimal(bytes count: Int) throws(Errno) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let random = try bytes(count: count)
    return String(decoding: random.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
