#if !canImport(UIKit) || os(Linux)
public import Foundation

extension UIView {
  /// How an animation goes; kept for apps that name it.
  public struct AnimationOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Options by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Slow at both ends.
    public static let curveEaseInOut: AnimationOptions = []
    /// Lays out inside the animation.
    public static let layoutSubviews = AnimationOptions(rawValue: 1)
    /// Touches count during the animation.
    public static let allowUserInteraction = AnimationOptions(rawValue: 2)
    /// Begins where the one before is.
    public static let beginFromCurrentState = AnimationOptions(rawValue: 4)
    /// Slow at the beginning.
    public static let curveEaseIn = AnimationOptions(rawValue: 1 << 16)
    /// Slow at the end.
    public static let curveEaseOut = AnimationOptions(rawValue: 2 << 16)
    public static let curveLinear = AnimationOptions(rawValue: 3 << 16)
  }

  /// Makes changes. Nothing moves gradually here: they count at once, and `completion` is called on the main actor's
  /// next turn.
  @preconcurrency
  public static func animate(
    withDuration duration: TimeInterval, animations: () -> Void,
    completion: (@MainActor @Sendable (Bool) -> Void)? = nil
  ) {
    animations()
    if let completion { Task { @MainActor in completion(true) } }
  }

  /// Makes changes, as ``animate(withDuration:animations:completion:)``.
  @preconcurrency
  public static func animate(
    withDuration duration: TimeInterval, delay: TimeInterval, options: AnimationOptions = [], animations: () -> Void,
    completion: (@MainActor @Sendable (Bool) -> Void)? = nil
  ) {
    animate(withDuration: duration, animations: animations, completion: completion)
  }

  /// Makes changes, as ``animate(withDuration:animations:completion:)``.
  @preconcurrency
  public static func animate(
    withDuration duration: TimeInterval, delay: TimeInterval, usingSpringWithDamping dampingRatio: CGFloat,
    initialSpringVelocity velocity: CGFloat, options: AnimationOptions = [], animations: () -> Void,
    completion: (@MainActor @Sendable (Bool) -> Void)? = nil
  ) {
    animate(withDuration: duration, animations: animations, completion: completion)
  }
}
#endif
