public import ParleyViews

/// Observing a property of the SDK by its key path, spelled as Foundation spells it on Apple's systems.
///
/// `observe` reports every change at once, on the main actor, and with `.initial` also the present value. Arrays report
/// insertions and removals with their places. The observation lasts as long as the result of `observe` is kept.
@preconcurrency @MainActor public protocol SfBKeyValueObservable: SfBObject {}

extension SfBKeyValueObservable {
  /// Observes a property; see ``SfBKeyValueObservable``.
  public func observe<Value: Equatable>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping @MainActor (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    begin(keyPath, options, changeHandler) { [weak self] before, after in
      guard let self else { return }
      changeHandler(self, .setting(from: before, to: after, options))
    }
  }

  /// Observes an array: insertions and removals are reported separately, with their places.
  public func observe<Element: Equatable>(
    _ keyPath: KeyPath<Self, [Element]>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping @MainActor (Self, NSKeyValueObservedChange<[Element]>) -> Void
  ) -> NSKeyValueObservation {
    begin(keyPath, options, changeHandler) { [weak self] before, after in
      guard let self else { return }
      for change in NSKeyValueObservedChange.differences(from: before, to: after, options) {
        changeHandler(self, change)
      }
    }
  }

  private func begin<Value: Equatable>(
    _ keyPath: KeyPath<Self, Value>, _ options: NSKeyValueObservingOptions,
    _ handler: @escaping @MainActor (Self, NSKeyValueObservedChange<Value>) -> Void,
    _ tell: @escaping (Value, Value) -> Void
  ) -> NSKeyValueObservation {
    let watch = ValueWatch<Value>({ [weak self] in self.map { $0[keyPath: keyPath] } }, tell: tell)
    if options.contains(.initial), let watch {
      let isWanted = options.contains(.new)
      handler(self, NSKeyValueObservedChange(kind: .setting, newValue: isWanted ? watch.value : nil))
    }
    return NSKeyValueObservation(watch)
  }
}
