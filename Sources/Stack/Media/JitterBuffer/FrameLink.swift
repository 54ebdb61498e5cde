import RTC

/// A frame's place among others: its number, its layer, and the frames that it needs.
struct FrameLink: Hashable, Sendable {
  /// How the codec names what a frame needs.
  enum Kind: Hashable, Sendable {
    /// Nothing earlier (a keyframe, or a frame that refers to none).
    case nothing
    /// The codec does not say (H.264, AV1 without dependency descriptor): everything since the keyframe.
    case sequence
    /// The frame with the number before (VP8 and VP9 without layers).
    case previous
    /// By layers: TL0PICIDX names the frame of layer 0 (VP8, and VP9 without a group of frames).
    case layers
    /// By the group of the last keyframe (VP9, non-flexible mode).
    case group
    /// Spelled out as differences of numbers (VP9 in flexible mode, AV1 with dependency descriptor).
    case differences
    /// It cannot be known: the template that the frame names has not been seen.
    case unknown
  }

  var kind: Kind
  /// Whether the codec gives ``number`` at all.
  var hasNumber = false
  /// `PictureID` or the frame number as on the wire.
  var number: UInt16 = 0
  /// How many numbers there are before they repeat: 128, 32,768 or 65,536.
  var modulus: Int64 = 0x8000
  /// How many numbers the frame covers: more than 1 for AV1 with spatial layers.
  var span: Int64 = 1
  var tl0PictureIndex: UInt8?
  var temporalID: UInt8 = 0
  /// Whether a frame above layer 0 needs layer 0 alone.
  var isLayerSync = false
  /// Whether later frames may need this one.
  var isReference = true
  var references = FrameDifferences()
}
