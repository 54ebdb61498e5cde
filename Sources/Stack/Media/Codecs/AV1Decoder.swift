import Basics
import CDav1d
public import RTC

/// AV1, main profile with 8 bits, by dav1d, without delay: a temporal unit in, its frame out. Damaged data is an error,
/// never shown.
///
/// Cost: about 2 ms for 1280×720 and one allocation (the frame).
public final class AV1Decoder: VideoDecoder {
  public var codec: Codec { .av1 }
  /// Whether only a keyframe can be decoded now: at the beginning and after an error.
  public private(set) var needsKeyframe = true

  private var context: OpaquePointer?

  /// A decoder.
  /// - Throws: ``MediaError/decoderFailed(_:reason:)`` when the library refuses.
  public init() throws(MediaError) {
    var settings = Dav1dSettings()
    dav1d_default_settings(&settings)
    parley_dav1d_silence(&settings)
    // Few: tiles of one picture are all that can be shared without delay.
    settings.n_threads = Int32(min(ProcessorCount.value, 2))
    settings.max_frame_delay = 1
    // One picture a temporal unit, the best one.
    settings.all_layers = 0
    settings.frame_size_limit = UInt32(VideoFrame.maximumPixelCount)
    let status = dav1d_open(&context, &settings)
    guard status == 0, context != nil else { throw failure("the library could not be set up (code \(status))") }
  }

  deinit { dav1d_close(&context) }

  /// Decodes one frame; nil when there is nothing to show. See ``VideoDecoder/decode(_:)``.
  public func decode(_ frame: EncodedFrame) throws(MediaError) -> VideoFrame? {
    do throws(MediaError) {
      let picture = try run(frame)
      if frame.isKeyframe || picture != nil { needsKeyframe = false }
      return picture
    } catch {
      // After a flush the library itself waits for a sequence header, which only keyframes carry.
      needsKeyframe = true
      if let context { dav1d_flush(context) }
      throw error
    }
  }

  private func run(_ frame: EncodedFrame) throws(MediaError) -> VideoFrame? {
    guard let context, !frame.data.isEmpty else { throw failure("the frame is empty") }
    var data = Dav1dData()
    guard let bytes = dav1d_data_create(&data, frame.data.count) else { throw failure("memory ran out") }
    frame.data.withUnsafeBufferPointer { source in
      guard let base = source.baseAddress else { return }
      bytes.update(from: base, count: source.count)
    }
    defer { dav1d_data_unref(&data) }

    var shown: VideoFrame?
    // Each turn takes bytes or gives a picture; a unit has at most a few.
    for _ in 0..<64 {
      if data.sz > 0 {
        let status = dav1d_send_data(context, &data)
        guard status == 0 || status == parley_dav1d_again else {
          throw failure("the frame is damaged (code \(status))")
        }
      }
      var picture = Dav1dPicture()
      let status = dav1d_get_picture(context, &picture)
      if status == 0 {
        defer { dav1d_picture_unref(&picture) }
        shown = try copy(picture, time: frame.time)
        continue
      }
      guard status == parley_dav1d_again else { throw failure("the frame is damaged (code \(status))") }
      if data.sz == 0 { return shown }
    }
    throw failure("the frame holds too many pictures")
  }

  private func copy(_ picture: Dav1dPicture, time: Instant) throws(MediaError) -> VideoFrame {
    let (width, height) = (Int(picture.p.w), Int(picture.p.h))
    guard VideoFrame.isAcceptable(width: width, height: height) else {
      throw failure("a picture of \(width)×\(height) is not accepted")
    }
    guard picture.p.bpc == 8,
      picture.p.layout == DAV1D_PIXEL_LAYOUT_I420 || picture.p.layout == DAV1D_PIXEL_LAYOUT_I400,
      let y = picture.data.0?.assumingMemoryBound(to: UInt8.self)
    else { throw failure("only pictures of 8 bits with 4:2:0 colour are shown") }
    guard picture.p.layout == DAV1D_PIXEL_LAYOUT_I420 else {
      // Grey pictures have no chroma planes.
      return VideoFrame(width: width, height: height, time: time) { yTo, uTo, vTo in
        guard let target = yTo.baseAddress else { return }
        let stride = VideoFrame.stride(forWidth: width)
        for row in 0..<height { (target + row * stride).update(from: y + row * picture.stride.0, count: width) }
        uTo.update(repeating: 128)
        vTo.update(repeating: 128)
      }
    }
    guard let u = picture.data.1?.assumingMemoryBound(to: UInt8.self),
      let v = picture.data.2?.assumingMemoryBound(to: UInt8.self)
    else { throw failure("the library gave no colour") }
    return VideoFrame(
      copyingY: y, stride: picture.stride.0, u: u, v: v, chromaStride: picture.stride.1, width: width, height: height,
      time: time)
  }

  private func failure(_ reason: String) -> MediaError { .decoderFailed("AV1", reason: reason) }
}
