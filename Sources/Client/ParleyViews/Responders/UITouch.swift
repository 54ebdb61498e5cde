#if !canImport(UIKit) || os(Linux)
public import Foundation

/// A finger on the screen, or a pointer with its button down.
@preconcurrency @MainActor
public final class UITouch {
  /// The phase of a touch.
  public enum Phase: Int, Hashable, Sendable {
    case began = 0
    case moved = 1
    case stationary = 2
    case ended = 3
    /// Does not count any more.
    case cancelled = 4
  }

  public internal(set) var phase: Phase = .began
  /// How many times it came down at the same place in quick succession.
  public internal(set) var tapCount = 1
  /// When it last changed, in seconds.
  public internal(set) var timestamp: TimeInterval = 0
  /// The window it is in.
  public internal(set) weak var window: UIWindow?
  /// The view that it came down on.
  public internal(set) weak var view: UIView?
  /// The present and the earlier place, in the window's coordinates.
  var position: CGPoint
  var previousPosition: CGPoint

  init(at position: CGPoint, in window: UIWindow) {
    self.position = position
    previousPosition = position
    self.window = window
  }

  /// The place in a view's coordinates; nil for the window's.
  public func location(in view: UIView?) -> CGPoint { view?.convert(position, from: nil) ?? position }
  /// The place before its last move, in a view's coordinates; nil for the window's.
  public func previousLocation(in view: UIView?) -> CGPoint {
    view?.convert(previousPosition, from: nil) ?? previousPosition
  }
}

extension UITouch: Hashable {
  /// Whether they are the same touch.
  nonisolated public static func == (one: UITouch, other: UITouch) -> Bool { one === other }
  /// Hashes the touch's identity.
  nonisolated public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Touches that happen together.
@preconcurrency @MainActor
open class UIEvent {
  public internal(set) var allTouches: Set<UITouch>?

  init(touches: Set<UITouch>?) { allTouches = touches }
}
#endif
