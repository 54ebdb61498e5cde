/// Initials for a participant without an avatar.
public enum Initials {
  /// The first grapheme clusters (UAX #29) of the first and the last word of `name`, in title case; "?" where nothing
  /// can stand for it.
  ///
  /// A cluster with a letter or digit comes before modifier letters, which look like quotation marks (ʻOkina, ʿAlī).
  /// These come before signs. Of a word its first such cluster stands, and words without any count only where no word
  /// has one. Title case that needs more characters (ß, ﬁ) stays as it is written.
  public static func of(_ name: String) -> String {
    let words = name.split(whereSeparator: isSeparator).flatMap { word in
      // In names such as 约翰·史密斯 the dot (U+00B7, and U+0387, which equals it) parts words; in Catalan (Gal·la) it
      // is within one.
      word.unicodeScalars.first?.properties.isIdeographic == true ? word.split(separator: "·") : [word]
    }
    let letters = words.compactMap { $0.first(where: isLetter) ?? $0.first(where: isModifier) }
    let chosen = letters.isEmpty ? words.compactMap { $0.first(where: isSign) } : letters
    guard let first = chosen.first else { return "?" }
    guard chosen.count > 1, let last = chosen.last else { return titleCase(first) }
    return titleCase(first) + titleCase(last)
  }

  /// White space, dashes of all scripts, connectors such as "_", full stops and Japanese middle dots.
  private static func isSeparator(_ character: Character) -> Bool {
    guard let scalar = character.unicodeScalars.first else { return false }
    switch scalar.properties.generalCategory {
    case .dashPunctuation, .connectorPunctuation: return true
    default: return scalar.properties.isWhitespace || "．.・･".unicodeScalars.contains(scalar)
    }
  }

  private static func isLetter(_ character: Character) -> Bool {
    guard let scalar = character.unicodeScalars.first, !scalar.properties.isDefaultIgnorableCodePoint,
      !isKeycap(character)
    else { return false }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter, .decimalNumber, .letterNumber,
      .otherNumber:
      return true
    // ⓐ, but not Ⓜ, which is drawn as an emoji.
    case .otherSymbol: return scalar.properties.isAlphabetic && !scalar.properties.isEmoji
    default: return false
    }
  }

  private static func isModifier(_ character: Character) -> Bool {
    character.unicodeScalars.first?.properties.generalCategory == .modifierLetter
  }

  /// An emoji such as 1️⃣, which begins with a digit.
  private static func isKeycap(_ character: Character) -> Bool { character.unicodeScalars.contains("\u{20E3}") }

  private static func isSign(_ character: Character) -> Bool {
    character.unicodeScalars.first.map { scalar in
      switch scalar.properties.generalCategory {
      case .otherSymbol, .mathSymbol, .currencySymbol, .modifierSymbol: true
      default: isKeycap(character)
      }
    } ?? false
  }

  /// Not upper case, which Georgian (Mkhedruli) has for whole words alone, and which turns ǆ into Ǆ instead of ǅ.
  private static func titleCase(_ character: Character) -> String {
    guard let first = character.unicodeScalars.first else { return "" }
    let title = first.properties.titlecaseMapping + String(character.unicodeScalars.dropFirst())
    return title.count == 1 ? title : String(character)
  }
}
