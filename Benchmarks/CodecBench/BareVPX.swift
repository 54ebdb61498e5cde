import Basics
import CVPX
import Media

/// libvpx used bare: the same settings as ours, the picture's planes handed over, the bytes looked at and left.
struct BareVPX {
  let isVP9: Bool

  func encode(_ frames: [VideoFrame]) -> (cost: TimeSpan, bytes: Int) {
    let interface = isVP9 ? vpx_codec_vp9_cx() : vpx_codec_vp8_cx()
    var settings = vpx_codec_enc_cfg_t()
    vpx_codec_enc_config_default(interface, &settings, 0)
    settings.g_w = UInt32(Scene.width)
    settings.g_h = UInt32(Scene.height)
    settings.g_timebase.num = 1
    settings.g_timebase.den = 90_000
    settings.g_pass = VPX_RC_ONE_PASS
    settings.g_lag_in_frames = 0
    settings.g_threads = 1
    settings.rc_end_usage = VPX_CBR
    settings.rc_target_bitrate = UInt32(Scene.bitrate.bitsPerSecond / 1_000)
    settings.rc_min_quantizer = 2
    settings.rc_max_quantizer = 63
    settings.rc_undershoot_pct = isVP9 ? 50 : 100
    settings.rc_overshoot_pct = isVP9 ? 50 : 15
    settings.rc_buf_sz = isVP9 ? 1_000 : 600
    settings.rc_buf_initial_sz = isVP9 ? 500 : 300
    settings.rc_buf_optimal_sz = isVP9 ? 600 : 400
    settings.rc_dropframe_thresh = 30
    settings.kf_mode = VPX_KF_DISABLED
    var context = vpx_codec_ctx_t()
    guard parley_vpx_encoder_init(&context, interface, &settings, 0) == VPX_CODEC_OK else { return (.zero, 0) }
    defer { vpx_codec_destroy(&context) }
    func set(_ control: vp8e_enc_control_id, _ value: Int32) {
      parley_vpx_control(&context, Int32(control.rawValue), value)
    }
    set(VP8E_SET_MAX_INTRA_BITRATE_PCT, 900)
    set(VP8E_SET_STATIC_THRESHOLD, 1)
    set(VP8E_SET_CPUUSED, isVP9 ? 8 : -6)
    if isVP9 {
      set(VP9E_SET_AQ_MODE, 3)
      set(VP9E_SET_FRAME_PERIODIC_BOOST, 0)
      set(VP9E_SET_FRAME_PARALLEL_DECODING, 0)
      set(VP9E_SET_TILE_COLUMNS, 2)
      set(VP9E_SET_ROW_MT, 1)
    }
    var bytes = 0
    let cost = CPUTime.measure {
      for (index, frame) in frames.enumerated() {
        frame.withPlanes { y, u, v in
          _ = parley_vpx_encode(
            &context, UInt32(frame.width), UInt32(frame.height), y.baseAddress, Int32(frame.yStride), u.baseAddress,
            v.baseAddress, Int32(frame.uvStride), Int64(index) * 3_000, 3_000, index == 0 ? Int(VPX_EFLAG_FORCE_KF) : 0)
        }
        var iterator: vpx_codec_iter_t?
        while let packet = vpx_codec_get_cx_data(&context, &iterator) {
          if packet.pointee.kind == VPX_CODEC_CX_FRAME_PKT { bytes += packet.pointee.data.frame.sz }
        }
      }
    }
    return (cost, bytes)
  }

  func decode(_ frames: [[UInt8]]) -> (cost: TimeSpan, pictures: Int) {
    var settings = vpx_codec_dec_cfg_t()
    settings.threads = 1
    var context = vpx_codec_ctx_t()
    let interface = isVP9 ? vpx_codec_vp9_dx() : vpx_codec_vp8_dx()
    guard parley_vpx_decoder_init(&context, interface, &settings, 0) == VPX_CODEC_OK else { return (.zero, 0) }
    defer { vpx_codec_destroy(&context) }
    var pictures = 0
    let cost = CPUTime.measure {
      for frame in frames {
        frame.withUnsafeBufferPointer {
          _ = vpx_codec_decode(&context, $0.baseAddress, UInt32($0.count), nil, 0)
        }
        var iterator: vpx_codec_iter_t?
        while vpx_codec_get_frame(&context, &iterator) != nil { pictures += 1 }
      }
    }
    return (cost, pictures)
  }
}
