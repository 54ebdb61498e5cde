#if !canImport(UIKit) || os(Linux)
public import Foundation

/// The system's font in a size and weight.
public final class UIFont: Hashable, Sendable {
  /// How heavy letters are.
  public struct Weight: Hashable, Sendable {
    /// From -1, hairline, over 0, regular, to 1, black.
    public let rawValue: CGFloat
    /// A weight by its number.
    public init(rawValue: CGFloat) { self.rawValue = rawValue }
    public static let light = Weight(rawValue: -0.4)
    public static let regular = Weight(rawValue: 0)
    public static let medium = Weight(rawValue: 0.23)
    /// Between medium and bold.
    public static let semibold = Weight(rawValue: 0.3)
    public static let bold = Weight(rawValue: 0.4)
  }

  /// The height of the letters' line in points.
  public let pointSize: CGFloat
  /// How heavy the letters are.
  let weight: Weight

  private init(size: CGFloat, weight: Weight) {
    pointSize = size.isFinite ? min(max(size, 1), 500) : UIFont.systemFontSize
    self.weight = weight
  }

  /// The size of plain text.
  public static let systemFontSize: CGFloat = 14
  /// The size of a label's text.
  public static let labelFontSize: CGFloat = 17
  /// The size of a button's title.
  public static let buttonFontSize: CGFloat = 18

  public static func systemFont(ofSize size: CGFloat) -> UIFont { UIFont(size: size, weight: .regular) }
  /// The system's font in a weight.
  public static func systemFont(ofSize size: CGFloat, weight: Weight) -> UIFont { UIFont(size: size, weight: weight) }
  /// The system's font in bold.
  public static func boldSystemFont(ofSize size: CGFloat) -> UIFont { UIFont(size: size, weight: .bold) }

  /// The same font in another size.
  public func withSize(_ size: CGFloat) -> UIFont { UIFont(size: size, weight: weight) }

  /// The height of a line of text.
  public var lineHeight: CGFloat { (pointSize * 1.2).rounded(.up) }

  var isBold: Bool { weight.rawValue >= Weight.semibold.rawValue }

  /// Equal when size and weight are.
  public static func == (one: UIFont, other: UIFont) -> Bool {
    one.pointSize == other.pointSize && one.weight == other.weight
  }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(pointSize)
    hasher.combine(weight)
  }
}

/// How lines of text lie in their view.
public enum NSTextAlignment: Int, Hashable, Sendable {
  case left = 0
  case center = 1
  case right = 2
  case justified = 3
  /// As the language has it; left here.
  case natural = 4
}

/// The treatment of text that is too long for its line.
public enum NSLineBreakMode: Int, Hashable, Sendable {
  /// It goes on in the next line, between words.
  case byWordWrapping = 0
  /// It goes on in the next line, between letters.
  case byCharWrapping = 1
  /// It is cut off.
  case byClipping = 2
  /// Its beginning is left out.
  case byTruncatingHead = 3
  /// Its end is left out.
  case byTruncatingTail = 4
  /// Its middle is left out.
  case byTruncatingMiddle = 5
}
#endif
