import RTC
import TestSeeds
import Testing

@Suite("Picture sizes", .tellsSeeds)
struct PictureSizeTests {
  @Test("the first packet of a keyframe says how large the picture is, whatever the codec")
  func sizes() throws {
    let vp8: [UInt8] = [0x90, 0x80, 0x12, 0x10, 0, 0, 0x9D, 1, 0x2A, 0x80, 0x02, 0x68, 0x01]
    let vp9: [UInt8] = [0x0A, 0x30, 0x01, 0x40, 0x00, 0xB4, 0x02, 0x80, 0x01, 0x68, 0x82]
    let plainVP9: [UInt8] = [0x08, 0x82, 0x49, 0x83, 0x42, 0x20, 0x27, 0xF0, 0x16, 0x70]
    let single = PayloadTrip.sps
    let aggregate: [UInt8] = [0x78, 0, 2, 0x68, 1, 0, UInt8(single.count)] + single
    let sized: [UInt8] = [0x18, 0x0A, UInt8(sequenceHeader.count)] + sequenceHeader
    let several: [UInt8] = [0x28, 1, 0x10, 0x08] + sequenceHeader
    for (codec, payload) in [
      (Codec.vp8, vp8), (.vp9, vp9), (.vp9, plainVP9), (.h264, single), (.h264, aggregate), (.av1, sized),
      (.av1, several),
    ] {
      let size = PictureSize.ofKeyframe(codec, payload.span)
      #expect(size?.width == 640 && size?.height == 360, "\(codec) \(payload)")
      for count in 0..<payload.count { _ = PictureSize.ofKeyframe(codec, payload.span.extracting(0..<count)) }
    }
    let read = try parseVP9(vp9)
    let small = read.resolution(ofSpatialLayer: 0, in: vp9.span)
    #expect(small?.width == 320 && small?.height == 180)
    let none = read.resolution(ofSpatialLayer: 2, in: vp9.span)
    #expect(none == nil)
  }

  @Test("of an encrypted frame only the clear part is read, which VP9's header isn't")
  func encrypted() {
    let frame: [UInt8] = [0x08, 0x82, 0x49, 0x83, 0x42, 0x20, 0x27, 0xF0, 0x16, 0x70]
    #expect(PictureSize.ofKeyframe(.vp9, frame.span)?.width == 640)
    #expect(PictureSize.ofKeyframe(.vp9, frame.span, isEncrypted: true) == nil)
    let described: [UInt8] = [0x0A, 0x30, 0x01, 0x40, 0x00, 0xB4, 0x02, 0x80, 0x01, 0x68, 0x82]
    let vp8: [UInt8] = [0x90, 0x80, 0x12, 0x10, 0, 0, 0x9D, 1, 0x2A, 0x80, 0x02, 0x68, 0x01]
    let parameters = PayloadTrip.sps
    let av1: [UInt8] = [0x18, 0x0A, UInt8(sequenceHeader.count)] + sequenceHeader
    for (codec, payload) in [(Codec.vp9, described), (.vp8, vp8), (.h264, parameters), (.av1, av1)] {
      #expect(PictureSize.ofKeyframe(codec, payload.span, isEncrypted: true)?.height == 360, "\(codec)")
    }
  }

  @Test("threat 17: random payloads break nothing")
  func random() {
    var random = SeededRandom(seed: TestSeed.of(5))
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      for codec in Codec.allCases { _ = PictureSize.ofKeyframe(codec, bytes.span) }
    }
  }

  private let sequenceHeader: [UInt8] = {
    var w = BitWriter()
    w.put(0, 3 + 2 + 2 + 5 + 12)
    w.put(4, 5)
    w.put(9, 4)
    w.put(9, 4)
    w.put(639, 10)
    w.put(359, 10)
    return w.bytes
  }()
}
