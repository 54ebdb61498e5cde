#if !canImport(CoreMedia) || os(Linux)
import Foundation

/// A time as a fraction of seconds.
public struct CMTime: Hashable, Sendable {
  /// The numerator.
  public var value: Int64
  /// The denominator.
  public var timescale: Int32
  /// A time.
  public init(value: Int64, timescale: Int32) {
    self.value = value
    self.timescale = timescale
  }
  /// A time in seconds, to the nearest fraction of this denominator. Seconds that are no number, or too many, make ``invalid``.
  public init(seconds: Double, preferredTimescale: CMTimeScale) {
    let scaled = (seconds * Double(preferredTimescale)).rounded()
    // What is nearer to the largest number than a Double can tell is too many.
    guard preferredTimescale > 0, scaled.magnitude < 0x1p63 else {
      self = .invalid
      return
    }
    self.init(value: Int64(scaled), timescale: preferredTimescale)
  }
  /// The beginning.
  public static let zero = CMTime(value: 0, timescale: 1)
  /// No time.
  public static let invalid = CMTime(value: 0, timescale: 0)
  /// Whether it is a time.
  public var isValid: Bool { timescale > 0 }
  /// In seconds; no number when it is no time.
  public var seconds: Double { timescale == 0 ? .nan : Double(value) / Double(timescale) }
}

/// The numerator of a time.
public typealias CMTimeValue = Int64
/// The denominator of a time.
public typealias CMTimeScale = Int32

/// A time.
public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime { CMTime(value: value, timescale: timescale) }

/// A time in seconds.
public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: Int32) -> CMTime {
  CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}

/// A time in seconds; no number when it is no time.
public func CMTimeGetSeconds(_ time: CMTime) -> Double { time.seconds }
#endif
