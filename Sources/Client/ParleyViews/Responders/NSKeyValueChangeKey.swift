#if !canImport(UIKit) || os(Linux)
/// The keys of a property's change, as an observer by name gets it: a name of Foundation's, which Linux lacks.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  /// How it has changed, as the raw value of an `NSKeyValueChange`.
  public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
  /// The new value, or what was inserted.
  public static let newKey = NSKeyValueChangeKey(rawValue: "new")
  /// The old value, or what was removed.
  public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
  /// The `IndexSet` of what was inserted or removed.
  public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
}
#endif
