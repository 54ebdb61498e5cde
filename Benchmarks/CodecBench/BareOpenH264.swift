import Basics
import COpenH264
import Media

/// openh264 used bare: the same settings as ours, the bytes looked at and left.
struct BareOpenH264 {
  func encode(_ frames: [VideoFrame]) -> (cost: TimeSpan, bytes: Int) {
    var made: UnsafeMutablePointer<ISVCEncoder?>?
    let status = parley_h264_encoder_open(
      &made, Int32(Scene.width), Int32(Scene.height), Int32(Scene.bitrate.bitsPerSecond), Float(Scene.framesPerSecond),
      false, 1)
    guard status == 0, let encoder = made else { return (.zero, 0) }
    defer { parley_h264_encoder_close(encoder) }
    let output = UnsafeMutablePointer<SFrameBSInfo>.allocate(capacity: 1)
    defer { output.deallocate() }
    var bytes = 0
    let cost = CPUTime.measure {
      for (index, frame) in frames.enumerated() {
        frame.withPlanes { y, u, v in
          _ = parley_h264_encode(
            encoder, Int32(frame.width), Int32(frame.height), y.baseAddress, Int32(frame.yStride), u.baseAddress,
            v.baseAddress, Int32(frame.uvStride), Int64(index) * 100 / 3, output)
        }
        bytes += Int(output.pointee.iFrameSizeInBytes)
      }
    }
    return (cost, bytes)
  }

  func decode(_ frames: [[UInt8]]) -> (cost: TimeSpan, pictures: Int) {
    var made: UnsafeMutablePointer<ISVCDecoder?>?
    guard parley_h264_decoder_open(&made) == 0, let decoder = made else { return (.zero, 0) }
    defer { parley_h264_decoder_close(decoder) }
    var pictures = 0
    let cost = CPUTime.measure {
      for frame in frames {
        var picture = parley_h264_picture()
        frame.withUnsafeBufferPointer {
          _ = parley_h264_decode(decoder, $0.baseAddress, Int32($0.count), 0, &picture)
        }
        if picture.has_picture { pictures += 1 }
      }
    }
    return (cost, pictures)
  }
}
