public import Basics

/// Joins the payloads of one frame, in order and without gaps, to the bytes that a decoder takes: the counterpart of
/// ``Packetizer``, for VP8 (RFC 7741), VP9 (RFC 9628), H.264 (RFC 6184), AV1 (AOM, RTP payload format for AV1) and
/// audio.
///
///     var depacketizer = FrameDepacketizer(codec: .h264)
///     for payload in payloads { try depacketizer.append(payload.span) }
///     let frame = try depacketizer.finish(timestamp: timestamp, time: now)
///
/// The jitter buffer decides which packets belong to a frame; packets that contradict that are refused here. Everything
/// is bounded: the frame at 8 MiB, the number of its parts, and each walk by the payload's length (threat 17). After an
/// error the frame is gone; continue with ``reset()``.
///
/// Cost: one copy of the bytes, two for AV1. One allocation per frame, the frame's own bytes.
public struct FrameDepacketizer: Sendable {
  /// The codec of the payloads.
  public let codec: Codec
  /// Whether frames are encrypted end to end: VP9's frame header isn't read then, and layers are told apart.
  let isEncrypted: Bool
  /// Larger frames are refused: 8 MiB.
  public static let maximumFrameSize = Packetizer.maximumFrameSize
  /// More NAL units or OBUs in one frame are refused.
  static let maximumUnits = 4_096

  var data: [UInt8] = []
  var payloadCount = 0
  var isKeyframe = false
  var isReference = true
  var temporalID: UInt8 = 0
  var isLayerSync = false
  var size: PictureSize?
  /// NAL units or OBUs so far.
  var unitCount = 0
  /// Whether a unit goes on in the next payload.
  var isInsideUnit = false
  /// Whether the last layer frame of the superframe has ended (VP9).
  var isComplete = true
  /// The ends of layer frames in `data` so far (VP9, encrypted).
  var layerEnds: [Int] = []
  /// The OBU that is being put together, without its element's size.
  var unit: [UInt8] = []
  /// Whether a frame header was seen, the first of which gives the kind of frame (AV1).
  var hasFrameHeader = false
  var hasSequenceHeader = false
  /// The kind of FU-A that is going on.
  var fragmentType: UInt8 = 0

  /// A depacketizer for frames of `codec`.
  public init(codec: Codec, isEncrypted: Bool = false) {
    self.codec = codec
    self.isEncrypted = isEncrypted
  }

  /// Makes room for a frame of `count` bytes at once.
  public mutating func reserve(_ count: Int) { data.reserveCapacity(min(max(count, 0), Self.maximumFrameSize)) }

  /// Appends the next payload of the frame. Empty payloads (packets of padding only) are passed over.
  /// - Throws: ``PayloadError/truncated``, ``PayloadError/malformed`` and ``PayloadError/unsupported`` as the payload's
  ///   parser; ``PayloadError/incomplete`` when it does not continue the payload before; ``PayloadError/tooLarge``
  ///   beyond a limit.
  public mutating func append(_ payload: Span<UInt8>) throws(PayloadError) {
    guard payload.count > 0 else { return }
    // Parameter sets and sizes put in front of OBUs add less than the payload's own length.
    guard data.count &+ unit.count &+ payload.count <= Self.maximumFrameSize else { throw .tooLarge }
    switch codec {
    case .vp8: try appendVP8(payload)
    case .vp9: try appendVP9(payload)
    case .h264: try appendH264(payload)
    case .av1: try appendAV1(payload)
    case .opus, .pcmu, .pcma, .telephoneEvent:
      guard payloadCount == 0 else { throw .malformed }
      isKeyframe = true
      data.append(copying: payload)
    case .red, .rtx: throw .unsupported
    }
    payloadCount &+= 1
  }

  /// The frame made of all payloads since the start or ``reset()``; starts the next one.
  ///
  /// Its size is known for keyframes, if their headers have it.
  /// - Throws: ``PayloadError/incomplete`` when nothing was appended or a unit continues past the last payload.
  public mutating func finish(timestamp: RTPTimestamp, time: Instant) throws(PayloadError) -> EncodedFrame {
    defer { reset() }
    guard !isInsideUnit, isComplete, !data.isEmpty else { throw .incomplete }
    var frame = EncodedFrame(
      codec: codec, data: data, timestamp: timestamp, isKeyframe: isKeyframe, temporalID: temporalID,
      isReference: isReference, isLayerSync: isLayerSync, width: size?.width ?? 0, height: size?.height ?? 0,
      time: time)
    if layerEnds.count > 1 { frame.layerEnds = layerEnds }
    return frame
  }

  /// Forgets the payloads appended so far.
  public mutating func reset() {
    var next = FrameDepacketizer(codec: codec, isEncrypted: isEncrypted)
    unit.removeAll(keepingCapacity: true)
    next.unit = unit
    self = next
  }

  /// RFC 7741 section 4.2: the descriptors go, the rest is the frame.
  private mutating func appendVP8(_ payload: Span<UInt8>) throws(PayloadError) {
    let descriptor = try VP8Descriptor.parse(payload)
    guard descriptor.isFrameStart == (payloadCount == 0) else { throw .incomplete }
    if payloadCount == 0 {
      isKeyframe = descriptor.isKeyframeStart
      isReference = descriptor.isReference
      temporalID = descriptor.temporalID ?? 0
      isLayerSync = descriptor.isLayerSync
      if isKeyframe { size = PictureSize.vp8(payload, descriptor.length..<payload.count) }
    }
    data.append(copying: payload.extracting(descriptor.length..<payload.count))
  }

  /// RFC 9628 section 4.2: the descriptors are dropped; the layer frames of a superframe follow each other.
  private mutating func appendVP9(_ payload: Span<UInt8>) throws(PayloadError) {
    let descriptor = try VP9Descriptor.parse(payload)
    guard descriptor.isFrameStart == isComplete else { throw .incomplete }
    if payloadCount == 0 {
      let header = isEncrypted ? nil : VP9FrameHeader(payload, descriptor.length..<payload.count)
      isKeyframe = descriptor.isKeyframeStart && header?.isKeyframe ?? true
      temporalID = descriptor.temporalID ?? 0
      isLayerSync = descriptor.isSwitchingUpPoint
      size = isKeyframe ? header?.size : nil
    }
    // Of several spatial layers the highest one is what is shown.
    if isKeyframe, let resolution = descriptor.resolution, descriptor.spatialLayerCount ?? 1 > 1 || isEncrypted {
      size = PictureSize(width: Int(resolution.width), height: Int(resolution.height))
    }
    isComplete = descriptor.isFrameEnd
    data.append(copying: payload.extracting(descriptor.length..<payload.count))
    guard isEncrypted, isComplete else { return }
    guard layerEnds.count < VP9Descriptor.maximumSpatialLayers else { throw .malformed }
    layerEnds.append(data.count)
  }
}
