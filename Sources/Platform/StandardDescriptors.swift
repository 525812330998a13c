import CPlatform

package enum StandardDescriptors {
  /// Makes sure that descriptors 0 to 2 are open, so that no file that is opened later becomes standard output.
  ///
  /// Reading from what was closed, and writing to it, still fails; only standard error swallows.
  package static func ensureOpen() {
    let substitutes: [(number: Int32, options: OpenOptions)] = [(0, .writeOnly), (1, .readOnly), (2, .writeOnly)]
    for (number, options) in substitutes where cplatform_is_open(number) == 0 {
      // The lowest free number is taken, and this is it. It must survive exec, unlike everything else.
      _ = ("/dev/null" as Path).withCString { cplatform_open_inherited($0, options.rawValue) }
    }
  }
}
