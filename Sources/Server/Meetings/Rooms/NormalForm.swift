import Basics

/// The one form in which room names are compared, whichever endpoint they come through.
///
/// As Jitsi Meet and Meet Hour make names out of addresses: blanks and the signs that mean something in an address are
/// left out, other forms of letters are taken for the letters (NFKC), and capitals do not count.
enum NormalForm {
  /// The signs that are left out of names.
  static let signs: Set<Unicode.Scalar> = Set(":?#[]@!$&'()*+,;=></\"".unicodeScalars)

  /// A name without what is left out of names, in NFKC.
  static func of(_ text: some StringProtocol) -> String {
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !scalar.properties.isWhitespace && !signs.contains(scalar) {
      kept.append(scalar)
    }
    return CompatibilityForm.letters(of: String(kept))
  }

  /// The form in which names are compared: NFKC, in lower case.
  static func key(_ name: String) -> String { CompatibilityForm.composed(name.lowercased()) }
}
