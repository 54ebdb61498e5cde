/// Why a data message was dropped. Each is counted (``DataCounters``).
public enum DataDrop: UInt8, Sendable, CaseIterable {
  /// Its sender sends more than it may.
  case tooFast
  /// It is larger than a message may be.
  case tooLarge
  /// It came as text, or over a channel that is not served.
  case unexpected
  /// Too many messages of its meeting wait to be passed on.
  case overload
  /// Its receiver does not take what is sent to it fast enough.
  case slowReader
}

/// The counts of a worker's data channels, for `/metrics`. Counters only grow and wrap.
public struct DataCounters: Sendable {
  /// Messages received from participants and passed on.
  public var messagesReceived: UInt64 = 0
  /// Bytes of them.
  public var bytesReceived: UInt64 = 0
  /// Messages queued for participants, one for each receiver.
  public var messagesSent: UInt64 = 0
  /// Bytes of them.
  public var bytesSent: UInt64 = 0
  /// Reliable channels that were closed because their reader was too slow.
  public var channelsClosed: UInt64 = 0
  /// The dropped packets, by reason; the index is ``DataDrop``'s raw value.
  private var drops = [UInt64](repeating: 0, count: DataDrop.allCases.count)

  public init() {}

  /// How many were dropped for `reason`.
  public subscript(reason: DataDrop) -> UInt64 { drops[Int(reason.rawValue)] }

  mutating func count(_ reason: DataDrop) { drops[Int(reason.rawValue)] &+= 1 }
}
