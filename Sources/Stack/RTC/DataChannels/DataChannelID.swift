/// Names one data channel of one ``DataChannelTransport``.
///
/// Channels are streams of the SCTP association, and streams are used again after a close. The id is not: one kept from
/// a closed channel names nothing, whatever runs over its stream later.
public struct DataChannelID: Hashable, Sendable, CustomStringConvertible {
  /// The SCTP stream, in both directions (RFC 8831 section 6.1): W3C's `RTCDataChannel.id`.
  public let streamID: UInt16
  /// Counts the channels of this transport, so that a stream's successive channels differ.
  let incarnation: UInt32

  public var description: String { String(streamID) }
}

/// The kind of a message for the application (RFC 8831 section 6.6).
public enum DataMessageKind: Hashable, Sendable {
  /// UTF-8 text (PPID 51, or 56 when empty). A peer's text is not checked to be UTF-8; decode it with repair.
  case text
  /// Bytes (PPID 53, or 57 when empty).
  case binary
}
