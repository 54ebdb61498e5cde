/// Turns encoded frames into RTP payloads of bounded size: VP8 (RFC 7741), VP9 (RFC 9628, flexible mode, one spatial
/// layer), H.264 (RFC 6184, packetization mode 1) and Opus (RFC 7587). Use one per outgoing stream, since frame numbers
/// continue.
///
///     var packetizer = Packetizer(codec: .vp8, maximumPayloadSize: 1_160, using: &random)
///     try packetizer.packetize(frame) { payload, marker in pacer.append(payload, marker) }
///
/// A frame of several packets is cut so that all have the same size but the last one, which is shorter by less than one
/// byte for each packet. A fixed cut would leave a small rest, and one burst with UDP segmentation offload takes equal
/// sizes only: so a frame is one system call and no padding. It also spares the receiver a small last packet that is
/// lost as easily as a full one.
///
/// Cost: one copy of the frame's bytes. Nothing is allocated but the first time, when the buffer for one payload is
/// made.
public struct Packetizer: Sendable {
  /// The codec that the frames must have.
  public let codec: Codec
  /// The largest payload that is made, 64 to 65,000 bytes; may be changed between frames.
  public var maximumPayloadSize: Int {
    didSet { maximumPayloadSize = Self.clamp(maximumPayloadSize) }
  }
  /// Whether frames say which temporal layer they belong to. Set it at the start when the encoder makes layers; the
  /// first frame above layer 0 sets it as well.
  public var hasTemporalLayers: Bool

  /// Larger frames are refused: 8 MiB.
  public static let maximumFrameSize = 8 << 20
  private static func clamp(_ size: Int) -> Int { min(max(size, 64), 65_000) }

  /// The next `PictureID`, 15 bits.
  var pictureID: UInt16
  /// The running number of the last frame of temporal layer 0.
  var tl0PictureIndex: UInt8
  /// For each temporal layer the `PictureID` of the last frame that others may refer to; `noPicture` before there is
  /// one.
  var lastReference = SIMD8<UInt16>(repeating: Packetizer.noPicture)
  /// Bit n: layer n had a frame since the last keyframe.
  var layersSeen: UInt8 = 0
  var scratch: [UInt8] = []
  var units: [Range<Int>] = []

  static let noPicture = UInt16.max

  /// A packetizer whose frame numbers start at random (RFC 7741 section 4.2, RFC 9628 section 4.2).
  public init(
    codec: Codec, maximumPayloadSize: Int, hasTemporalLayers: Bool = false,
    using generator: inout some RandomNumberGenerator
  ) {
    self.codec = codec
    self.maximumPayloadSize = Self.clamp(maximumPayloadSize)
    self.hasTemporalLayers = hasTemporalLayers
    pictureID = UInt16.random(in: 0...0x7FFF, using: &generator)
    tl0PictureIndex = UInt8.random(in: 0...UInt8.max, using: &generator)
  }

  /// Calls `emit` with each payload of `frame` in order, and whether the packet gets the marker bit: the last one of a
  /// video frame. Audio never gets it here; the caller sets it at the beginning of a talk spurt.
  ///
  /// `payload` is valid during the call only. A frame that throws has emitted nothing.
  /// - Throws: ``PayloadError/unsupported`` for a frame of another codec, and for codecs that are only received (AV1)
  ///   or wrapped elsewhere (RED, RTX); ``PayloadError/truncated`` for an empty frame; ``PayloadError/tooLarge`` above
  ///   8 MiB, or an audio packet above ``maximumPayloadSize``; ``PayloadError/malformed`` for H.264 without a start
  ///   code.
  public mutating func packetize(
    _ frame: EncodedFrame, emit: (_ payload: Span<UInt8>, _ marker: Bool) -> Void
  ) throws(PayloadError) {
    guard frame.codec == codec else { throw .unsupported }
    guard !frame.data.isEmpty else { throw .truncated }
    guard frame.data.count <= Self.maximumFrameSize else { throw .tooLarge }
    switch codec {
    case .opus, .pcmu, .pcma, .telephoneEvent:
      guard frame.data.count <= maximumPayloadSize else { throw .tooLarge }
      emit(frame.data.span, false)
    case .vp8: packetizeVP8(frame, emit)
    case .vp9: packetizeVP9(frame, emit)
    case .h264: try packetizeH264(frame, emit)
    case .av1, .red, .rtx: throw .unsupported
    }
  }

  /// Cuts `bytes` of `data` into the fewest pieces that fit behind a header of `header` bytes, the first behind `extra`
  /// bytes more. All payloads but the last are equally long. `write` puts the header into the scratch buffer.
  mutating func split(
    _ data: [UInt8], _ bytes: Range<Int>, header: Int, extra: Int = 0,
    write: (inout [UInt8], _ isFirst: Bool, _ isLast: Bool) -> Void, emit: (Span<UInt8>, _ isLast: Bool) -> Void
  ) {
    // At least 64 bytes of payload leave room for every header here, so that no division is by zero and each piece has
    // data.
    let room = max(maximumPayloadSize &- header, 1)
    let total = bytes.count &+ extra
    let count = max((total &+ room &- 1) / room, 1)
    let piece = (total &+ count &- 1) / count
    var start = bytes.lowerBound
    var isFirst = true
    while start < bytes.upperBound {
      let length = max(isFirst ? piece &- extra : piece, 1)
      let end = min(start &+ length, bytes.upperBound)
      scratch.removeAll(keepingCapacity: true)
      write(&scratch, isFirst, end == bytes.upperBound)
      scratch.append(contentsOf: data[start..<end])
      emit(scratch.span, end == bytes.upperBound)
      start = end
      isFirst = false
    }
  }

  /// Takes note of the frame's layer. Gives the layer, at most `maximum`, and whether the frame needs layer 0 alone: a
  /// keyframe has ended what frames of other layers could be referred to, so that the first one behind it has nothing
  /// else.
  mutating func noteLayer(_ frame: EncodedFrame, maximum: UInt8) -> (layer: UInt8, isSync: Bool) {
    let layer = min(frame.temporalID, maximum)
    if layer > 0 { hasTemporalLayers = true }
    if frame.isKeyframe { layersSeen = 0 }
    // Bits 1 to `layer`.
    let upToOwn = UInt8(truncatingIfNeeded: (2 << UInt16(layer)) &- 2)
    let isSync = layer > 0 && (frame.isLayerSync || layersSeen & upToOwn == 0)
    layersSeen |= 1 << layer
    return (layer, isSync)
  }
}
