#if !canImport(UIKit) || os(Linux)
import Foundation

/// A receiver of touches and keys, and a link of the responder chain.
@preconcurrency @MainActor
open class UIResponder {
  private static var count: UInt64 = 0
  /// A number that no other responder has, by which other threads name it.
  let serial: UInt64

  public init() {
    Self.count += 1
    serial = Self.count
  }

  /// The next responder, asked when this one does not answer.
  open var next: UIResponder? { nil }

  /// Whether keys may go here.
  open var canBecomeFirstResponder: Bool { false }
  /// Whether keys may go elsewhere again.
  open var canResignFirstResponder: Bool { true }
  /// Whether keys go here.
  open var isFirstResponder: Bool { UIApplication.shared.firstResponder === self }

  /// Lets keys go here; false when this one or the current one refuses.
  @discardableResult
  open func becomeFirstResponder() -> Bool {
    if isFirstResponder { return true }
    guard canBecomeFirstResponder else { return false }
    if let current = UIApplication.shared.firstResponder, !current.resignFirstResponder() { return false }
    UIApplication.shared.firstResponder = self
    return true
  }

  /// Lets keys go here no more; false when it refuses.
  @discardableResult
  open func resignFirstResponder() -> Bool {
    guard isFirstResponder else { return true }
    guard canResignFirstResponder else { return false }
    UIApplication.shared.firstResponder = nil
    return true
  }

  /// A finger or button was put down.
  open func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent?) { next?.touchesBegan(touches, with: event) }
  open func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent?) { next?.touchesMoved(touches, with: event) }
  open func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) { next?.touchesEnded(touches, with: event) }
  /// It does not count any more.
  open func touchesCancelled(_ touches: Set<UITouch>, with event: UIEvent?) {
    next?.touchesCancelled(touches, with: event)
  }

  /// Always nil: no responder's own properties are observed by name here. On Apple systems every `NSObject` has it, and
  /// apps ask it before they take an observer away. Setting it has no effect.
  open var observationInfo: UnsafeMutableRawPointer? {
    get { nil }
    set {}
  }

  /// A property that this object observes by its name has changed, or its initial value is reported. On Apple systems
  /// every `NSObject` has this method. Here every receiver of touches and keys has it, so that screens keep their
  /// override. Does nothing.
  open func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
  ) {}

  /// A key was pressed.
  open func pressesBegan(_ presses: Set<UIPress>, with event: UIPressesEvent?) {
    next?.pressesBegan(presses, with: event)
  }
  /// It was let go.
  open func pressesEnded(_ presses: Set<UIPress>, with event: UIPressesEvent?) {
    next?.pressesEnded(presses, with: event)
  }
}

extension UIResponder: Hashable {
  /// Whether they are the same object.
  nonisolated public static func == (one: UIResponder, other: UIResponder) -> Bool { one === other }
  /// Hashes the object's identity.
  nonisolated public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
#endif
