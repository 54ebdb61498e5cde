#if !canImport(UIKit) || os(Linux)
  public import ParleyViews

  // A file that observes need not import the views for it.
  @_exported public import class ParleyViews.NSKeyValueObservation
  @_exported public import enum ParleyViews.NSKeyValueChange
  @_exported public import struct ParleyViews.NSKeyValueChangeKey
  @_exported public import struct ParleyViews.NSKeyValueObservedChange
  @_exported public import struct ParleyViews.NSKeyValueObservingOptions

  /// The observers of one object's properties by key path. Any thread.
  final class KeyObservers: Sendable {
    private struct Place: Sendable {
      weak var observer: (any KeyLook)?
    }

    private let places = Guarded<[Place]>([])

    /// Reports a change, on the thread that made it.
    func look() {
      for place in places.read({ $0 }) { place.observer?.look() }
    }

    func observe<Owner: AnyObject, Value: Equatable>(
      _ owner: Owner, _ keyPath: KeyPath<Owner, Value>, _ options: NSKeyValueObservingOptions,
      _ tell: @escaping (Owner, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
      let first = owner[keyPath: keyPath]
      let observer = KeyObserver(owner, keyPath, first, options, tell)
      places.update { places in
        places.removeAll { $0.observer == nil }
        places.append(Place(observer: observer))
      }
      if options.contains(.initial) {
        tell(owner, NSKeyValueObservedChange(kind: .setting, newValue: options.contains(.new) ? first : nil))
      }
      return NSKeyValueObservation(observer)
    }
  }

  /// Looks whether a property has changed.
  private protocol KeyLook: AnyObject, Sendable {
    func look()
  }

  /// One observation of one property.
  // unchecked: the owner is asked and the app called on the thread that changes the property; mutable state is
  // `Guarded`.
  private final class KeyObserver<Owner: AnyObject, Value: Equatable>: KeyLook, KeyValueWatch, @unchecked Sendable {
    private weak var owner: Owner?
    private let keyPath: KeyPath<Owner, Value>
    private let options: NSKeyValueObservingOptions
    private let tell: (Owner, NSKeyValueObservedChange<Value>) -> Void
    /// The last reported value; nil when it is over.
    private let latest: Guarded<Value?>

    init(
      _ owner: Owner, _ keyPath: KeyPath<Owner, Value>, _ value: Value, _ options: NSKeyValueObservingOptions,
      _ tell: @escaping (Owner, NSKeyValueObservedChange<Value>) -> Void
    ) {
      (self.owner, self.keyPath, self.options, self.tell) = (owner, keyPath, options, tell)
      latest = Guarded(value)
    }

    func look() {
      guard let owner else { return }
      let after = owner[keyPath: keyPath]
      let before: Value? = latest.update { latest in
        guard let before = latest, before != after else { return nil }
        latest = after
        return before
      }
      if let before { tell(owner, .setting(from: before, to: after, options)) }
    }

    func end() { latest.update { $0 = nil } }
  }

  extension OTStream {
    /// Observes a property that changes, as key-value observing does on Apple systems. A change is reported on the
    /// `apiQueue` of the session, right before its callback; with `.initial` the value is reported before this returns.
    /// It ends when the returned observation is released.
    public func observe<Value: Equatable>(
      _ keyPath: KeyPath<OTStream, Value>, options: NSKeyValueObservingOptions = [],
      changeHandler: @escaping (OTStream, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation { observers.observe(self, keyPath, options, changeHandler) }
  }

  extension OTSession {
    /// Observes `sessionConnectionStatus`, `connection`, `capabilities`, `streams` or `connectionCount`, as
    /// ``OTStream/observe(_:options:changeHandler:)`` does. Changes that the app itself makes by connecting and
    /// disconnecting are reported within these calls.
    public func observe<Value: Equatable>(
      _ keyPath: KeyPath<OTSession, Value>, options: NSKeyValueObservingOptions = [],
      changeHandler: @escaping (OTSession, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation { observers.observe(self, keyPath, options, changeHandler) }
  }
#else
  /// Apple systems observe by themselves.
  final class KeyObservers: Sendable {
    func look() {}
  }
#endif
