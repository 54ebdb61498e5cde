#if !canImport(UIKit) || os(Linux)
public import Foundation

/// A colour with opacity. The named system colours follow the theme of the desktop where a window shows them; others
/// may be one colour where the app is light and another where it is dark:
///
/// ```swift
/// let ground = UIColor { $0.userInterfaceStyle == .dark ? .black : .white }
/// ```
public final class UIColor: Hashable, Sendable {
  /// The components, 0 to 1; of a colour that comes in a pair those of the light one.
  let red, green, blue, opacity: CGFloat
  /// The name by which a theme knows the colour, for system colours.
  let themeName: String?
  /// The colour by the traits; nil when it is the same with all.
  private let provider: (@Sendable (UITraitCollection) -> UIColor)?

  /// A colour by its components, each 0 to 1.
  public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(red: red, green: green, blue: blue, alpha: alpha, themeName: nil)
  }

  /// A grey: 0 is black, 1 white.
  public convenience init(white: CGFloat, alpha: CGFloat) {
    self.init(red: white, green: white, blue: white, alpha: alpha)
  }

  /// A colour that depends on whether the app is light or dark. The closure is asked whenever it is drawn.
  public convenience init(dynamicProvider: @escaping @Sendable (UITraitCollection) -> UIColor) {
    let light = dynamicProvider(UITraitCollection(userInterfaceStyle: .light))
    self.init(
      red: light.red, green: light.green, blue: light.blue, alpha: light.opacity, themeName: nil,
      provider: dynamicProvider)
  }

  private init(
    red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat, themeName: String?,
    provider: (@Sendable (UITraitCollection) -> UIColor)? = nil
  ) {
    func clamped(_ value: CGFloat) -> CGFloat { value.isFinite ? min(max(value, 0), 1) : 0 }
    self.red = clamped(red)
    self.green = clamped(green)
    self.blue = clamped(blue)
    opacity = clamped(alpha)
    self.themeName = themeName
    self.provider = provider
  }

  /// A colour from 0xRRGGBB, with the theme's name for it if it has one.
  private convenience init(_ rgb: UInt32, alpha: CGFloat = 1, theme: String? = nil) {
    self.init(
      red: CGFloat(rgb >> 16 & 0xFF) / 255, green: CGFloat(rgb >> 8 & 0xFF) / 255, blue: CGFloat(rgb & 0xFF) / 255,
      alpha: alpha, themeName: theme)
  }

  /// A colour of the theme: two that stand for it where no desktop draws, and its name where one does.
  private convenience init(_ light: UInt32, dark: UInt32, alpha: CGFloat = 1, theme: String) {
    self.init { UIColor($0.userInterfaceStyle == .dark ? dark : light, alpha: alpha, theme: theme) }
  }

  /// The colour that it is with these traits.
  public func resolvedColor(with traitCollection: UITraitCollection) -> UIColor {
    provider?(traitCollection).resolvedColor(with: traitCollection) ?? self
  }

  /// The colour that it is now.
  var shown: UIColor { provider == nil ? self : resolvedColor(with: .current) }

  /// The same colour with another opacity.
  public func withAlphaComponent(_ alpha: CGFloat) -> UIColor {
    guard let provider else {
      return UIColor(red: red, green: green, blue: blue, alpha: alpha, themeName: themeName)
    }
    return UIColor { provider($0).withAlphaComponent(alpha) }
  }

  /// Writes the components, each 0 to 1. A place that is nil is left out.
  @discardableResult
  public func getRed(
    _ red: UnsafeMutablePointer<CGFloat>?, green: UnsafeMutablePointer<CGFloat>?, blue: UnsafeMutablePointer<CGFloat>?,
    alpha: UnsafeMutablePointer<CGFloat>?
  ) -> Bool {
    let shown = shown
    red?.pointee = shown.red
    green?.pointee = shown.green
    blue?.pointee = shown.blue
    alpha?.pointee = shown.opacity
    return true
  }

  /// The colour as a layer takes it.
  public var cgColor: CGColor { self }

  /// The colour of a layer's.
  public convenience init(cgColor: CGColor) {
    self.init(
      red: cgColor.red, green: cgColor.green, blue: cgColor.blue, alpha: cgColor.opacity, themeName: cgColor.themeName,
      provider: cgColor.provider)
  }

  /// Equal when the components and the theme's name are; one that comes in a pair is equal to itself only.
  public static func == (one: UIColor, other: UIColor) -> Bool {
    if one.provider != nil || other.provider != nil { return one === other }
    return one.red == other.red && one.green == other.green && one.blue == other.blue && one.opacity == other.opacity
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
  public static let black = UIColor(0x000000)
  public static let darkGray = UIColor(0x555555)
  public static let lightGray = UIColor(0xAAAAAA)
  public static let white = UIColor(0xFFFFFF)
  public static let gray = UIColor(0x808080)
  public static let red = UIColor(0xFF0000)
  public static let green = UIColor(0x00FF00)
  public static let blue = UIColor(0x0000FF)
  public static let cyan = UIColor(0x00FFFF)
  public static let yellow = UIColor(0xFFFF00)
  public static let magenta = UIColor(0xFF00FF)
  public static let orange = UIColor(0xFF8000)
  public static let purple = UIColor(0x800080)
  public static let brown = UIColor(0x996633)
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
  /// The pink of the system.
  public static let systemPink = UIColor(0xDC3C82)
  /// The purple of the system.
  public static let systemPurple = UIColor(0x9141AC)
  /// The teal of the system.
  public static let systemTeal = UIColor(0x2190A4)
  /// The indigo of the system.
  public static let systemIndigo = UIColor(0x5E5CD6)
  /// An address that leads on.
  public static let link = UIColor.systemBlue
  /// The background of a screen.
  public static let systemBackground = UIColor(0xFFFFFF, dark: 0x2D2D2D, theme: "theme_base_color")
  /// The background of what lies on a screen.
  public static let secondarySystemBackground = UIColor(0xF6F5F4, dark: 0x353535, theme: "theme_bg_color")
  /// The background of what lies on that.
  public static let tertiarySystemBackground = UIColor.systemBackground
  /// The background of a screen of groups.
  public static let systemGroupedBackground = UIColor.secondarySystemBackground
  /// The background of a group on such a screen.
  public static let secondarySystemGroupedBackground = UIColor.systemBackground
  /// The background of a screen of groups, by its older name.
  public static let groupTableViewBackground = UIColor.systemGroupedBackground
  public static let label = UIColor(0x1E1E1E, dark: 0xEEEEEC, theme: "theme_fg_color")
  /// Text on a light ground, in apps that are dark, too.
  public static let darkText = UIColor(0x1E1E1E)
  /// Text on a dark ground, in apps that are light, too.
  public static let lightText = UIColor(0xFFFFFF, alpha: 0.65)
  /// Text of less weight.
  public static let secondaryLabel = UIColor(0x1E1E1E, dark: 0xEEEEEC, alpha: 0.65, theme: "theme_fg_color")
  /// Text of still less weight.
  public static let tertiaryLabel = UIColor(0x1E1E1E, dark: 0xEEEEEC, alpha: 0.55, theme: "theme_fg_color")
  /// The text of an empty field.
  public static let placeholderText = UIColor.tertiaryLabel
  /// The line between rows.
  public static let separator = UIColor(0xD5D0CC, dark: 0x1B1B1B, theme: "borders")
  /// The line between rows, which nothing shines through.
  public static let opaqueSeparator = UIColor.separator
}

// An app picks a colour where it wants it: `#colorLiteral(red: 1, green: 0, blue: 0, alpha: 1)`.
extension UIColor: _ExpressibleByColorLiteral {
  public convenience init(_colorLiteralRed red: Float, green: Float, blue: Float, alpha: Float) {
    self.init(red: CGFloat(red), green: CGFloat(green), blue: CGFloat(blue), alpha: CGFloat(alpha))
  }
}

/// The type that the compiler gives a colour literal.
public typealias _ColorLiteralType = UIColor
#endif
