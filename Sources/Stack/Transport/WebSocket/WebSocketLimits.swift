public import Basics

/// Limits and times of a WebSocket.
public struct WebSocketLimits: Sendable {
  /// The largest message received, in bytes; a larger one closes with 1009 before it is buffered.
  public var maxMessageSize = 256 << 10
  /// Bytes that may wait to be read before the sender is held back.
  public var inboundQueue = 512 << 10
  /// Bytes that may wait to be sent, besides the longest message, before the reader counts as too slow and is
  /// disconnected.
  public var outboundQueue = 1 << 20
  /// How often a ping is sent.
  public var pingInterval = TimeSpan.seconds(12)
  /// How long a pong (or anything else) may take before the connection counts as dead.
  public var pongTimeout = TimeSpan.seconds(10)

  public init() {}
}
