import Basics
import COpenH264
public import RTC

/// H.264 by openh264: constrained baseline, level 3.1 up to 1280×720, one slice a frame, parameter sets with every
/// keyframe, as `profile-level-id=42e01f;packetization-mode=1` promises (RFC 6184 section 8.1).
///
/// Frames come out as Annex B. The size is rounded down to even numbers, since the format's cropping counts in twos;
/// 16×16 is the least. Cost: about 5 ms for 1280×720 at 1.5 Mb/s, and one allocation a frame (its bytes).
public final class H264Encoder: VideoEncoder {
  public var codec: Codec { .h264 }
  /// Changes take effect with the next frame.
  public var settings: VideoEncoderSettings

  private var encoder: UnsafeMutablePointer<ISVCEncoder?>?
  private var output = UnsafeMutablePointer<SFrameBSInfo>.allocate(capacity: 1)
  private var applied: VideoEncoderSettings
  private var clock = EncoderClock()
  private var needsKeyframe = true
  private var width: Int { applied.width & ~1 }
  private var height: Int { applied.height & ~1 }

  /// An encoder.
  /// - Throws: ``MediaError/invalid(_:)`` for settings that cannot be encoded, ``MediaError/encoderFailed(_:reason:)``.
  public init(_ settings: VideoEncoderSettings) throws(MediaError) {
    self.settings = settings
    applied = settings
    output.initialize(to: SFrameBSInfo())
    try open()
  }

  deinit {
    close()
    output.deallocate()
  }

  /// Encodes one frame; nil when it was dropped to keep the rate. See ``VideoEncoder/encode(_:forceKeyframe:)``.
  public func encode(_ frame: VideoFrame, forceKeyframe: Bool) throws(MediaError) -> EncodedFrame? {
    try apply()
    guard let encoder else { throw .encoderFailed(codec.name, reason: "it is not set up") }
    let picture = frame.scaled(width: width, height: height)
    let time = clock.advance(to: frame.time, framesPerSecond: applied.framesPerSecond)
    // Held until a keyframe has really come out.
    needsKeyframe = needsKeyframe || forceKeyframe
    if let encoded = try run(encoder, picture, ticks: time, source: frame) { return encoded }
    guard needsKeyframe else { return nil }
    // The rate control skipped a keyframe that somebody waits for. It gets through without that liberty.
    _ = parley_h264_encoder_set_frame_skip(encoder, false)
    defer { _ = parley_h264_encoder_set_frame_skip(encoder, true) }
    return try run(encoder, picture, ticks: clock.ticks + 90, source: frame)
  }

  private func run(
    _ encoder: UnsafeMutablePointer<ISVCEncoder?>, _ picture: VideoFrame, ticks: Int64, source: VideoFrame
  ) throws(MediaError) -> EncodedFrame? {
    if needsKeyframe { _ = parley_h264_encoder_force_keyframe(encoder) }
    let status = picture.withPlanes { y, u, v in
      parley_h264_encode(
        encoder, Int32(width), Int32(height), y.baseAddress, Int32(picture.yStride), u.baseAddress, v.baseAddress,
        Int32(picture.uvStride), ticks / 90, output)
    }
    guard status == 0 else {
      close()
      throw .encoderFailed(codec.name, reason: "the library gave up on a picture (code \(status))")
    }
    let kind = output.pointee.eFrameType
    guard kind != videoFrameTypeSkip, kind != videoFrameTypeInvalid else { return nil }

    var data: [UInt8] = []
    data.reserveCapacity(Int(max(output.pointee.iFrameSizeInBytes, 0)))
    var temporalID: Int32 = 0
    for layer in 0..<output.pointee.iLayerNum {
      var size: Int32 = 0
      var temporal: Int32 = 0
      guard let bytes = parley_h264_layer(output, layer, &size, &temporal), size > 0 else { continue }
      data.append(contentsOf: UnsafeBufferPointer(start: bytes, count: Int(size)))
      temporalID = max(temporalID, temporal)
    }
    guard !data.isEmpty else { return nil }
    let isKeyframe = kind == videoFrameTypeIDR
    if isKeyframe { needsKeyframe = false }
    return EncodedFrame(
      codec: .h264, data: data, timestamp: EncoderClock.timestamp(at: source.time), isKeyframe: isKeyframe,
      temporalID: UInt8(clamping: temporalID),
      isReference: applied.temporalLayers == 1 || Int(temporalID) < applied.temporalLayers - 1, width: width,
      height: height, time: source.time)
  }

  private func apply() throws(MediaError) {
    guard let encoder, settings.isSameStream(as: applied) else {
      close()
      applied = settings
      return try open()
    }
    guard settings != applied else { return }
    try settings.check(minimumDimension: 16)
    if settings.framesPerSecond != applied.framesPerSecond {
      _ = parley_h264_encoder_set_frame_rate(encoder, frameRate(settings))
    }
    applied = settings
    _ = parley_h264_encoder_set_bitrate(encoder, Int32(applied.boundedBitrate))
  }

  private func open() throws(MediaError) {
    try applied.check(minimumDimension: 16)
    var made: UnsafeMutablePointer<ISVCEncoder?>?
    let status = parley_h264_encoder_open(
      &made, Int32(width), Int32(height), Int32(applied.boundedBitrate), frameRate(applied), applied.isScreen,
      Int32(applied.temporalLayers))
    guard status == 0, let made else {
      throw .encoderFailed(codec.name, reason: "the library refused \(width)×\(height) (code \(status))")
    }
    encoder = made
    needsKeyframe = true
  }

  private func close() {
    if let encoder { parley_h264_encoder_close(encoder) }
    encoder = nil
  }

  /// The library plans for at most 60 frames a second.
  private func frameRate(_ settings: VideoEncoderSettings) -> Float { Float(min(settings.framesPerSecond, 60)) }
}
