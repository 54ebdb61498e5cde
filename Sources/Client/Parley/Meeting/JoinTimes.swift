public import Basics

/// When each phase of joining was over, on the monotonic clock (``Basics/MonotonicClock``). Nil for what hasn't
/// happened.
///
/// ```swift
/// let phases: [(String, KeyPath<JoinTimes, Instant?>)] = [("welcomed", \.welcomed), ("connected", \.connected)]
/// for (name, phase) in phases { print(name, meeting.times.milliseconds(phase) ?? .nan) }
/// ```
public struct JoinTimes: Hashable, Sendable {
  /// ``Meeting/join()`` was called.
  public var started: Instant?

  /// The discover document was there (HTTP).
  public var discovered: Instant?

  /// The WebSocket was open.
  public var socketOpened: Instant?

  /// The server's `welcome` with its answer was there.
  public var welcomed: Instant?

  /// ICE had selected a path.
  public var pathSelected: Instant?

  /// DTLS was done: media can flow.
  public var connected: Instant?

  /// The first media packet came.
  public var firstPacket: Instant?

  /// The first video frame was decoded.
  public var firstFrame: Instant?

  /// From ``started`` to `phase` in milliseconds; nil when it has not happened.
  ///
  /// ```swift
  /// if let time = meeting.times.milliseconds(\.firstFrame) { print("The first picture came after \(time) ms.") }
  /// ```
  public func milliseconds(_ phase: KeyPath<JoinTimes, Instant?>) -> Double? {
    guard let started, let end = self[keyPath: phase] else { return nil }
    return Double((end - started).nanoseconds) / 1e6
  }
}
