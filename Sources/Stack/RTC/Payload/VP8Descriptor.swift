/// The payload descriptor in front of VP8 data (RFC 7741 section 4.2), with what the media server rewrites.
///
/// A plain value; offsets count from the start of the payload.
public struct VP8Descriptor: Hashable, Sendable {
  /// The start of the VP8 payload header: the length of the descriptor.
  public private(set) var length = 1
  /// Whether other frames need this one (the inverse of the N bit).
  public private(set) var isReference = true
  /// Whether a partition starts in this packet (S).
  public private(set) var startsPartition = false
  /// The partition that the packet belongs to (PID).
  public private(set) var partitionIndex: UInt8 = 0
  /// `PictureID`, 7 or 15 bits; nil when absent.
  public private(set) var pictureID: UInt16?
  /// Whether `PictureID` has 15 bits (M).
  public private(set) var hasLongPictureID = false
  /// The running number of frames in temporal layer 0; nil when absent.
  public private(set) var tl0PictureIndex: UInt8?
  /// The temporal layer; nil when absent.
  public private(set) var temporalID: UInt8?
  /// Whether the frame depends on layer 0 only, so that a receiver can move up to its layer here (Y).
  public private(set) var isLayerSync = false
  /// The temporal key frame index; nil when absent.
  public private(set) var keyIndex: UInt8?
  /// Whether a keyframe starts here: first packet of partition 0, P bit of the payload header clear.
  public private(set) var isKeyframeStart = false

  private var pictureIDOffset: UInt8 = 0
  private var tl0Offset: UInt8 = 0

  private init() {}

  /// Whether a frame starts in this packet.
  public var isFrameStart: Bool { startsPartition && partitionIndex == 0 }

  /// The bits of a `PictureID` of this packet's width: 0x7F or 0x7FFF.
  public var pictureIDMask: UInt16 { hasLongPictureID ? 0x7FFF : 0x7F }

  /// Reads the descriptor and the first byte behind it.
  /// - Throws: ``PayloadError/truncated`` when either is incomplete.
  public static func parse(_ payload: Span<UInt8>) throws(PayloadError) -> VP8Descriptor {
    let count = payload.count
    guard count >= 2 else { throw .truncated }
    let first = payload[0]
    var descriptor = VP8Descriptor()
    descriptor.isReference = first & 0x20 == 0
    descriptor.startsPartition = first & 0x10 != 0
    descriptor.partitionIndex = first & 0x07
    var offset = 1
    if first & 0x80 != 0 {
      let flags = payload[1]
      offset = 2
      if flags & 0x80 != 0 {
        guard offset < count else { throw .truncated }
        descriptor.pictureIDOffset = UInt8(truncatingIfNeeded: offset)
        let byte = payload[offset]
        if byte & 0x80 != 0 {
          guard offset &+ 1 < count else { throw .truncated }
          descriptor.hasLongPictureID = true
          descriptor.pictureID = payload.networkUInt16(at: offset) & 0x7FFF
          offset &+= 2
        } else {
          descriptor.pictureID = UInt16(byte)
          offset &+= 1
        }
      }
      if flags & 0x40 != 0 {
        guard offset < count else { throw .truncated }
        descriptor.tl0Offset = UInt8(truncatingIfNeeded: offset)
        descriptor.tl0PictureIndex = payload[offset]
        offset &+= 1
      }
      if flags & 0x30 != 0 {
        guard offset < count else { throw .truncated }
        let byte = payload[offset]
        if flags & 0x20 != 0 {
          descriptor.temporalID = byte >> 6
          descriptor.isLayerSync = byte & 0x20 != 0
        }
        if flags & 0x10 != 0 { descriptor.keyIndex = byte & 0x1F }
        offset &+= 1
      }
    }
    guard offset < count else { throw .truncated }
    descriptor.length = offset
    descriptor.isKeyframeStart = descriptor.isFrameStart && payload[offset] & 0x01 == 0
    return descriptor
  }

  /// Writes another `PictureID` and layer-0 index into the payload that this descriptor was read from.
  ///
  /// Each is written only if the descriptor has it. `PictureID` keeps its width: of a 7-bit one the low 7 bits are
  /// written. So the payload never changes its length and can be rewritten for each receiver in turn.
  public func rewrite(pictureID: UInt16, tl0PictureIndex: UInt8, into payload: inout MutableSpan<UInt8>) {
    guard payload.count > length else { return }
    if self.pictureID != nil {
      let offset = Int(pictureIDOffset)
      if hasLongPictureID {
        payload.setNetworkUInt16(0x8000 | pictureID, at: offset)
      } else {
        payload[offset] = UInt8(truncatingIfNeeded: pictureID & 0x7F)
      }
    }
    if self.tl0PictureIndex != nil { payload[Int(tl0Offset)] = tl0PictureIndex }
  }
}
