import Observation
import ParleyViews

/// A stored property of the SDK that can be observed: with ``SfBKeyValueObservable/observe(_:options:changeHandler:)``,
/// by its name, and with Swift's `withObservationTracking`. Properties computed from such properties can be observed as
/// well.
@MainActor @propertyWrapper public struct SfBObserved<Value: Equatable> {
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
      Watchers.reading?.append(owner[keyPath: storage].watchers)
      return owner[keyPath: storage].value
    }
    set {
      guard owner[keyPath: storage].value != newValue else { return }
      owner.registrar.withMutation(of: owner, keyPath: keyPath) { owner[keyPath: storage].value = newValue }
      owner[keyPath: storage].watchers.changed()
    }
  }
}

/// The watches to check when one stored property changes.
@MainActor final class Watchers {
  /// The properties that were read while a watch evaluates its key path; nil while none does.
  static var reading: [Watchers]?

  private var watches: [WeakWatch] = []

  private struct WeakWatch {
    weak var watch: Watch?
  }

  func add(_ watch: Watch) {
    watches.removeAll { $0.watch == nil }
    watches.append(WeakWatch(watch: watch))
  }

  func remove(_ watch: Watch) { watches.removeAll { $0.watch == nil || $0.watch === watch } }

  func changed() {
    // A watch may end others, or begin new ones, while it calls its observer.
    for each in watches { each.watch?.look() }
  }
}

/// One observation of one value, stored or computed.
@MainActor class Watch: KeyValueWatch {
  private var sources: [Watchers] = []
  private(set) var isOver = false

  /// Evaluates `read` and notes what it depends on.
  func follow<Value>(_ read: () -> Value) -> Value {
    for source in sources { source.remove(self) }
    let outer = Watchers.reading
    Watchers.reading = []
    let value = read()
    var unique: [Watchers] = []
    for source in Watchers.reading ?? [] where !unique.contains(where: { $0 === source }) { unique.append(source) }
    Watchers.reading = outer
    sources = unique
    if !isOver { for source in sources { source.add(self) } }
    return value
  }

  /// Something that the value depends on has changed.
  func look() {}

  func end() {
    isOver = true
    for source in sources { source.remove(self) }
    sources = []
  }
}

/// An observation that reports the old and the new value.
@MainActor final class ValueWatch<Value: Equatable>: Watch {
  private(set) var value: Value
  private let read: () -> Value?
  private let tell: (_ before: Value, _ after: Value) -> Void

  /// Nil when there is nothing to read.
  init?(_ read: @escaping () -> Value?, tell: @escaping (_ before: Value, _ after: Value) -> Void) {
    guard let value = read() else { return nil }
    self.value = value
    self.read = read
    self.tell = tell
    super.init()
    _ = follow(read)
  }

  override func look() {
    guard !isOver, let after = follow(read), after != value else { return }
    let before = value
    value = after
    tell(before, after)
  }
}
