#if !canImport(UIKit) || os(Linux)
import Foundation

/// Looks of views as CSS declarations of GTK.
@MainActor
enum CSS {
  static func color(_ color: UIColor) -> String {
    let color = color.shown
    if let name = color.themeName {
      return color.opacity < 1 ? "alpha(@\(name), \(number(color.opacity)))" : "@\(name)"
    }
    func byte(_ value: CGFloat) -> Int { Int((value * 255).rounded()) }
    return "rgba(\(byte(color.red)), \(byte(color.green)), \(byte(color.blue)), \(number(color.opacity)))"
  }

  /// A number with a point, whatever the language of the system.
  private static func number(_ value: CGFloat) -> String {
    let thousandths = Int((value * 1_000).rounded())
    let digits = String(abs(thousandths) % 1_000)
    return "\(thousandths / 1_000).\(String(repeating: "0", count: 3 - digits.count))\(digits)"
  }

  /// Corners, border and, unless the content has it, the background.
  static func box(_ view: UIView, isContentFilled: Bool) -> String {
    var style = ""
    if let color = view.backgroundColor, !isContentFilled { style += "background-color: \(self.color(color));" }
    let layer = view.layer
    if layer.cornerRadius > 0 { style += " border-radius: \(number(layer.cornerRadius))px;" }
    if layer.borderWidth > 0 {
      style += " box-shadow: inset 0 0 0 \(number(layer.borderWidth))px \(color(layer.borderColor ?? .black));"
    }
    return style
  }

  static func text(_ font: UIFont?, _ color: UIColor?) -> String {
    var style = ""
    if let font { style += "font-size: \(number(font.pointSize))px; font-weight: \(font.isBold ? "bold" : "normal");" }
    if let color, color != .label { style += " color: \(self.color(color));" }
    return style
  }

  static func fill(_ view: UIView) -> String {
    guard let color = view.backgroundColor else { return "" }
    return " background: \(self.color(color));"
  }

  static func button(_ button: UIButton) -> String {
    var style =
      text(button.titleLabel?.font, button.currentTitleColor) + " padding: 0 4px; min-height: 0; min-width: 0;"
    if button.backgroundColor != nil { style += fill(button) + " border-color: transparent; box-shadow: none;" }
    if button.layer.cornerRadius > 0 { style += " border-radius: \(number(button.layer.cornerRadius))px;" }
    return style
  }
}
#endif
