/// A bound on combining marks in text from strangers.
///
/// Comparing and hashing strings sorts successive marks into their canonical order (Unicode Standard Annex 15), and the
/// standard library sorts by insertion. So n marks in a row cost n² steps, and one message of 256 KiB would keep a core
/// busy for minutes. Check such text here before it is compared, hashed or split.
public enum CombiningMarks {
  /// The most that may follow each other. Languages need a handful, and the Stream-Safe Text Format of the annex has
  /// room for 30; more than this nobody writes for fun.
  public static let longestRun = 128

  /// Whether no more than ``longestRun`` marks follow each other in `text`. Takes one pass.
  public static func areBounded(in text: some StringProtocol) -> Bool {
    // The first of them is U+0300, which begins with this byte.
    guard text.utf8.contains(where: { $0 >= 0xCC }) else { return true }
    var run = 0
    for scalar in text.unicodeScalars {
      if scalar.value < 0x300 || scalar.properties.canonicalCombiningClass == .notReordered {
        run = 0
      } else {
        run += 1
        if run > longestRun { return false }
      }
    }
    return true
  }
}
