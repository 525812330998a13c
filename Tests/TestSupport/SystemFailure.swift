import Glibc

/// The failure of a system call that the test bench needs.
package struct SystemFailure: Error, CustomStringConvertible {
  package let call: String
  package let code: Int32

  package init(_ call: String, code: Int32 = errno) {
    self.call = call
    self.code = code
  }

  package var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// Returns the result of a C call, or throws where it is negative.
@discardableResult
package func checked<Value: SignedInteger>(_ call: String, _ value: Value) throws(SystemFailure) -> Value {
  if value < 0 { throw SystemFailure(call) }
  return value
}

/// Closes a descriptor in programs that this process starts.
func closeOnExec(_ descriptor: Int32) {
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}
