#if !canImport(UIKit) || os(Linux)
import Foundation

/// A view that people use: a button, a switch, a field.
///
/// Linux has no selectors, so a target's method is named without `#selector`:
///
/// ```swift
/// button.addTarget(self, action: ViewController.leave, for: .touchUpInside)
/// button.addAction(UIAction { [weak self] _ in self?.leave() }, for: .touchUpInside)
/// ```
open class UIControl: UIView {
  /// An event of a control, from touches, values or typing.
  public struct Event: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Events by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// A finger came down on it.
    public static let touchDown = Event(rawValue: 1)
    /// It was lifted inside: the control was pressed.
    public static let touchUpInside = Event(rawValue: 1 << 6)
    /// It was lifted outside.
    public static let touchUpOutside = Event(rawValue: 1 << 7)
    /// The touch does not count any more.
    public static let touchCancel = Event(rawValue: 1 << 8)
    public static let valueChanged = Event(rawValue: 1 << 12)
    /// The main event of the control happened.
    public static let primaryActionTriggered = Event(rawValue: 1 << 13)
    public static let editingDidBegin = Event(rawValue: 1 << 16)
    /// The text was changed.
    public static let editingChanged = Event(rawValue: 1 << 17)
    public static let editingDidEnd = Event(rawValue: 1 << 18)
    /// Typing ended with the return key.
    public static let editingDidEndOnExit = Event(rawValue: 1 << 19)
    public static let allTouchEvents = Event(rawValue: 0xFFF)
    public static let allEditingEvents = Event(rawValue: 0xF0000)
    public static let allEvents = Event(rawValue: 0xFFFF_FFFF)
  }

  /// How a control looks.
  public struct State: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// States by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let normal: State = []
    public static let highlighted = State(rawValue: 1)
    public static let disabled = State(rawValue: 2)
    public static let selected = State(rawValue: 4)
  }

  private struct Handler {
    let events: Event
    let identifier: UIAction.Identifier?
    weak var target: AnyObject?
    let call: @MainActor (UIControl) -> Void
  }

  private var handlers: [Handler] = []

  /// Whether it can be used.
  open var isEnabled = true { didSet { if isEnabled != oldValue { contentChanged() } } }
  /// Whether it is selected.
  open var isSelected = false { didSet { if isSelected != oldValue { contentChanged() } } }
  /// Whether it is being pressed.
  open var isHighlighted = false { didSet { if isHighlighted != oldValue { contentChanged() } } }
  /// Highlighted, disabled and selected, as the control is now.
  open var state: State {
    var state: State = []
    if isHighlighted { state.insert(.highlighted) }
    if !isEnabled { state.insert(.disabled) }
    if isSelected { state.insert(.selected) }
    return state
  }

  /// Calls a method of `target` when one of the events happens; `target` is held weakly.
  @preconcurrency
  open func addTarget<T: AnyObject>(
    _ target: T, action: @escaping @MainActor (T) -> @MainActor () -> Void, for events: Event
  ) {
    handlers.append(
      Handler(events: events, identifier: nil, target: target) { [weak target] _ in
        if let target { action(target)() }
      })
  }

  /// Calls a method of `target` with the control when one of the events happens; `target` is held weakly.
  @preconcurrency
  open func addTarget<T: AnyObject, Sender>(
    _ target: T, action: @escaping @MainActor (T) -> @MainActor (Sender) -> Void, for events: Event
  ) {
    handlers.append(
      Handler(events: events, identifier: nil, target: target) { [weak target] control in
        if let target, let sender = control as? Sender { action(target)(sender) }
      })
  }

  /// Calls methods of `target` no more for these events; nil stands for every target.
  open func removeTarget(_ target: AnyObject?, for events: Event) {
    handlers.removeAll {
      $0.identifier == nil && (target == nil || $0.target === target) && $0.events.isSubset(of: events)
    }
  }

  /// Runs an action when one of the events happens; one of the same identifier is replaced.
  open func addAction(_ action: UIAction, for events: Event) {
    removeAction(identifiedBy: action.identifier, for: events)
    handlers.append(
      Handler(events: events, identifier: action.identifier, target: nil) { action.perform(sender: $0) })
  }

  /// Runs an action no more.
  open func removeAction(_ action: UIAction, for events: Event) {
    removeAction(identifiedBy: action.identifier, for: events)
  }

  /// Runs an action no more.
  open func removeAction(identifiedBy identifier: UIAction.Identifier, for events: Event) {
    handlers.removeAll { $0.identifier == identifier && $0.events.isSubset(of: events) }
  }

  /// Calls everybody who waits for one of the events.
  open func sendActions(for events: Event) {
    for handler in handlers where !handler.events.isDisjoint(with: events) { handler.call(self) }
  }

  // MARK: touches

  /// Begins to be pressed.
  open override func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent?) {
    guard isEnabled else { return }
    isHighlighted = true
    sendActions(for: .touchDown)
  }

  /// Was pressed, when the finger is still inside.
  open override func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {
    guard isEnabled, isHighlighted else { return }
    isHighlighted = false
    let isInside = touches.first.map { point(inside: $0.location(in: self), with: event) } ?? true
    if isInside { press() } else { sendActions(for: .touchUpOutside) }
  }

  open override func touchesCancelled(_ touches: Set<UITouch>, with event: UIEvent?) {
    guard isHighlighted else { return }
    isHighlighted = false
    sendActions(for: .touchCancel)
  }

  open override func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent?) {}

  /// Does what a press does.
  func press() {
    guard isEnabled else { return }
    sendActions(for: [.touchUpInside, .primaryActionTriggered])
  }
}
#endif
