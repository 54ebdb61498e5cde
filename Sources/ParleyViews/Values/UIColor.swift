#if !canImport(UIKit) || os(Linux)
public import Foundation

/// A colour with opacity. The named system colours follow the theme of the desktop where a window shows them.
public final class UIColor: Hashable, Sendable {
  /// The components, 0 to 1.
  let red, green, blue, opacity: CGFloat
  /// The name by which a theme knows the colour, for system colours.
  let themeName: String?

  /// A colour by its components, each 0 to 1.
  public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(red: red, green: green, blue: blue, alpha: alpha, themeName: nil)
  }

  /// A grey: 0 is black, 1 white.
  public convenience init(white: CGFloat, alpha: CGFloat) {
    self.init(red: white, green: white, blue: white, alpha: alpha)
  }

  private init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat, themeName: String?) {
    func clamped(_ value: CGFloat) -> CGFloat { value.isFinite ? min(max(value, 0), 1) : 0 }
    self.red = clamped(red)
    self.green = clamped(green)
    self.blue = clamped(blue)
    opacity = clamped(alpha)
    self.themeName = themeName
  }

  /// A colour from 0xRRGGBB, with the theme's name for it if it has one.
  private convenience init(_ rgb: UInt32, alpha: CGFloat = 1, theme: String? = nil) {
    self.init(
      red: CGFloat(rgb >> 16 & 0xFF) / 255, green: CGFloat(rgb >> 8 & 0xFF) / 255, blue: CGFloat(rgb & 0xFF) / 255,
      alpha: alpha, themeName: theme)
  }

  /// The same colour with another opacity.
  public func withAlphaComponent(_ alpha: CGFloat) -> UIColor {
    UIColor(red: red, green: green, blue: blue, alpha: alpha, themeName: themeName)
  }

  /// Writes the components, each 0 to 1. A place that is nil is left out.
  @discardableResult
  public func getRed(
    _ red: UnsafeMutablePointer<CGFloat>?, green: UnsafeMutablePointer<CGFloat>?, blue: UnsafeMutablePointer<CGFloat>?,
    alpha: UnsafeMutablePointer<CGFloat>?
  ) -> Bool {
    red?.pointee = self.red
    green?.pointee = self.green
    blue?.pointee = self.blue
    alpha?.pointee = opacity
    return true
  }

  /// The colour as a layer takes it.
  public var cgColor: CGColor { self }

  /// The colour of a layer's.
  public convenience init(cgColor: CGColor) {
    self.init(
      red: cgColor.red, green: cgColor.green, blue: cgColor.blue, alpha: cgColor.opacity, themeName: cgColor.themeName)
  }

  /// Equal when the components and the theme's name are.
  public static func == (one: UIColor, other: UIColor) -> Bool {
    one.red == other.red && one.green == other.green && one.blue == other.blue && one.opacity == other.opacity
      && one.themeName == other.themeName
  }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(red)
    hasher.combine(green)
    hasher.combine(blue)
    hasher.combine(opacity)
    hasher.combine(themeName)
  }
}

/// The colour of a layer: the same values as ``UIColor``.
public typealias CGColor = UIColor

extension UIColor {
  /// Black.
  public static let black = UIColor(0x000000)
  /// Dark grey.
  public static let darkGray = UIColor(0x555555)
  /// Light grey.
  public static let lightGray = UIColor(0xAAAAAA)
  /// White.
  public static let white = UIColor(0xFFFFFF)
  /// Grey.
  public static let gray = UIColor(0x808080)
  /// Red.
  public static let red = UIColor(0xFF0000)
  /// Green.
  public static let green = UIColor(0x00FF00)
  /// Blue.
  public static let blue = UIColor(0x0000FF)
  /// Cyan.
  public static let cyan = UIColor(0x00FFFF)
  /// Yellow.
  public static let yellow = UIColor(0xFFFF00)
  /// Magenta.
  public static let magenta = UIColor(0xFF00FF)
  /// Orange.
  public static let orange = UIColor(0xFF8000)
  /// Purple.
  public static let purple = UIColor(0x800080)
  /// Brown.
  public static let brown = UIColor(0x996633)
  /// Nothing at all.
  public static let clear = UIColor(white: 0, alpha: 0)

  /// The red of a warning.
  public static let systemRed = UIColor(0xE01B24)
  /// The green of something that is well.
  public static let systemGreen = UIColor(0x2EC27E)
  /// The blue of what can be pressed.
  public static let systemBlue = UIColor(0x1C71D8)
  /// The orange of a caution.
  public static let systemOrange = UIColor(0xE66100)
  /// The yellow of something that waits.
  public static let systemYellow = UIColor(0xF5C211)
  /// A grey between text and background.
  public static let systemGray = UIColor(0x8E8E93)
  /// The background of a screen.
  public static let systemBackground = UIColor(0xFFFFFF, theme: "theme_base_color")
  /// The background of what lies on a screen.
  public static let secondarySystemBackground = UIColor(0xF6F5F4, theme: "theme_bg_color")
  /// The background of a screen of groups.
  public static let systemGroupedBackground = UIColor(0xF6F5F4, theme: "theme_bg_color")
  /// The background of a screen of groups, by its older name.
  public static let groupTableViewBackground = UIColor.systemGroupedBackground
  /// Text.
  public static let label = UIColor(0x1E1E1E, theme: "theme_fg_color")
  /// Text, by its older name.
  public static let darkText = UIColor.label
  /// Text of less weight.
  public static let secondaryLabel = UIColor(0x1E1E1E, alpha: 0.65, theme: "theme_fg_color")
  /// The line between rows.
  public static let separator = UIColor(0xD5D0CC, theme: "borders")
}
#endif
