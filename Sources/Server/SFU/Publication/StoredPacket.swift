public import Basics
public import RTC

/// What is known about one media packet while it sits in a ``RetransmissionStore``: the fields of its header that a
/// receiver's copy is made from, and where its bytes are. A plain value of fixed size.
public struct StoredPacket: Sendable {
  /// The source's sequence number, extended to 64 bits so that it never wraps (RFC 3550 appendix A.1).
  public var sequence: Int64 = 0
  public var timestamp = RTPTimestamp(rawValue: 0)
  /// When the packet (or its retransmission) arrived.
  public var arrival = Instant.zero
  /// The source's payload type, the original one for a packet that came as RTX.
  public var payloadType = PayloadType(rawValue: 0)
  /// The marker bit.
  public var marker = false
  /// Whether a keyframe begins in this packet, so that a decoder can start here.
  public var startsKeyframe = false
  /// Whether the packet came as a retransmission.
  public var isRecovered = false
  /// RFC 6464 level byte (voice flag and -dBov); ``absent`` when the packet had none.
  public var audioLevel: UInt8 = Self.absent
  /// The coordination of video orientation byte (3GPP TS 26.114 7.4.5); ``absent`` when there was none.
  public var orientation: UInt8 = Self.absent
  /// The 24 bits of the playout-delay extension; ``absentDelay`` when there was none.
  public var playoutDelay: UInt32 = Self.absentDelay
  /// `PictureID` and `TL0PICIDX` of a VP8 or VP9 payload descriptor.
  public var picture = PictureFields.none
  /// Its layers within the stream.
  public var layers = PacketLayers()

  /// The offset of the primary block of a RED payload (RFC 2198); 0 when the payload isn't RED.
  public var redPrimaryOffset: UInt16 = 0
  /// The payload type of that block.
  public var redPrimaryType = PayloadType(rawValue: 0)

  /// Length of the payload without padding. Zero for a packet that was nothing but padding.
  public var payloadLength: UInt16 = 0
  /// Length of the dependency descriptor that is kept beside the payload.
  public var descriptorLength: UInt16 = 0
  /// To what length a forwarded payload is filled with RTP padding, so that a burst has equal sizes; 0 for none.
  var paddedLength: UInt16 = 0
  /// The position of the bytes.
  var chunk: UInt16 = 0
  var generation: UInt32 = 0
  var offset: UInt32 = 0

  /// Marks a one-byte field that the packet did not have.
  public static let absent: UInt8 = 0xFF
  /// Marks a packet without playout delay.
  public static let absentDelay: UInt32 = .max

  /// A packet with no fields set.
  public init() {}
}

/// Where a VP8 (RFC 7741 section 4.2) or VP9 (RFC 9628 section 4.2) payload descriptor has its picture id and
/// TL0PICIDX, and their values, so that both can be renumbered in place.
public struct PictureFields: Sendable, Hashable {
  /// The picture id, 7 or 15 bits.
  public var pictureID: UInt16
  /// The running index of base-layer frames.
  public var tl0PictureIndex: UInt8
  /// Offset of the picture id in the payload; 0 when there is none (the first byte is never one).
  public var pictureIDOffset: UInt8
  /// Whether the picture id has 15 bits in two bytes.
  public var isLongPictureID: Bool
  /// Offset of TL0PICIDX in the payload; 0 when there is none.
  public var tl0Offset: UInt8

  /// Neither field is present.
  public static let none = PictureFields(
    pictureID: 0, tl0PictureIndex: 0, pictureIDOffset: 0, isLongPictureID: false, tl0Offset: 0)

  /// Fields at the given places; an offset of 0 means absent.
  @inlinable public init(
    pictureID: UInt16, tl0PictureIndex: UInt8, pictureIDOffset: UInt8, isLongPictureID: Bool, tl0Offset: UInt8
  ) {
    self.pictureID = pictureID
    self.tl0PictureIndex = tl0PictureIndex
    self.pictureIDOffset = pictureIDOffset
    self.isLongPictureID = isLongPictureID
    self.tl0Offset = tl0Offset
  }
}
