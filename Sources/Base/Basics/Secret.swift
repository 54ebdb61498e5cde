/// A value that must not reach a log: passwords, keys, tokens. It prints as `<redacted>` however it is interpolated,
/// dumped or reflected; ``value`` gives it to the code that needs it.
public struct Secret<Value: Sendable>: Sendable {
  public let value: Value

  /// Protects `value`.
  public init(_ value: Value) { self.value = value }
}

extension Secret: Equatable where Value: Equatable {}
extension Secret: Hashable where Value: Hashable {}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always `<redacted>`.
  public var description: String { "<redacted>" }
  /// Always `<redacted>`.
  public var debugDescription: String { "<redacted>" }
  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
