/// The identifier of each header extension in one negotiated media section (RFC 8285 section 5).
///
/// A plain 16-byte value: looking up either way costs no hash and no allocation.
public struct HeaderExtensionMap: Hashable, Sendable {
  /// Indexed by the kind's raw value; 0 stands for "not negotiated".
  @usableFromInline var ids = SIMD16<UInt8>()

  /// A map without any extension.
  @inlinable public init() {}

  /// The identifier of `kind`, nil when it was not negotiated. Setting 0 removes it.
  @inlinable public subscript(kind: HeaderExtensionKind) -> UInt8? {
    get {
      let id = ids[Int(kind.rawValue)]
      return id == 0 ? nil : id
    }
    set { ids[Int(kind.rawValue)] = newValue ?? 0 }
  }

  /// The kind that travels under `id`, nil when none does.
  @inlinable public func kind(forID id: UInt8) -> HeaderExtensionKind? {
    guard id != 0 else { return nil }
    for index in 0..<16 where ids[index] == id {
      return HeaderExtensionKind(rawValue: UInt8(truncatingIfNeeded: index))
    }
    return nil
  }

  /// Whether an identifier above 14 was negotiated, which only the two-byte form carries (RFC 8285 section 4.3).
  @inlinable public var needsTwoByteForm: Bool { ids.max() > 14 }
}
