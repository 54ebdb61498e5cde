@_spi(_Unicode) import Swift

/// Texts in forms that are the same however they were typed (Unicode Standard Annex 15).
public enum CompatibilityForm {
  /// NFKC: every character in its plain form, then composed.
  public static func nfkc(_ text: String) -> String {
    plain(text) { CompatibilityLookup.letters[$0] ?? CompatibilityLookup.signs[$0] }
  }

  /// As ``nfkc(_:)``, but only letters and digits take their plain form: nothing becomes a blank or a sign.
  public static func letters(of text: String) -> String { plain(text) { CompatibilityLookup.letters[$0] } }

  /// NFC: letters and their marks in one piece where there is one.
  public static func composed(_ text: String) -> String {
    text._nfc.reduce(into: "") { $0.unicodeScalars.append($1) }
  }

  private static func plain(_ text: String, _ form: (Unicode.Scalar) -> [Unicode.Scalar]?) -> String {
    guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
    var plain = String.UnicodeScalarView()
    // Composed first, since the table has whole characters.
    for scalar in composed(text).unicodeScalars { plain.append(contentsOf: form(scalar) ?? [scalar]) }
    return composed(String(plain))
  }
}

/// Looks characters up in one part of the ``CompatibilityTable``, which is read when a text first has others than those
/// of ASCII.
private struct CompatibilityLookup: Sendable {
  private struct Row {
    var source: UInt32
    var count: UInt32
    var step: UInt32
    var targets: [Unicode.Scalar]
  }

  static let letters = CompatibilityLookup(CompatibilityTable.letters)
  static let signs = CompatibilityLookup(CompatibilityTable.signs)

  private let rows: [Row]

  /// The plain form of a character; nil where it is plain itself, or isn't in this part.
  subscript(scalar: Unicode.Scalar) -> [Unicode.Scalar]? {
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if rows[middle].source <= scalar.value { low = middle + 1 } else { high = middle }
    }
    guard low > 0, scalar.value - rows[low - 1].source < rows[low - 1].count else { return nil }
    let row = rows[low - 1]
    guard row.count > 1, let first = row.targets.first else { return row.targets }
    return Unicode.Scalar(first.value + (scalar.value - row.source) * row.step).map { [$0] }
  }

  private init(_ text: StaticString) {
    rows = text.description.split(separator: " ").compactMap { entry in
      let parts = entry.split(separator: "=")
      let targets = parts[1].split(separator: "+").compactMap { UInt32($0, radix: 16).flatMap(Unicode.Scalar.init) }
      let source = parts[0].split { $0 == "-" || $0 == "*" }
      guard let first = UInt32(source[0], radix: 16) else { return nil }
      return Row(
        source: first, count: source.count > 1 ? UInt32(source[1], radix: 16) ?? 1 : 1,
        step: parts[0].contains("*") ? 0 : 1, targets: targets)
    }
  }
}
