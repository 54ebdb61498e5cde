public import Foundation

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

/// An observation under way. It ends when this object is let go of.
@preconcurrency @MainActor public final class NSKeyValueObservation {
  private var watch: Watch?

  init(_ watch: Watch?) { self.watch = watch }

  /// Ends the observation.
  public func invalidate() {
    watch?.end()
    watch = nil
  }
}

/// What is to be told of a change.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt

  /// From bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The value after the change.
  public static let new = NSKeyValueObservingOptions(rawValue: 1)
  /// The value before the change.
  public static let old = NSKeyValueObservingOptions(rawValue: 2)
  /// The value as it is when the observation begins, before `observe` returns.
  public static let initial = NSKeyValueObservingOptions(rawValue: 4)
}

/// How a property has changed.
public enum NSKeyValueChange: UInt, Sendable {
  /// It has another value.
  case setting = 1
  /// Elements were inserted into an array.
  case insertion = 2
  /// Elements were removed from an array.
  case removal = 3
  /// Elements of an array were replaced.
  case replacement = 4
}

/// A change of an observed property.
public struct NSKeyValueObservedChange<Value> {
  /// How it has changed.
  public let kind: NSKeyValueChange
  /// The new value, or what was inserted; nil unless `.new` was asked for.
  public let newValue: Value?
  /// The old value, or what was removed; nil unless `.old` was asked for.
  public let oldValue: Value?
  /// The places of what was inserted or removed; nil for other changes.
  public let indexes: IndexSet?

  init(kind: NSKeyValueChange, newValue: Value? = nil, oldValue: Value? = nil, indexes: IndexSet? = nil) {
    self.kind = kind
    self.newValue = newValue
    self.oldValue = oldValue
    self.indexes = indexes
  }

  static func setting(from before: Value, to after: Value, _ options: NSKeyValueObservingOptions) -> Self {
    Self(
      kind: .setting, newValue: options.contains(.new) ? after : nil, oldValue: options.contains(.old) ? before : nil)
  }

  /// What was removed, and then what was inserted.
  static func differences<Element: Equatable>(
    from before: [Element], to after: [Element], _ options: NSKeyValueObservingOptions
  ) -> [Self] where Value == [Element] {
    let difference = after.difference(from: before)
    var changes: [Self] = []
    func offset(_ change: CollectionDifference<Element>.Change) -> Int {
      switch change {
      case .insert(let offset, _, _), .remove(let offset, _, _): offset
      }
    }
    if !difference.removals.isEmpty {
      let indexes = IndexSet(difference.removals.map(offset))
      let removed = options.contains(.old) ? indexes.map { before[$0] } : nil
      changes.append(Self(kind: .removal, oldValue: removed, indexes: indexes))
    }
    if !difference.insertions.isEmpty {
      let indexes = IndexSet(difference.insertions.map(offset))
      let inserted = options.contains(.new) ? indexes.map { after[$0] } : nil
      changes.append(Self(kind: .insertion, newValue: inserted, indexes: indexes))
    }
    return changes
  }
}
