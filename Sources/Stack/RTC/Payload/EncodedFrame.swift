public import Basics

/// One encoded frame of audio or video: what an encoder makes, a ``MediaSender`` sends, a jitter buffer gives out and a
/// decoder takes.
///
/// `data` is, by codec: VP8 and VP9, one frame as the codec library makes it; H.264, one access unit as Annex B byte
/// stream (start codes); AV1, one temporal unit in low-overhead format without temporal delimiters; Opus, one packet.
public struct EncodedFrame: Hashable, Sendable {
  /// The codec that made it.
  public var codec: Codec
  /// The encoded bytes, see above.
  public var data: [UInt8]
  /// The media time in the codec's clock (90 kHz video, 48 kHz audio); wraps.
  public var timestamp: RTPTimestamp
  /// Whether decoding can start here. True for every audio frame.
  public var isKeyframe: Bool
  /// The temporal layer, 0 when there is only one.
  public var temporalID: UInt8
  /// Whether later frames refer to this one. A frame that nobody refers to may be dropped without harm.
  public var isReference: Bool
  /// Whether a receiver can move up to more temporal layers here. Above layer 0: to the frame's own layer, since it
  /// needs nothing but the last frame of layer 0 (Y of RFC 7741 section 4.2). In layer 0, with VP9: to all layers,
  /// since no later frame of them needs one from before this one (U of RFC 9628 section 4.2). False where it is not
  /// known, which is always safe.
  public var isLayerSync: Bool
  /// In pixels; 0 for audio and when it is not known.
  public var width: Int
  /// In pixels; 0 for audio and when it is not known.
  public var height: Int
  /// Loudness in −dBov, 0 (loudest) to 127 (silence), for audio (RFC 6464); nil where not measured.
  public var audioLevel: UInt8?
  /// When the frame or the first sample was captured, on this process's monotonic clock; for a received frame, when it
  /// is to be shown.
  public var time: Instant
  /// The ends of the layer frames in `data`, for a received VP9 superframe whose layers were encrypted one by one;
  /// empty for a superframe of one layer.
  package var layerEnds: [Int] = []

  public init(
    codec: Codec, data: [UInt8], timestamp: RTPTimestamp, isKeyframe: Bool = true, temporalID: UInt8 = 0,
    isReference: Bool = true, isLayerSync: Bool = false, width: Int = 0, height: Int = 0, audioLevel: UInt8? = nil,
    time: Instant = .zero
  ) {
    self.codec = codec
    self.data = data
    self.timestamp = timestamp
    self.isKeyframe = isKeyframe
    self.temporalID = temporalID
    self.isReference = isReference
    self.isLayerSync = isLayerSync
    self.width = width
    self.height = height
    self.audioLevel = audioLevel
    self.time = time
  }
}
