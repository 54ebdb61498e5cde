#if !canImport(CoreMedia) || os(Linux)
import Foundation

/// A time as a fraction of seconds.
public struct CMTime: Hashable, Sendable {
  public var value: Int64
  public var timescale: Int32
  public init(value: Int64, timescale: Int32) {
    self.value = value
    self.timescale = timescale
  }
  /// A time in seconds, to the nearest fraction of this denominator. Seconds that aren't a number, or too many, make
  /// ``invalid``.
  public init(seconds: Double, preferredTimescale: CMTimeScale) {
    let scaled = (seconds * Double(preferredTimescale)).rounded()
    // Too many: values near the largest number are beyond a Double's precision.
    guard preferredTimescale > 0, scaled.magnitude < 0x1p63 else {
      self = .invalid
      return
    }
    self.init(value: Int64(scaled), timescale: preferredTimescale)
  }
  public static let zero = CMTime(value: 0, timescale: 1)
  /// Not a time: its denominator is 0.
  public static let invalid = CMTime(value: 0, timescale: 0)
  /// Whether it is a time.
  public var isValid: Bool { timescale > 0 }
  /// In seconds; not a number when it is ``invalid``.
  public var seconds: Double { timescale == 0 ? .nan : Double(value) / Double(timescale) }
}

/// The numerator of a time.
public typealias CMTimeValue = Int64
/// The denominator of a time.
public typealias CMTimeScale = Int32

public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime { CMTime(value: value, timescale: timescale) }

/// A time in seconds.
public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: Int32) -> CMTime {
  CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}

/// The sum, as a fraction of the finer of both denominators; ``CMTime/invalid`` when either is.
public func CMTimeAdd(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { combined(lhs, rhs) { $0.addingReportingOverflow($1) } }
/// The difference, as a fraction of the finer of both denominators; ``CMTime/invalid`` when either is.
public func CMTimeSubtract(_ lhs: CMTime, _ rhs: CMTime) -> CMTime {
  combined(lhs, rhs) { $0.subtractingReportingOverflow($1) }
}

private func combined(
  _ lhs: CMTime, _ rhs: CMTime, _ operation: (Int64, Int64) -> (partialValue: Int64, overflow: Bool)
) -> CMTime {
  guard lhs.isValid, rhs.isValid else { return .invalid }
  let scale = max(lhs.timescale, rhs.timescale)
  guard let left = lhs.value(in: scale), let right = rhs.value(in: scale) else { return .invalid }
  let (value, isOver) = operation(left, right)
  return isOver ? .invalid : CMTime(value: value, timescale: scale)
}

extension CMTime {
  /// The numerator with a denominator that isn't coarser; nil when it is too large.
  fileprivate func value(in scale: CMTimeScale) -> Int64? {
    let (product, isOver) = value.multipliedReportingOverflow(by: Int64(scale))
    return isOver ? nil : product / Int64(timescale)
  }
}

/// A time in seconds; not a number when it is ``CMTime/invalid``.
public func CMTimeGetSeconds(_ time: CMTime) -> Double { time.seconds }
#endif
