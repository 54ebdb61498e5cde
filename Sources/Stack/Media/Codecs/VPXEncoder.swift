import Basics
import CVPX
import RTC

/// The part that encoders of VP8 and VP9 share in libvpx: the context, the flow of one frame, and rate changes.
///
/// The context is made again when the size changes: libvpx can change sizes in flight, but not beyond the first one,
/// and a new stream needs a keyframe anyway.
final class VPXEncoder {
  var settings: VideoEncoderSettings
  let codec: Codec

  private var context: UnsafeMutablePointer<vpx_codec_ctx_t>?
  private var configuration = vpx_codec_enc_cfg_t()
  private var applied: VideoEncoderSettings
  private var clock = EncoderClock()
  private var needsKeyframe = true
  /// Frames encoded since the last keyframe, for the pattern of VP8's temporal layers.
  private var position = 0

  init(_ codec: Codec, _ settings: VideoEncoderSettings) throws(MediaError) {
    self.codec = codec
    self.settings = settings
    applied = settings
    try open()
  }

  deinit { close() }

  func encode(_ frame: VideoFrame, forceKeyframe: Bool) throws(MediaError) -> EncodedFrame? {
    try apply()
    guard let context else { throw failure("it is not set up") }
    let picture = frame.scaled(width: applied.width, height: applied.height)
    let time = clock.advance(to: frame.time, framesPerSecond: applied.framesPerSecond)
    let wantsKeyframe = forceKeyframe || needsKeyframe
    // Held until a keyframe has really come out.
    needsKeyframe = wantsKeyframe

    guard let output = try run(context, picture, time: time, keyframe: wantsKeyframe, source: frame) else {
      guard wantsKeyframe else { return nil }
      // The rate control dropped a keyframe that somebody waits for. It gets through without that liberty.
      try allowDropping(false, context)
      defer { try? allowDropping(true, context) }
      return try run(context, picture, time: clock.ticks + 1, keyframe: true, source: frame)
    }
    return output
  }

  // MARK: - One frame

