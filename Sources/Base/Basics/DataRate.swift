/// A bit rate.
public struct DataRate: Hashable, Sendable, Comparable {
  /// Bits per second.
  public var bitsPerSecond: Int64

  /// A rate of `bitsPerSecond`.
  @inlinable public init(bitsPerSecond: Int64) { self.bitsPerSecond = bitsPerSecond }

  /// A rate of whole kilobits (1,000 bits) per second.
  @inlinable public static func kilobits(_ n: Int64) -> DataRate { DataRate(bitsPerSecond: n &* 1_000) }

  /// No data at all.
  public static let zero = DataRate(bitsPerSecond: 0)

  /// Whether `a` is the lower rate.
  @inlinable public static func < (a: DataRate, b: DataRate) -> Bool { a.bitsPerSecond < b.bitsPerSecond }
}
