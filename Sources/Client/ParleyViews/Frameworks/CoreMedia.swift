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

/// A time in seconds; not a number when it is ``CMTime/invalid``.
public func CMTimeGetSeconds(_ time: CMTime) -> Double { time.seconds }
#endif
