/// Why a packet was not forwarded. Each is counted (``RouterCounters``).
public enum RoutingDrop: UInt8, Sendable, CaseIterable {
  /// Its SSRC is unknown and neither its MID nor its payload type says what it is.
  case unknownSource
  /// It claims an SSRC, MID or RID that belongs to another publication.
  case refusedClaim
  /// The participant uses too many SSRCs.
  case tooManySources
  /// Its payload type was not negotiated.
  case unknownPayloadType
  case duplicate
  /// It is older than the store reaches back.
  case tooOld
  /// It is malformed inside (RTX, payload descriptor).
  case malformed
  /// It is larger than a packet may be (``Ingress/maximumPacket``).
  case tooLarge
  /// More packets wait than a tick may have, or than are kept.
  case overload
  /// The publication is muted.
  case muted
}
