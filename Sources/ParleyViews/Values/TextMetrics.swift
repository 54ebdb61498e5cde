#if !canImport(UIKit)
import Foundation

/// How much room text takes.
enum TextMetrics {
  /// The size of a text set in lines no longer than `width`; 0 `lines` are as many as it takes. An estimate from the letters' usual width.
  static func size(of text: String, font: UIFont, width: CGFloat, lines: Int) -> CGSize {
    guard !text.isEmpty else { return .zero }
    let letter = font.pointSize * (font.isBold ? 0.62 : 0.56)
    var count = 0
    var longest: CGFloat = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let length = CGFloat(line.count) * letter
      longest = max(longest, min(length, width))
      count += max(Int((length / width).rounded(.up)), 1)
    }
    if lines > 0 { count = min(count, lines) }
    return CGSize(width: longest.rounded(.up), height: CGFloat(count) * font.lineHeight)
  }
}
#endif
