import ParleyViews

/// A property that monitors can depend on. Setting it runs them if the value is another one.
@preconcurrency @MainActor @propertyWrapper public final class BBMObserved<Value: Equatable> {
  private var value: Value
  private let watchers = Watchers()

  /// A property with its first value.
  public init(wrappedValue: Value) { value = wrappedValue }

  /// The value as monitors see it.
  public var wrappedValue: Value {
    get {
      if ObservableTracker.isTracking(self, "property"), Watchers.reading != nil { watchers.read() }
      return value
    }
    set {
      guard newValue != value else { return }
      value = newValue
      watchers.changed()
    }
  }
}
