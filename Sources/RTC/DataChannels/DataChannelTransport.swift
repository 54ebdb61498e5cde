public import Basics

/// Data channels over one DTLS connection: an SCTP association (RFC 9260 over RFC 8261) with the channel
/// protocol on top (RFC 8831, RFC 8832).
public struct DataChannelTransport: Sendable {
  private let configuration: SCTPConfiguration
  private var random: any RandomNumberGenerator & Sendable

  /// A transport that has not started.
  public init(
    dtlsRole: DTLSRole, configuration: SCTPConfiguration = .init(),
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.configuration = configuration
    self.random = random
  }

  /// The most bytes the peer takes in one message (its `a=max-message-size`); set it when the description says so.
  public var maximumSendMessageSize = 262_144

  /// DTLS is up: sends INIT.
  public mutating func start(now: Instant) {}

  /// Takes one SCTP packet out of DTLS.
  public mutating func receive(_ packet: Span<UInt8>, now: Instant) {}

  /// Opens a channel, before or after ``start(now:)``.
  public mutating func open(_ options: DataChannelOptions, now: Instant) throws(DataChannelError) -> DataChannelID {
    throw .ended
  }

  /// Sends a message.
  public mutating func send(
    _ message: Span<UInt8>, kind: DataMessageKind, on id: DataChannelID, now: Instant
  ) throws(DataChannelError) { throw .ended }

  /// Closes a channel once what waits on it is sent (RFC 8831 section 6.7).
  public mutating func close(_ id: DataChannelID, now: Instant) {}

  /// Ends the association once everything is delivered (RFC 9260 section 9.2).
  public mutating func shutdown(now: Instant) {}

  /// The bytes of messages on this channel that have not been sent once.
  public func bufferedAmount(_ id: DataChannelID) -> Int { 0 }

  /// The next SCTP packet to send through DTLS, nil when there is none now.
  public mutating func pollTransmit() -> [UInt8]? { nil }

  /// The next event, nil when there is none left.
  public mutating func pollEvent() -> DataChannelEvent? { nil }

  /// When ``handleTimeout(now:)`` wants to be called.
  public var deadline: Instant { .distantFuture }

  /// Lets time pass: call it at ``deadline`` or later.
  public mutating func handleTimeout(now: Instant) {}

  /// Counters of the whole transport.
  public var statistics: DataChannelStatistics { DataChannelStatistics() }
}
