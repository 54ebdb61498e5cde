import CVPX

/// A frame's place in the pattern of temporal layers: 0 1 0 1 or 0 2 1 2.
struct TemporalLayer {
  /// 0 is the one that all others need.
  let id: Int
  /// The buffers that the frame may refer to and change, for VP8.
  let vp8Flags: vpx_enc_frame_flags_t
  /// Whether the frame needs the last frame of layer 0 alone, and no later one needs an older frame of another layer:
  /// receivers can move up to its layer with it (RFC 7741 section 4.2, Y).
  var isSync = false

  /// The place of frame number `position` after a keyframe, which is 0.
  static func at(_ position: Int, of layers: Int) -> TemporalLayer {
    switch (layers, position & 3) {
    case (2, 0), (2, 2), (3, 0): base
    case (2, _): TemporalLayer(id: 1, vp8Flags: lastOnly | noUpdate, isSync: true)
    // The middle layer is kept as golden, so that the last frame of the pattern can use it.
    case (3, 2): TemporalLayer(id: 1, vp8Flags: lastOnly | noLast | noAlternate | noEntropy, isSync: true)
    case (3, 1): TemporalLayer(id: 2, vp8Flags: lastOnly | noUpdate, isSync: true)
    case (3, _): TemporalLayer(id: 2, vp8Flags: flag(VP8_EFLAG_NO_REF_ARF) | noUpdate)
    default: TemporalLayer(id: 0, vp8Flags: 0)
    }
  }

  private static var base: TemporalLayer { TemporalLayer(id: 0, vp8Flags: lastOnly | noGolden | noAlternate) }
  private static var lastOnly: vpx_enc_frame_flags_t { flag(VP8_EFLAG_NO_REF_GF) | flag(VP8_EFLAG_NO_REF_ARF) }
  private static var noUpdate: vpx_enc_frame_flags_t { noLast | noGolden | noAlternate | noEntropy }
  private static var noLast: vpx_enc_frame_flags_t { flag(VP8_EFLAG_NO_UPD_LAST) }
  private static var noGolden: vpx_enc_frame_flags_t { flag(VP8_EFLAG_NO_UPD_GF) }
  private static var noAlternate: vpx_enc_frame_flags_t { flag(VP8_EFLAG_NO_UPD_ARF) }
  private static var noEntropy: vpx_enc_frame_flags_t { flag(VP8_EFLAG_NO_UPD_ENTROPY) }
  private static func flag(_ value: Int32) -> vpx_enc_frame_flags_t { vpx_enc_frame_flags_t(value) }
}
