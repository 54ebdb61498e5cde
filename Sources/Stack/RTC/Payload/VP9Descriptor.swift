/// The payload descriptor in front of VP9 data (RFC 9628 section 4.2), in flexible and non-flexible mode.
///
/// A plain value; offsets count from the start of the payload.
public struct VP9Descriptor: Hashable, Sendable {
  /// The most that a layer index can name.
  static let maximumSpatialLayers = 8

  /// The start of the VP9 data: the length of the descriptor.
  public private(set) var length = 1
  /// `PictureID`, 7 or 15 bits; nil when absent (I).
  public private(set) var pictureID: UInt16?
  /// Whether `PictureID` has 15 bits (M).
  public private(set) var hasLongPictureID = false
  /// Whether the frame needs an earlier superframe (P).
  public private(set) var isInterPicturePredicted = false
  /// Whether references are spelled out in each packet (F).
  public private(set) var isFlexible = false
  /// Whether a layer frame starts here (B).
  public private(set) var isFrameStart = false
  /// Whether a layer frame ends here (E).
  public private(set) var isFrameEnd = false
  /// Whether no higher spatial layer of the superframe needs this frame (Z).
  public private(set) var isNotReferenceForUpperLayers = false
  /// The temporal layer; nil without layer indices (L).
  public private(set) var temporalID: UInt8?
  /// The spatial layer; nil without layer indices (L).
  public private(set) var spatialID: UInt8?
  /// Whether a receiver can move up to a higher temporal layer here (U).
  public private(set) var isSwitchingUpPoint = false
  /// Whether the frame needs the next lower spatial layer of its superframe (D).
  public private(set) var isInterLayerPredicted = false
  /// `TL0PICIDX`, the running number of superframes in temporal layer 0, in non-flexible mode; nil when absent.
  public private(set) var tl0PictureIndex: UInt8?
  /// How many reference differences were spelled out, 0 to 3.
  public private(set) var referenceCount: UInt8 = 0
  private var differences = SIMD4<UInt8>()
  /// The number of spatial layers the scalability structure announces; nil when the packet has none (V).
  public private(set) var spatialLayerCount: UInt8?
  /// Width and height of the highest spatial layer; nil when not announced.
  public private(set) var resolution: Resolution?

  /// A frame size in pixels.
  public struct Resolution: Hashable, Sendable {
    /// Width in pixels.
    public let width: UInt16
    /// Height in pixels.
    public let height: UInt16
  }

  private var pictureIDOffset: UInt8 = 0
  private var tl0Offset: UInt8 = 0
  /// The start of the sizes of the spatial layers; 0 without.
  private var sizesOffset: UInt16 = 0
  /// The start of the description of the group of frames (`N_G`); 0 without one.
  private(set) var groupOffset: UInt16 = 0

  private init() {}

  /// Whether a key superframe starts here: nothing earlier is needed and it is the first packet of the lowest spatial
  /// layer.
  public var isKeyframeStart: Bool { !isInterPicturePredicted && isFrameStart && (spatialID ?? 0) == 0 }

  /// The bits of a `PictureID` of this packet's width: 0x7F or 0x7FFF.
  public var pictureIDMask: UInt16 { hasLongPictureID ? 0x7FFF : 0x7F }

  /// The distance to the reference at `index` in superframes, 0 to 127; 0 past the last one (P_DIFF).
  public func referenceDifference(at index: Int) -> UInt8 {
    index >= 0 && index < Int(referenceCount) ? differences[index] : 0
  }

  /// Reads the descriptor. At most 8 layers, 255 superframes of a group and 3 references each are walked, all inside
  /// the payload.
  /// - Throws: ``PayloadError/truncated`` when it is incomplete or nothing follows, ``PayloadError/malformed`` when
  ///   more than three references are spelled out.
  public static func parse(_ payload: Span<UInt8>) throws(PayloadError) -> VP9Descriptor {
    let count = payload.count
    guard count >= 2 else { throw .truncated }
    let first = payload[0]
    var descriptor = VP9Descriptor()
    descriptor.isInterPicturePredicted = first & 0x40 != 0
    descriptor.isFlexible = first & 0x10 != 0
    descriptor.isFrameStart = first & 0x08 != 0
    descriptor.isFrameEnd = first & 0x04 != 0
    descriptor.isNotReferenceForUpperLayers = first & 0x01 != 0
    var offset = 1
    if first & 0x80 != 0 {
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
    if first & 0x20 != 0 {
      guard offset < count else { throw .truncated }
      let byte = payload[offset]
      descriptor.temporalID = byte >> 5
      descriptor.isSwitchingUpPoint = byte & 0x10 != 0
      descriptor.spatialID = byte >> 1 & 0x07
      descriptor.isInterLayerPredicted = byte & 0x01 != 0
      offset &+= 1
      if !descriptor.isFlexible {
        guard offset < count else { throw .truncated }
        descriptor.tl0Offset = UInt8(truncatingIfNeeded: offset)
        descriptor.tl0PictureIndex = payload[offset]
        offset &+= 1
      }
    }
    if descriptor.isFlexible, descriptor.isInterPicturePredicted {
      var more = true
      while more {
        guard descriptor.referenceCount < 3 else { throw .malformed }
        guard offset < count else { throw .truncated }
        more = payload[offset] & 0x01 != 0
        descriptor.differences[Int(descriptor.referenceCount)] = payload[offset] >> 1
        descriptor.referenceCount &+= 1
        offset &+= 1
      }
    }
    if first & 0x02 != 0 { offset = try descriptor.readScalabilityStructure(payload, from: offset) }
    guard offset < count else { throw .truncated }
    descriptor.length = offset
    return descriptor
  }

  /// Reads the scalability structure (RFC 9628 section 4.2.1) and returns where it ends.
  private mutating func readScalabilityStructure(
    _ payload: Span<UInt8>, from start: Int
  ) throws(PayloadError) -> Int {
    let count = payload.count
    guard start < count else { throw .truncated }
    let flags = payload[start]
    let layers = Int(flags >> 5) &+ 1
    spatialLayerCount = UInt8(truncatingIfNeeded: layers)
    var offset = start &+ 1
    if flags & 0x10 != 0 {
      guard offset &+ layers &* 4 <= count else { throw .truncated }
      sizesOffset = UInt16(truncatingIfNeeded: offset)
      offset &+= layers &* 4
      resolution = Resolution(
        width: payload.networkUInt16(at: offset &- 4), height: payload.networkUInt16(at: offset &- 2))
    }
    if flags & 0x08 != 0 {
      groupOffset = UInt16(truncatingIfNeeded: offset)
      guard offset < count else { throw .truncated }
      let pictures = Int(payload[offset])
      offset &+= 1
      for _ in 0..<pictures {
        guard offset < count else { throw .truncated }
        offset &+= 1 &+ Int(payload[offset] >> 2 & 0x03)
      }
      guard offset <= count else { throw .truncated }
    }
    return offset
  }

  /// Width and height of a spatial layer as the scalability structure of this payload says; nil when it does not.
  public func resolution(ofSpatialLayer layer: UInt8, in payload: Span<UInt8>) -> Resolution? {
    let offset = Int(sizesOffset) &+ Int(layer) &* 4
    guard sizesOffset > 0, layer < spatialLayerCount ?? 0, offset &+ 4 <= payload.count else { return nil }
    return Resolution(width: payload.networkUInt16(at: offset), height: payload.networkUInt16(at: offset &+ 2))
  }

  /// Writes another `PictureID` and layer-0 index into the payload that this descriptor was read from.
  ///
  /// Each is written only if the descriptor has it, and `PictureID` keeps its width.
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
