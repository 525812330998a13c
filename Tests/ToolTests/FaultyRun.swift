import TestSupport
import Testing

/// Runs the tool with a fault in one of its calls that concern the store: see FaultShim.h.
///
/// - Parameters:
///   - path: the end of the paths whose calls are counted; `nil` for all calls.
///   - wrapper: a command that the tool is run through.
func attempt(
  _ plan: String, _ arguments: [String], _ home: TemporaryDirectory, at path: String? = nil,
  through wrapper: [String] = []
) throws -> (result: ToolResult, isMet: Bool) {
  let log = try home.write("", to: "log")
  let result = try runTool(arguments, home: home) {
    $0.environment["LD_PRELOAD"] = BuiltTool.faultShimPath
    $0.environment["GARNER_FAULT_STORE"] = home.path("cache/garner")
    $0.environment["GARNER_FAULT_LOG"] = log
    $0.environment["GARNER_FAULT_PLAN"] = plan
    $0.environment["GARNER_FAULT_PATH"] = path
    $0.wrapper = wrapper
  }
  return (result, isMet: try !home.read("log").isEmpty)
}

/// Runs the tool like `attempt`, and requires that the faulty call was made.
func faulty(
  _ plan: String, _ arguments: [String], _ home: TemporaryDirectory, at path: String? = nil
) throws -> ToolResult {
  let (result, isMet) = try attempt(plan, arguments, home, at: path)
  #expect(isMet, "no call was met by \(plan)")
  return result
}
