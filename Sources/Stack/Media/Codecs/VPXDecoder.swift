import Basics
import CVPX
import RTC

/// The part that decoders of VP8 and VP9 share in libvpx.
final class VPXDecoder {
  let codec: Codec
  private(set) var needsKeyframe = true

  private var context: UnsafeMutablePointer<vpx_codec_ctx_t>?

  init(_ codec: Codec) throws(MediaError) {
    self.codec = codec
    context = try open()
  }

  deinit { close() }

  func decode(_ frame: EncodedFrame) throws(MediaError) -> VideoFrame? {
    do throws(MediaError) {
      return try run(frame)
    } catch {
      // The library's state after a damaged frame isn't trusted, nor need its memory stay: it starts again with the
      // next keyframe.
      needsKeyframe = true
      close()
      throw error
    }
  }

  private func run(_ frame: EncodedFrame) throws(MediaError) -> VideoFrame? {
    let header = frame.data.withUnsafeBufferPointer { codec == .vp8 ? VPXHeader.vp8($0) : VPXHeader.vp9($0) }
    guard let header else { throw failure("the frame's header is malformed") }
    if let size = header.size, !VideoFrame.isAcceptable(width: size.width, height: size.height) {
      throw failure("a picture of \(size.width)×\(size.height) is not accepted")
    }
    guard header.isKeyframe || !needsKeyframe else { throw failure("a keyframe is needed first") }
    guard frame.data.count <= Int(Int32.max) else { throw failure("the frame is too long") }

    if context == nil { context = try open() }
    guard let context else { throw failure("it is not set up") }
    let status = frame.data.withUnsafeBufferPointer {
      vpx_codec_decode(context, $0.baseAddress, UInt32($0.count), nil, 0)
    }
    // The pictures must be taken out even when the frame is refused, or they come with the next one.
    var iterator: vpx_codec_iter_t?
    var image: UnsafeMutablePointer<vpx_image_t>?
    while let next = vpx_codec_get_frame(context, &iterator) { image = next }
    guard status == VPX_CODEC_OK else {
      let detail = vpx_codec_error_detail(context) ?? vpx_codec_err_to_string(status)
      throw failure(detail.map { String(cString: $0) } ?? "the frame is not decodable")
    }
    guard let image else {
      // A frame that is not shown. Whether it is whole shows with the next one.
      if header.isKeyframe { needsKeyframe = false }
      return nil
    }
    guard parley_vpx_is_corrupted(context) == 0 else { throw failure("the frame is damaged") }
    let picture = try copy(image.pointee, time: frame.time)
    if header.isKeyframe { needsKeyframe = false }
    return picture
  }

  private func copy(_ image: vpx_image_t, time: Instant) throws(MediaError) -> VideoFrame {
    let (width, height) = (Int(image.d_w), Int(image.d_h))
    guard image.fmt == VPX_IMG_FMT_I420, let y = image.planes.0, let u = image.planes.1, let v = image.planes.2 else {
      throw failure("only pictures of 8 bits with 4:2:0 colour are shown")
    }
    guard VideoFrame.isAcceptable(width: width, height: height) else {
      throw failure("a picture of \(width)×\(height) is not accepted")
    }
    return VideoFrame(
      copyingY: y, stride: Int(image.stride.0), u: u, v: v, chromaStride: Int(image.stride.1), width: width,
      height: height, time: time)
  }

  private func open() throws(MediaError) -> UnsafeMutablePointer<vpx_codec_ctx_t> {
    var configuration = vpx_codec_dec_cfg_t()
    // One: VP8 has one partition in conversation, and VP9 at these sizes loses more to waiting than it wins.
    configuration.threads = 1
    let made = UnsafeMutablePointer<vpx_codec_ctx_t>.allocate(capacity: 1)
    made.initialize(to: vpx_codec_ctx_t())
    let interface = codec == .vp8 ? vpx_codec_vp8_dx() : vpx_codec_vp9_dx()
    // No flags: without error concealment the library reports damage instead of painting over it.
    let status = parley_vpx_decoder_init(made, interface, &configuration, 0)
    guard status == VPX_CODEC_OK else {
      made.deallocate()
      throw failure(String(cString: vpx_codec_err_to_string(status)))
    }
    return made
  }

  private func close() {
    guard let context else { return }
    vpx_codec_destroy(context)
    context.deallocate()
    self.context = nil
  }

  private func failure(_ reason: String) -> MediaError { .decoderFailed(codec.name, reason: reason) }
}
