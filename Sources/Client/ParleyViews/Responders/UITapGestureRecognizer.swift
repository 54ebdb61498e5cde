#if !canImport(UIKit) || os(Linux)
public import Foundation

/// A tap or click: down and up again at about the same place.
open class UITapGestureRecognizer: UIGestureRecognizer {
  /// How many taps make the gesture.
  open var numberOfTapsRequired = 1
  /// How many fingers; more than one is never seen here.
  open var numberOfTouchesRequired = 1

  /// How far a finger may slip, in points.
  private static let tolerance: CGFloat = 10
  private var start = CGPoint.zero

  /// Waits for the touch to end.
  open override func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent) { start = position }

  /// Fails when the touch went too far.
  open override func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent) {
    if abs(position.x - start.x) > Self.tolerance || abs(position.y - start.y) > Self.tolerance { state = .failed }
  }

  /// Recognises the tap, if enough touches have ended.
  open override func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent) {
    touchesMoved(touches, with: event)
    guard state != .failed, touches.first?.tapCount ?? 1 >= numberOfTapsRequired, numberOfTouchesRequired == 1,
      delegate?.gestureRecognizerShouldBegin(self) != false
    else { return }
    state = .ended
  }
}

/// A drag: down, away, and up.
open class UIPanGestureRecognizer: UIGestureRecognizer {
  /// How far a finger must go before it is a drag, in points.
  private static let threshold: CGFloat = 10
  private var origin = CGPoint.zero
  private var last: (position: CGPoint, time: TimeInterval) = (.zero, 0)
  private var speed = CGPoint.zero

  /// How far the drag went since it began, or since ``setTranslation(_:in:)``.
  open func translation(in view: UIView?) -> CGPoint {
    CGPoint(x: position.x - origin.x, y: position.y - origin.y)
  }

  /// Makes the distance so far count as `translation`.
  open func setTranslation(_ translation: CGPoint, in view: UIView?) {
    origin = CGPoint(x: position.x - translation.x, y: position.y - translation.y)
  }

  /// How fast the finger goes, in points a second.
  open func velocity(in view: UIView?) -> CGPoint { speed }

  /// Waits for the touch to move.
  open override func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent) {
    origin = position
    speed = .zero
    last = (position, touches.first?.timestamp ?? 0)
  }

  /// Begins or goes on.
  open override func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent) {
    let time = touches.first?.timestamp ?? 0
    if time > last.time {
      speed = CGPoint(
        x: (position.x - last.position.x) / CGFloat(time - last.time),
        y: (position.y - last.position.y) / CGFloat(time - last.time))
    }
    last = (position, time)
    switch state {
    case .possible:
      let way = translation(in: nil)
      guard max(abs(way.x), abs(way.y)) >= Self.threshold else { return }
      state = mayBegin(way) ? .began : .failed
    case .began, .changed: state = .changed
    case .ended, .cancelled, .failed: break
    }
  }

  /// Whether a drag that has gone so far counts.
  func mayBegin(_ way: CGPoint) -> Bool { delegate?.gestureRecognizerShouldBegin(self) != false }

  open override func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent) {
    state = state == .began || state == .changed ? .ended : .failed
  }
}
#endif
