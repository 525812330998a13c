extension Unicode.Scalar {
  /// Whether the scalar is invisible, but may change how the text beside it looks: a control, a separator of lines, or
  /// what Unicode calls Default_Ignorable_Code_Point, such as the marks that turn the direction of a text.
  ///
  /// `ArgumentText.visible` in FlagTable, which does not know this module, has other ranges, for what is printed on a
  /// terminal. They have characters that can be seen, such as those for private use. These have none, because a file
  /// name loses the characters for which this is true.
  package var isInvisible: Bool {
    switch value {
    case ..<0x20, 0x7f...0x9f, 0xad, 0x034f, 0x061c, 0x115f...0x1160, 0x17b4...0x17b5, 0x180b...0x180f,
      0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f, 0x3164, 0xfe00...0xfe0f, 0xfeff, 0xffa0, 0xfff0...0xfff8,
      0x1bca0...0x1bca3, 0x1d173...0x1d17a, 0xe0000...0xe0fff:
      true
    default: false
    }
  }

  /// Whether the scalar changes how the character before it looks, as in the flag of Wales: a variation selector, a
  /// joiner of graphemes, or a tag.
  var belongsToLast: Bool {
    switch value {
    case 0x034f, 0x180b...0x180d, 0x180f, 0xfe00...0xfe0f, 0xe0020...0xe007f, 0xe0100...0xe01ef: true
    default: false
    }
  }
}
