#if !canImport(UIKit) || os(Linux)
import CDrawing
import Foundation

/// How much room text takes.
enum TextMetrics {
  /// The size of a text set in lines no longer than `width`; 0 `lines` are as many as it takes. Without Pango it is an
  /// estimate from the letters' usual width.
  static func size(of text: String, font: UIFont, width: CGFloat, lines: Int) -> CGSize {
    guard !text.isEmpty else { return .zero }
    guard parley_drawing_load() == nil else { return estimate(text, font, width, lines) }
    var (across, down) = (0.0, 0.0)
    let style = parley_text_style(
      size: font.pointSize, bold: font.isBold ? 1 : 0, alignment: 0, lines: Int32(clamping: lines))
    parley_text_measure(text, style, width < 100_000 ? width : -1, &across, &down)
    return CGSize(width: min(across, width), height: down)
  }

  private static func estimate(_ text: String, _ font: UIFont, _ width: CGFloat, _ lines: Int) -> CGSize {
    let letter = font.pointSize * (font.isBold ? 0.62 : 0.56)
    var count = 0
    var longest: CGFloat = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let length = CGFloat(line.count) * letter
      longest = max(longest, min(length, width))
      count += max(Int((length / max(width, letter)).rounded(.up)), 1)
    }
    if lines > 0 { count = min(count, lines) }
    return CGSize(width: longest.rounded(.up), height: CGFloat(count) * font.lineHeight)
  }
}
#endif
