#if !canImport(UIKit) || os(Linux)
import Foundation
import Synchronization

/// Whether an app is light or dark.
public enum UIUserInterfaceStyle: Int, Hashable, Sendable {
  /// As the desktop has it.
  case unspecified = 0
  /// Dark text on a light ground.
  case light = 1
  /// Light text on a dark ground.
  case dark = 2
}

/// The traits that screens may depend on: here whether they are light or dark.
public final class UITraitCollection: Hashable, Sendable {
  /// Whether it is light or dark.
  public let userInterfaceStyle: UIUserInterfaceStyle

  /// Traits of a style.
  public init(userInterfaceStyle: UIUserInterfaceStyle) { self.userInterfaceStyle = userInterfaceStyle }

  private static let shown = Atomic(UIUserInterfaceStyle.light.rawValue)

  /// The traits that the app is shown with.
  public static var current: UITraitCollection {
    UITraitCollection(userInterfaceStyle: UIUserInterfaceStyle(rawValue: shown.load(ordering: .relaxed)) ?? .light)
  }

  static func show(_ style: UIUserInterfaceStyle) { shown.store(style.rawValue, ordering: .relaxed) }

  /// Whether colours are others than with other traits.
  public func hasDifferentColorAppearance(comparedTo traitCollection: UITraitCollection?) -> Bool {
    userInterfaceStyle != traitCollection?.userInterfaceStyle
  }

  /// Equal when the styles are.
  public static func == (one: UITraitCollection, other: UITraitCollection) -> Bool {
    one.userInterfaceStyle == other.userInterfaceStyle
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(userInterfaceStyle) }
}

extension UIView {
  /// The traits that it is shown with: the app's.
  public var traitCollection: UITraitCollection { .current }
}

extension UIViewController {
  /// The traits that it is shown with: the app's.
  public var traitCollection: UITraitCollection { .current }
}
#endif
