import CTestSupport

/// A pipe. Its owner has to close both ends.
package struct Pipe {
  package let reading: Int32
  package let writing: Int32

  package init() throws(SystemFailure) {
    var ends: [Int32] = [0, 0]
    try checked("pipe", testSupportPipe(&ends))
    (reading, writing) = (ends[0], ends[1])
  }
}
