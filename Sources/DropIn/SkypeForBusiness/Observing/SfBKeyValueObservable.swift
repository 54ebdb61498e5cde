public import ParleyViews

/// Observing a property of the SDK by its key path, spelled as Foundation spells it on Apple's systems.
///
/// `observe` tells of every change at once, on the main actor, and with `.initial` also of the value as it is. Arrays tell what was inserted or
/// removed and where. The observation lasts as long as what `observe` returns is kept.
@preconcurrency @MainActor public protocol SfBKeyValueObservable: SfBObject {}

extension SfBKeyValueObservable {
  /// Observes a property.
  public func observe<Value: Equatable>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping @MainActor (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    begin(keyPath, options, changeHandler) { [weak self] before, after in
      guard let self else { return }
      changeHandler(self, .setting(from: before, to: after, options))
    }
  }

  /// Observes an array: what is inserted and what is removed is told by itself, with the places.
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
