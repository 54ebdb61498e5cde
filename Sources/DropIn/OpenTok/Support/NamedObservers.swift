#if !canImport(UIKit) || os(Linux)
  import Foundation
  public import ParleyViews

  // A file that observes need not import the views for it.
  @_exported public import class ParleyViews.NSKeyValueObservation
  @_exported public import struct ParleyViews.NSKeyValueChangeKey
  @_exported public import struct ParleyViews.NSKeyValueObservingOptions

  /// An observer of properties by name. On Apple's systems every `NSObject` is one, and `observeValue` is an override.
  /// Here that holds for every `UIResponder`, such as a screen; another class says that it is one, and leaves
  /// `override` away.
  @preconcurrency @MainActor public protocol OTKeyValueObserver: AnyObject {
    /// A property has changed, or its initial value is reported.
    func observeValue(
      forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
      context: UnsafeMutableRawPointer?
    )
  }

  // Screens, and whatever else is a responder, have `observeValue` to override, as on Apple's systems.
  extension UIResponder: OTKeyValueObserver {}

  /// The observers of one object's properties by name. Any thread.
  final class NamedObservers: Sendable {
    typealias Tell = ([NSKeyValueChangeKey: Any]) -> Void

    private let entries = Guarded<[NamedObservation]>([])

    /// Begins with what `observe` gives, which observes the property of that name and is nil when there is none.
    func add(
      _ observer: any OTKeyValueObserver, _ name: String, of object: AnyObject, _ context: UnsafeMutableRawPointer?,
      _ observe: (@escaping Tell) -> NSKeyValueObservation?
    ) {
      let entry = NamedObservation(observer, name, object, context)
      // First, since the observer may remove itself when it gets the first value.
      entries.update { entries in
        entries.removeAll { !$0.isWanted }
        entries.append(entry)
      }
      guard let observation = observe({ [weak entry] change in entry?.tell(change) }) else {
        return entries.update { $0.removeAll { $0 === entry } }
      }
      entry.observation.update { $0 = observation }
    }

    /// Whether no observer is left; those that were released without a word don't count.
    var isEmpty: Bool { entries.read { !$0.contains(where: \.isWanted) } }

    /// Ends the newest observation that fits.
    func remove(
      _ observer: any OTKeyValueObserver, _ name: String, where fits: (NamedObservation) -> Bool = { _ in true }
    ) {
      entries.update { entries in
        let index = entries.lastIndex { $0.isBy(observer) && $0.name == name && fits($0) }
        if let index { entries.remove(at: index).end() }
      }
    }
  }

  /// One observation by name.
  // unchecked: the references are constant or `Guarded`, and the observer is called on the main actor only.
  final class NamedObservation: @unchecked Sendable {
    let name: String
    let context: UnsafeMutableRawPointer?
    let observation = Guarded<NSKeyValueObservation?>(nil)
    private weak var observer: (any OTKeyValueObserver)?
    private weak var object: AnyObject?
    private let isOver = Guarded(false)

    init(
      _ observer: any OTKeyValueObserver, _ name: String, _ object: AnyObject, _ context: UnsafeMutableRawPointer?
    ) {
      (self.observer, self.name, self.object, self.context) = (observer, name, object, context)
    }

    /// Whether the observer still exists.
    var isWanted: Bool { observer != nil }
    func isBy(_ other: any OTKeyValueObserver) -> Bool { observer === other }

    /// Calls the observer at once if possible, so that it is before the callback.
    func tell(_ change: [NSKeyValueChangeKey: Any]) {
      let change = Carried(value: change)
      if isOnMain {
        MainActor.assumeIsolated { pass(change.value) }
      } else {
        onMain { self.pass(change.value) }
      }
    }

    @MainActor private func pass(_ change: [NSKeyValueChangeKey: Any]) {
      guard !isOver.read({ $0 }) else { return }
      observer?.observeValue(forKeyPath: name, of: object, change: change, context: context)
    }

    func end() {
      isOver.update { $0 = true }
      observation.update { $0 = nil }
    }
  }
#else
  /// Apple systems observe by themselves.
  final class NamedObservers: Sendable {}
#endif