  private func run(
    _ context: UnsafeMutablePointer<vpx_codec_ctx_t>, _ picture: VideoFrame, time: Int64, keyframe: Bool,
    source: VideoFrame
  ) throws(MediaError) -> EncodedFrame? {
    if keyframe { position = 0 }
    let layer = TemporalLayer.at(position, of: applied.temporalLayers)
    var flags = keyframe ? vpx_enc_frame_flags_t(VPX_EFLAG_FORCE_KF) : 0
    if codec == .vp8, applied.temporalLayers > 1 {
      parley_vpx_control(context, Int32(VP8E_SET_TEMPORAL_LAYER_ID.rawValue), Int32(layer.id))
      if !keyframe { flags |= layer.vp8Flags }
    }
    let duration = UInt(EncoderClock.frequency / Int64(applied.framesPerSecond))
    let status = picture.withPlanes { y, u, v in
      parley_vpx_encode(
        context, UInt32(picture.width), UInt32(picture.height), y.baseAddress, Int32(picture.yStride), u.baseAddress,
        v.baseAddress, Int32(picture.uvStride), time, duration, flags)
    }
    guard status == VPX_CODEC_OK else {
      let reason = describe(context, status)
      close()
      throw failure(reason)
    }

    var data: [UInt8] = []
    var isKeyframe = false
    var iterator: vpx_codec_iter_t?
    while let packet = vpx_codec_get_cx_data(context, &iterator) {
      guard packet.pointee.kind == VPX_CODEC_CX_FRAME_PKT, let bytes = packet.pointee.data.frame.buf else { continue }
      data.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: packet.pointee.data.frame.sz))
      isKeyframe = packet.pointee.data.frame.flags & UInt32(VPX_FRAME_IS_KEY) != 0
    }
    guard !data.isEmpty else { return nil }
    if isKeyframe {
      needsKeyframe = false
      position = 0
    }
    position += 1
    var temporalID = isKeyframe ? 0 : layer.id
    if codec == .vp9, applied.temporalLayers > 1 { temporalID = Int(parley_vp9_temporal_layer(context)) }
    return EncodedFrame(
      codec: codec, data: data, timestamp: EncoderClock.timestamp(at: source.time), isKeyframe: isKeyframe,
      temporalID: UInt8(clamping: temporalID),
      isReference: applied.temporalLayers == 1 || temporalID < applied.temporalLayers - 1,
      isLayerSync: applied.temporalLayers > 1 && (codec == .vp8 ? !isKeyframe && layer.isSync : temporalID == 0),
      width: picture.width, height: picture.height, time: source.time)
  }

  // MARK: - Setting up

  private func apply() throws(MediaError) {
    if context == nil || !settings.isSameStream(as: applied) {
      close()
      applied = settings
      try open()
      return
    }
    guard settings != applied else { return }
    try settings.check()
    let isNewPace = settings.framesPerSecond != applied.framesPerSecond
    let before = applied.boundedBitrate
    applied = settings
    guard let context else { return }
    if let detour = detour(from: before, to: applied.boundedBitrate) {
      fill(bitrate: detour)
      try set(context)
    }
    fill(bitrate: applied.boundedBitrate)
    try set(context)
    if isNewPace { limitKeyframes(context) }
  }

  /// The rate to set for a moment on the way to a lower one, nil when none is needed.
  ///
  /// VP9 keeps its credit of bits when the rate falls. Against a smaller target it looks like plenty: at a fall to
  /// half, the next frames come out twice as large as before. Only a fall to less than half makes the library reset the
  /// credit, so a smaller fall goes by way of one. A fall by less than a seventh is followed well enough.
  private func detour(from old: Int, to new: Int) -> Int? {
    codec == .vp9 && applied.temporalLayers == 1 && new >= old / 2 && new < old * 6 / 7 ? old * 12 / 25 : nil
  }

  /// Hands the configuration to the library. When that fails, there is no encoder until the next frame makes a new one.
  private func set(_ context: UnsafeMutablePointer<vpx_codec_ctx_t>) throws(MediaError) {
    let status = vpx_codec_enc_config_set(context, &configuration)
    guard status == VPX_CODEC_OK else {
      let reason = describe(context, status)
      close()
      throw failure(reason)
    }
  }

  private func open() throws(MediaError) {
    try applied.check()
    let interface = codec == .vp8 ? vpx_codec_vp8_cx() : vpx_codec_vp9_cx()
    guard vpx_codec_enc_config_default(interface, &configuration, 0) == VPX_CODEC_OK else {
      throw failure("the library has no settings for it")
    }
    fill(bitrate: applied.boundedBitrate)
    let context = UnsafeMutablePointer<vpx_codec_ctx_t>.allocate(capacity: 1)
    context.initialize(to: vpx_codec_ctx_t())
    let status = parley_vpx_encoder_init(context, interface, &configuration, 0)
    guard status == VPX_CODEC_OK else {
      let reason = describe(context, status)
      context.deallocate()
      throw failure(reason)
    }
    self.context = context
    needsKeyframe = true
    position = 0
    control(context)
  }

  private func close() {
    guard let context else { return }
    vpx_codec_destroy(context)
    context.deallocate()
    self.context = nil
  }

  private func fill(bitrate: Int) {
    configuration.g_w = UInt32(applied.width)
    configuration.g_h = UInt32(applied.height)
    configuration.g_profile = 0
    configuration.g_timebase.num = 1
    configuration.g_timebase.den = Int32(EncoderClock.frequency)
    configuration.g_pass = VPX_RC_ONE_PASS
    configuration.g_lag_in_frames = 0
    configuration.g_threads = UInt32(Self.threads(for: applied))
    // With layers a frame may be left out on the way, so no later one may lean on the probabilities that it left
    // behind.
    configuration.g_error_resilient = applied.temporalLayers > 1 ? UInt32(VPX_ERROR_RESILIENT_DEFAULT) : 0
    configuration.rc_end_usage = VPX_CBR
    configuration.rc_target_bitrate = UInt32(bitrate / 1_000)
    configuration.rc_min_quantizer = applied.isScreen ? 8 : 2
    // The whole range: when the rate falls, a coarse picture comes before a late one.
    configuration.rc_max_quantizer = 63
    configuration.rc_undershoot_pct = codec == .vp8 ? 100 : 50
    configuration.rc_overshoot_pct = codec == .vp8 ? 15 : 50
    // Milliseconds of the target rate: what may be sent ahead, and where the level should lie. VP8 with a full second
    // overshoots by 40 per cent in the second after a fall of the rate, with this by 20.
    configuration.rc_buf_sz = codec == .vp8 ? 600 : 1_000
    configuration.rc_buf_initial_sz = codec == .vp8 ? 300 : 500
    configuration.rc_buf_optimal_sz = codec == .vp8 ? 400 : 600
    configuration.rc_dropframe_thresh = 30
    configuration.rc_resize_allowed = 0
    // Keyframes cost ten ordinary frames: they are made when asked for.
    configuration.kf_mode = VPX_KF_DISABLED
    parley_vpx_set_temporal_layers(&configuration, UInt32(applied.temporalLayers))
  }

  private func control(_ context: UnsafeMutablePointer<vpx_codec_ctx_t>) {
    func set(_ control: vp8e_enc_control_id, _ value: Int) {
      parley_vpx_control(context, Int32(control.rawValue), Int32(value))
    }
    let pixels = applied.width * applied.height
    limitKeyframes(context)
    set(VP8E_SET_STATIC_THRESHOLD, applied.isScreen ? 100 : 1)
    if codec == .vp8 {
      // Negative: the library may go faster than this when it falls behind.
      set(VP8E_SET_CPUUSED, pixels <= 352 * 288 ? -4 : -6)
      set(VP8E_SET_TOKEN_PARTITIONS, 0)
      set(VP8E_SET_NOISE_SENSITIVITY, 0)
      set(VP8E_SET_SCREEN_CONTENT_MODE, applied.isScreen ? 1 : 0)
    } else {
      let speed = pixels <= 352 * 288 ? 5 : pixels <= 640 * 480 ? 7 : 8
      set(VP8E_SET_CPUUSED, speed)
      set(VP9E_SET_AQ_MODE, 3)
      set(VP9E_SET_FRAME_PERIODIC_BOOST, 0)
      set(VP9E_SET_FRAME_PARALLEL_DECODING, 0)
      set(VP9E_SET_TILE_COLUMNS, applied.width >= 1_280 ? 2 : applied.width >= 640 ? 1 : 0)
      set(VP9E_SET_ROW_MT, 1)
      set(VP9E_SET_NOISE_SENSITIVITY, 0)
      set(VP9E_SET_TUNE_CONTENT, applied.isScreen ? 1 : 0)
      if applied.temporalLayers > 1 { parley_vp9_enable_layers(context, &configuration, Int32(speed)) }
    }
  }

  /// Holds keyframes to 300 ms of the rate (in per cent of a frame's share), but not below three frames' share.
  private func limitKeyframes(_ context: UnsafeMutablePointer<vpx_codec_ctx_t>) {
    let percent = max(300, applied.framesPerSecond * 30)
    parley_vpx_control(context, Int32(VP8E_SET_MAX_INTRA_BITRATE_PCT.rawValue), Int32(percent))
  }

  private func allowDropping(
    _ isAllowed: Bool, _ context: UnsafeMutablePointer<vpx_codec_ctx_t>
  ) throws(MediaError) {
    configuration.rc_dropframe_thresh = isAllowed ? 30 : 0
    let status = vpx_codec_enc_config_set(context, &configuration)
    guard status == VPX_CODEC_OK else { throw failure(describe(context, status)) }
  }

  /// More threads than one only if a frame is large and cores are many: they cost time in all.
  private static func threads(for settings: VideoEncoderSettings) -> Int {
    let pixels = settings.width * settings.height
    if pixels >= 1_280 * 720, ProcessorCount.value >= 8 { return 4 }
    if pixels > 640 * 480, ProcessorCount.value >= 4 { return 2 }
    return 1
  }

  private func describe(_ context: UnsafeMutablePointer<vpx_codec_ctx_t>, _ status: vpx_codec_err_t) -> String {
    let detail = vpx_codec_error_detail(context).map { String(cString: $0) }
    return detail ?? String(cString: vpx_codec_err_to_string(status))
  }

  private func failure(_ reason: String) -> MediaError { .encoderFailed(codec.name, reason: reason) }
}
