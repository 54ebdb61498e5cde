import Signaling

/// Cleans what people call themselves, so that a name can neither break a line nor pretend to be something else.
enum DisplayName {
  /// `text` without control characters, line breaks and direction overrides, with runs of blanks made one, at most `most`
  /// characters long; nil when nothing visible is left.
  static func clean(_ text: String, most: Int = SignalingLimits.nameCharacters) -> String? {
    var scalars = String.UnicodeScalarView()
    var blank = false
    // A bound in scalars as well: one character can be built of thousands of combining marks.
    for scalar in text.unicodeScalars {
      if scalars.count >= most * 4 { break }
      if scalar.properties.isWhitespace {
        blank = !scalars.isEmpty
        continue
      }
      if isHidden(scalar) { continue }
      if blank {
        scalars.append(" ")
        blank = false
      }
      scalars.append(scalar)
    }
    var name = String(String(scalars).prefix(most))
    while name.last == " " { name.removeLast() }
    return name.unicodeScalars.contains {
      $0.properties.generalCategory != .nonspacingMark && $0 != "\u{200D}" && $0 != "\u{FE0F}"
    }
      ? name : nil
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return true
    // Format characters carry direction overrides and invisible text; the joiners and tags are part of emoji and scripts.
    case .format: return scalar != "\u{200D}" && scalar != "\u{200C}"
    default: return false
    }
  }
}
