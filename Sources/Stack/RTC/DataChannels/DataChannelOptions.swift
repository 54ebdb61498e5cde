public import Basics

/// The label and the delivery of a data channel (RFC 8831 section 6.1, RFC 8832 section 5.1).
public struct DataChannelOptions: Hashable, Sendable {
  /// The name for people and programs; need not be unique. At most ``SCTPConfiguration/maximumLabelLength`` bytes of
  /// UTF-8.
  public var label: String
  /// The subprotocol, empty for none. The same bound as for ``label``.
  public var `protocol`: String
  /// Whether messages arrive in the order they were sent.
  public var ordered: Bool
  /// How often a lost message is sent again before it is given up; nil for no such limit. Excludes ``maxLifetime``.
  public var maxRetransmits: UInt16?
  /// How long a message is tried before it is given up, in whole milliseconds on the wire; nil for no such limit.
  /// Excludes ``maxRetransmits``.
  public var maxLifetime: TimeSpan?
  /// The stream to use when both sides agreed on the channel by other means and no OPEN is to be sent. nil lets the
  /// transport choose a stream and announce it to the peer.
  public var negotiatedID: UInt16?
  /// The priority as RFC 8832 section 5.1 counts it: 128 below normal, 256 normal, 512 high, 1,024 extra high. The peer
  /// gets it too. Among streams with data waiting, the higher one sends its message first.
  public var priority: UInt16
  /// ``DataChannelEvent/bufferedAmountLow(_:)`` comes when the amount falls from above this to it or below. This side
  /// only, in bytes.
  public var bufferedAmountLowThreshold: Int

  /// A reliable, ordered channel by default.
  public init(
    label: String = "", protocol: String = "", ordered: Bool = true, maxRetransmits: UInt16? = nil,
    maxLifetime: TimeSpan? = nil, negotiatedID: UInt16? = nil, priority: UInt16 = 256,
    bufferedAmountLowThreshold: Int = 0
  ) {
    self.label = label
    self.protocol = `protocol`
    self.ordered = ordered
    self.maxRetransmits = maxRetransmits
    self.maxLifetime = maxLifetime
    self.negotiatedID = negotiatedID
    self.priority = priority
    self.bufferedAmountLowThreshold = bufferedAmountLowThreshold
  }

  /// Whether every message arrives unless the association fails.
  public var isReliable: Bool { maxRetransmits == nil && maxLifetime == nil }
}
