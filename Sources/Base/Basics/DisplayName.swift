/// Cleans what people call themselves, so that a name can neither break a line nor draw nothing nor pretend to be
/// another.
public enum DisplayName {
  /// The most scalars of one character: emoji have up to a dozen, and one can be built of thousands of combining marks.
  private static let scalarsOfCharacter = 32

  /// The most bytes of UTF-8: 25 a character, as much as a family of four emoji takes. Everybody in a meeting gets
  /// every name, and a character alone may have 128.
  public static let maximumBytes = 2_000

  /// `text` with runs of blanks made one, and without control characters and what is invisible by design, at most
  /// `most` characters and `bytes` bytes long; nil when nothing that draws is left.
  ///
  /// Parts of emoji stay (UTS #51: joiners, selectors and tags), and so do joiners and variation selectors after a
  /// letter, which Persian, Indic and Japanese names need.
  public static func clean(_ text: String, most: Int = 80, bytes: Int = maximumBytes) -> String? {
    var name = String.UnicodeScalarView()
    var (count, isBlank) = (0, false)
    for character in text {
      if count >= most { break }
      let (whole, wasBlank) = (name, isBlank)
      let isEmoji = character.unicodeScalars.first.map { !$0.isASCII && $0.properties.isEmoji } ?? false
      var isKept = false
      for scalar in character.unicodeScalars.prefix(scalarsOfCharacter) {
        if blanks(scalar) {
          dropJoiners(at: &name)
          isBlank = !name.isEmpty
          continue
        }
        guard keeps(scalar, isEmoji: isEmoji, after: isBlank ? nil : name.last) else { continue }
        if isBlank {
          name.append(" ")
          count += 1
          isBlank = false
        }
        name.append(scalar)
        isKept = true
      }
      guard isKept else { continue }
      if name.utf8Count > bytes {
        (name, isBlank) = (whole, wasBlank)
        break
      }
      count += 1
    }
    dropJoiners(at: &name)
    while name.last == " " { name.removeLast() }
    return name.contains(where: draws) ? String(name) : nil
  }

  /// White space, and the symbols that are blank by design: no property says so of U+2800 BRAILLE PATTERN BLANK,
  /// U+1D159 MUSICAL SYMBOL NULL NOTEHEAD, U+FFFC OBJECT REPLACEMENT CHARACTER, and U+13441 and U+13442 EGYPTIAN
  /// HIEROGLYPH FULL and HALF BLANK.
  private static func blanks(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\u{2800}", "\u{1D159}", "\u{FFFC}", "\u{13441}", "\u{13442}": true
    default: scalar.properties.isWhitespace
    }
  }

  private static func keeps(_ scalar: Unicode.Scalar, isEmoji: Bool, after last: Unicode.Scalar?) -> Bool {
    let properties = scalar.properties
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return false
    // Direction overrides and invisible text.
    case .format where !isEmoji && !properties.isJoinControl: return false
    default: break
    }
    guard properties.isDefaultIgnorableCodePoint else { return true }
    guard let last, last != " " else { return false }
    return isEmoji || (properties.isJoinControl && !last.properties.isJoinControl) || properties.isVariationSelector
  }

  /// Whether a scalar can be seen by itself.
  private static func draws(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    return scalar != " " && !properties.isDefaultIgnorableCodePoint && properties.generalCategory != .nonspacingMark
  }

  private static func dropJoiners(at name: inout String.UnicodeScalarView) {
    while let last = name.last, last.properties.isJoinControl { name.removeLast() }
  }
}

extension String.UnicodeScalarView {
  fileprivate var utf8Count: Int { reduce(0) { $0 + UTF8.width($1) } }
}
