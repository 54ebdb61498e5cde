import Basics
import COpenH264
public import RTC

/// H.264 by openh264, up to high profile without interlacing; in as Annex B. Damaged data is an error, never shown.
///
/// Only parameter sets and slices reach the library; everything else in the stream is left out. Cost: about 1.5 ms for
/// 1280×720 and one allocation (the frame).
public final class H264Decoder: VideoDecoder {
  public var codec: Codec { .h264 }
  /// Whether only a keyframe can be decoded now: at the beginning and after an error.
  public private(set) var needsKeyframe = true

  private var decoder: UnsafeMutablePointer<ISVCDecoder?>?

  /// A decoder.
  /// - Throws: ``MediaError/decoderFailed(_:reason:)`` when the library refuses.
  public init() throws(MediaError) { try open() }

  deinit { close() }

  /// Decodes one frame; nil when there is nothing to show. See ``VideoDecoder/decode(_:)``.
  public func decode(_ frame: EncodedFrame) throws(MediaError) -> VideoFrame? {
    do throws(MediaError) {
      return try run(frame)
    } catch {
      // The library's state after a damaged frame isn't trusted: it starts again with the next keyframe.
      needsKeyframe = true
      close()
      throw error
    }
  }

  private func run(_ frame: EncodedFrame) throws(MediaError) -> VideoFrame? {
    let unit = try H264AccessUnit(frame.data)
    if let size = unit.largestSize, !VideoFrame.isAcceptable(width: size.width, height: size.height) {
      throw failure("a picture of \(size.width)×\(size.height) is not accepted")
    }
    guard unit.isKeyframe || !needsKeyframe else { throw failure("a keyframe is needed first") }
    guard unit.hasSlices else { throw failure("the frame holds no picture") }
    if decoder == nil { try open() }
    guard let decoder else { throw failure("it is not set up") }

    var picture = parley_h264_picture()
    let state = unit.data.withUnsafeBufferPointer {
      parley_h264_decode(
        decoder, $0.baseAddress, Int32(clamping: $0.count), UInt64(bitPattern: frame.time.nanoseconds), &picture)
    }
    guard state == 0 else { throw failure(Self.describe(state)) }
    if unit.isKeyframe { needsKeyframe = false }
    guard picture.has_picture, let y = picture.y, let u = picture.u, let v = picture.v else { return nil }
    let (width, height) = (Int(picture.width), Int(picture.height))
    guard VideoFrame.isAcceptable(width: width, height: height) else {
      throw failure("a picture of \(width)×\(height) is not accepted")
    }
    // In profiles with reordering the picture that comes out may be an earlier frame's, so its time comes along.
    return VideoFrame(
      copyingY: y, stride: Int(picture.y_stride), u: u, v: v, chromaStride: Int(picture.uv_stride), width: width,
      height: height, time: Instant(nanoseconds: Int64(bitPattern: picture.time)))
  }

  private func open() throws(MediaError) {
    var made: UnsafeMutablePointer<ISVCDecoder?>?
    let status = parley_h264_decoder_open(&made)
    guard status == 0, let made else { throw failure("the library could not be set up (code \(status))") }
    decoder = made
  }

  private func close() {
    if let decoder { parley_h264_decoder_close(decoder) }
    decoder = nil
  }

  private static func describe(_ state: Int32) -> String {
    let bits = UInt32(bitPattern: state)
    if bits & UInt32(dsNoParamSets.rawValue) != 0 { return "its parameter sets are missing" }
    if bits & UInt32(dsRefLostBits) != 0 { return "a frame that it refers to is missing" }
    if bits & UInt32(dsOutOfMemory.rawValue) != 0 { return "memory ran out" }
    return "the frame is damaged (state \(state))"
  }

  private static let dsRefLostBits = dsRefLost.rawValue | dsRefListNullPtrs.rawValue | dsDepLayerLost.rawValue

  private func failure(_ reason: String) -> MediaError { .decoderFailed(codec.name, reason: reason) }
}
