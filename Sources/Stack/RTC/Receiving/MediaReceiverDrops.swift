/// Packets that a ``MediaReceiver`` dropped, by reason.
public struct MediaReceiverDrops: Hashable, Sendable {
  /// The SSRC is unknown, and neither MID nor payload type says which m-section it belongs to.
  public var unknownSource: UInt64 = 0
  /// The payload type was not negotiated for the m-section.
  public var unknownPayloadType: UInt64 = 0
  /// The SSRC belongs to another m-section than the packet's MID says, or would replace a stream too soon.
  public var refusedClaim: UInt64 = 0
  /// There are ``MediaReceiverConfiguration/maximumSources`` SSRCs already.
  public var tooManySources: UInt64 = 0
  /// Lengths contradict each other, or the wrapping (RTX, RED) is broken.
  public var malformed: UInt64 = 0
  /// The same number was delivered before.
  public var duplicate: UInt64 = 0
  /// So far behind the newest packet that it may as well be of another sequence.
  public var tooOld: UInt64 = 0

  /// All of them together.
  public var total: UInt64 {
    unknownSource &+ unknownPayloadType &+ refusedClaim &+ tooManySources &+ malformed &+ duplicate &+ tooOld
  }
}
