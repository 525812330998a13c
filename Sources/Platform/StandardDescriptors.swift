import CPlatform

/// The descriptors 0 to 2: standard input, standard output and standard error.
package enum StandardDescriptors {
  /// Makes sure that descriptors 0 to 2 are open, so that no file that is opened later becomes standard output.
  ///
  /// Reading from or writing to a descriptor that was closed still fails, but standard error discards what is written,
  /// if there is a /dev/null.
  package static func ensureOpen() {
    let substitutes: [(number: Int32, options: OpenOptions)] = [(0, .writeOnly), (1, .readOnly), (2, .writeOnly)]
    for (number, options) in substitutes where cplatform_is_open(number) == 0 {
      // `open` takes the lowest free number, which is this one. It must survive exec, unlike all other descriptors.
      _ = cplatform_open_nothing(options.rawValue)
    }
  }
}
