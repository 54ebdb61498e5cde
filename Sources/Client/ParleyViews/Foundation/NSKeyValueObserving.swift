#if !canImport(UIKit) || os(Linux)
public import Foundation

// Key-value observing as Foundation spells it on Apple systems, for the modules whose objects can be observed.
// Foundation lacks these names on Linux.

/// An observation under way. It ends when this object is let go of.
@preconcurrency @MainActor public final class NSKeyValueObservation {
  private var watch: (any KeyValueWatch)?

  nonisolated package init(_ watch: (any KeyValueWatch)?) { self.watch = watch }

  public func invalidate() {
    watch?.end()
    watch = nil
  }
}

/// Observes a property as long as it is kept.
package protocol KeyValueWatch: AnyObject, Sendable {
  @MainActor func end()
}

/// The requested parts of a change.
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

  package init(kind: NSKeyValueChange, newValue: Value? = nil, oldValue: Value? = nil, indexes: IndexSet? = nil) {
    self.kind = kind
    self.newValue = newValue
    self.oldValue = oldValue
    self.indexes = indexes
  }

  package static func setting(from before: Value, to after: Value, _ options: NSKeyValueObservingOptions) -> Self {
    Self(
      kind: .setting, newValue: options.contains(.new) ? after : nil, oldValue: options.contains(.old) ? before : nil)
  }

  /// The removals, and then the insertions.
  package static func differences<Element: Equatable>(
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
#endif
