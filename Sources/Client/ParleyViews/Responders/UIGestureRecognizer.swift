#if !canImport(UIKit) || os(Linux)
public import Foundation

/// Watches the touches of a view and its subviews, and calls when they form a gesture.
///
/// Linux has no selectors. A gesture calls a closure, or a method by its name without `#selector`:
///
/// ```swift
/// view.addGestureRecognizer(UITapGestureRecognizer(target: self, action: ViewController.showName))
/// view.addGestureRecognizer(UITapGestureRecognizer { [weak self] _ in self?.showName() })
/// ```
@preconcurrency @MainActor
open class UIGestureRecognizer {
  /// How far a gesture is.
  public enum State: Int, Hashable, Sendable {
    /// The touches may still become the gesture.
    case possible = 0
    /// A gesture that goes on has begun.
    case began = 1
    /// The gesture continues; its touches moved.
    case changed = 2
    /// It is over, or a single gesture was made.
    case ended = 3
    /// It was broken off.
    case cancelled = 4
    /// The touches made another gesture.
    case failed = 5
    /// A single gesture was made.
    public static let recognized = State.ended
  }

  private struct Target {
    weak var object: AnyObject?
    let isWeak: Bool
    let call: @MainActor (UIGestureRecognizer) -> Void
  }

  private var targets: [Target] = []

  /// How far it is. Setting it calls the targets.
  open var state: State = .possible {
    didSet {
      guard state != .possible, state != .failed else { return }
      for target in targets where !target.isWeak || target.object != nil { target.call(self) }
    }
  }
  open var isEnabled = true
  /// The view whose touches it watches.
  open internal(set) weak var view: UIView?
  /// Asked before touches are accepted and before the gesture begins.
  open weak var delegate: (any UIGestureRecognizerDelegate)?
  /// Whether the view's own touches end when the gesture is recognised.
  open var cancelsTouchesInView = true
  /// The touch's place, in the window's coordinates.
  var position = CGPoint.zero
  weak var window: UIWindow?

  /// A recogniser that calls nobody yet.
  public init() {}

  /// A recogniser that calls a closure.
  public init(handler: @escaping @MainActor (UIGestureRecognizer) -> Void) {
    targets.append(Target(object: nil, isWeak: false, call: handler))
  }

  /// A recogniser that calls a method of `target`, which is held weakly.
  public init<T: AnyObject>(target: T, action: @escaping @MainActor (T) -> @MainActor () -> Void) {
    addTarget(target, action: action)
  }

  /// A recogniser that calls a method of `target` with itself; `target` is held weakly.
  public init<T: AnyObject, G: UIGestureRecognizer>(
    target: T, action: @escaping @MainActor (T) -> @MainActor (G) -> Void
  ) {
    addTarget(target, action: action)
  }

  /// Calls a method of `target` from now on, too.
  open func addTarget<T: AnyObject>(_ target: T, action: @escaping @MainActor (T) -> @MainActor () -> Void) {
    targets.append(
      Target(object: target, isWeak: true) { [weak target] _ in
        if let target { action(target)() }
      })
  }

  /// Calls a method of `target` with this recogniser from now on, too.
  open func addTarget<T: AnyObject, G: UIGestureRecognizer>(
    _ target: T, action: @escaping @MainActor (T) -> @MainActor (G) -> Void
  ) {
    targets.append(
      Target(object: target, isWeak: true) { [weak target] recognizer in
        if let target, let recognizer = recognizer as? G { action(target)(recognizer) }
      })
  }

  /// Calls no method of `target` any more; nil stands for everybody.
  open func removeTarget(_ target: AnyObject?) {
    targets.removeAll { target == nil || $0.object === target }
  }

  /// The gesture's place, in a view's coordinates; nil for the window's.
  open func location(in view: UIView?) -> CGPoint { view?.convert(position, from: nil) ?? position }

  /// Takes up no state of the gesture before.
  open func reset() {}

  /// A touch came down. Subclasses override these, and set ``state``.
  open func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent) {}
  open func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent) {}
  open func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent) {}
  /// It does not count any more.
  open func touchesCancelled(_ touches: Set<UITouch>, with event: UIEvent) { state = .cancelled }

  /// Takes a touch of the window's.
  func receive(_ touch: UITouch, _ event: UIEvent) {
    if touch.phase == .began {
      state = .possible
      reset()
      window = touch.window
    }
    guard isEnabled, state != .failed else { return }
    position = touch.position
    switch touch.phase {
    case .began:
      if delegate?.gestureRecognizer(self, shouldReceive: touch) == false {
        state = .failed
      } else {
        touchesBegan([touch], with: event)
      }
    case .moved: touchesMoved([touch], with: event)
    case .ended: touchesEnded([touch], with: event)
    case .cancelled: touchesCancelled([touch], with: event)
    case .stationary: break
    }
  }
}

/// May refuse touches to a recogniser.
@preconcurrency @MainActor
public protocol UIGestureRecognizerDelegate: AnyObject {
  /// Whether the recogniser gets this touch.
  func gestureRecognizer(_ gestureRecognizer: UIGestureRecognizer, shouldReceive touch: UITouch) -> Bool
  /// Whether a gesture that was made counts.
  func gestureRecognizerShouldBegin(_ gestureRecognizer: UIGestureRecognizer) -> Bool
}

extension UIGestureRecognizerDelegate {
  public func gestureRecognizer(_ gestureRecognizer: UIGestureRecognizer, shouldReceive touch: UITouch) -> Bool { true }
  public func gestureRecognizerShouldBegin(_ gestureRecognizer: UIGestureRecognizer) -> Bool { true }
}
#endif
