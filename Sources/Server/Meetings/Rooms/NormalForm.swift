@_spi(_Unicode) import Swift

/// The one form in which room names are compared, whichever door they come through.
///
/// As Jitsi Meet and Meet Hour make names out of addresses: blanks and the signs that mean something in an address are left out, other
/// forms of letters are taken for the letters (NFKC), and capitals do not count.
enum NormalForm {
  /// The signs that are left out of names.
  static let signs: Set<Unicode.Scalar> = Set(":?#[]@!$&'()*+,;=></\"".unicodeScalars)

  /// A name without what is left out of names, in NFKC.
  static func of(_ text: some StringProtocol) -> String {
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !scalar.properties.isWhitespace && !signs.contains(scalar) {
      kept.append(scalar)
    }
    return compatible(String(kept))
  }

  /// What names are compared by: a name in NFKC, in lower case.
  static func key(_ name: String) -> String { composed(name.lowercased()) }

  /// NFKC: each character in its plain form, then composed.
  private static func compatible(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
    var plain = String.UnicodeScalarView()
    // Composed first, since the table has whole characters.
    for scalar in composed(text).unicodeScalars { plain.append(contentsOf: CompatibilityForms.plain(scalar)) }
    return composed(String(plain))
  }

  private static func composed(_ text: String) -> String {
    text._nfc.reduce(into: "") { $0.unicodeScalars.append($1) }
  }
}

/// Looks characters up in the ``CompatibilityTable``, which is read when a name first has others than those of ASCII.
private enum CompatibilityForms {
  struct Row {
    var source: UInt32
    var count: UInt32
    var step: UInt32
    var targets: [Unicode.Scalar]
  }

  static let rows: [Row] = read()

  static func plain(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if rows[middle].source <= scalar.value { low = middle + 1 } else { high = middle }
    }
    guard low > 0, scalar.value - rows[low - 1].source < rows[low - 1].count else { return [scalar] }
    let row = rows[low - 1]
    guard row.count > 1, let first = row.targets.first else { return row.targets }
    return Unicode.Scalar(first.value + (scalar.value - row.source) * row.step).map { [$0] } ?? [scalar]
  }

  private static func read() -> [Row] {
    CompatibilityTable.text.description.split(separator: " ").compactMap { entry in
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
