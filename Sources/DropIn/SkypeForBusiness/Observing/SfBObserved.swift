import Observation
import ParleyViews

/// A stored property of the SDK that can be observed: with ``SfBKeyValueObservable/observe(_:options:changeHandler:)``,
/// by its name, and with Swift's `withObservationTracking`. Properties computed from such properties can be observed as
/// well.
///
/// Its isolation is that of each property, so it has `@preconcurrency` as the classes have: plain classes of apps in
/// language mode 5 couldn't read such a property otherwise.
@preconcurrency @MainActor @propertyWrapper public struct SfBObserved<Value: Equatable> {
  private var value: Value
  private let watchers = Watchers()

  /// A property with its first value.
  public init(wrappedValue: Value) { value = wrappedValue }

  /// Only properties of an ``SfBObject`` are observed.
  @available(*, unavailable, message: "Only properties of an SfBObject are observed.")
  public var wrappedValue: Value {
    get { fatalError() }
    set { _ = newValue }
  }

  /// The property as its owner reads and writes it.
  public static subscript<Owner: SfBObject>(
    _enclosingInstance owner: Owner,
    wrapped keyPath: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, SfBObserved<Value>>
  ) -> Value {
    get {
      owner.registrar.access(owner, keyPath: keyPath)
      owner[keyPath: storage].watchers.read()
      return owner[keyPath: storage].value
    }
    set {
      guard owner[keyPath: storage].value != newValue else { return }
      owner.registrar.withMutation(of: owner, keyPath: keyPath) { owner[keyPath: storage].value = newValue }
      owner[keyPath: storage].watchers.changed()
    }
  }
}
