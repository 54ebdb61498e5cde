import Basics
import Media
import Testing

/// Conversion, scaling and cropping.
@Suite struct VideoFrameTests {
  @Test(arguments: PixelFormat.allCases, [(64, 48), (63, 47), (1, 1), (2, 3), (641, 3)])
  func aPictureSurvivesConversionThereAndBack(format: PixelFormat, size: (Int, Int)) throws {
    let picture = TestPicture.frame(0, width: 320, height: 180).scaled(width: size.0, height: size.1)
    let bytes = picture.bytes(as: format)
    let back = try VideoFrame(
      converting: bytes, format: format, width: size.0, height: size.1, time: .milliseconds(3))
    #expect(back.time == .milliseconds(3) && back.width == size.0 && back.height == size.1)
    let ratio = try #require(back.peakSignalToNoiseRatio(to: picture))
    #expect(ratio >= ([.i420, .nv12].contains(format) ? 128 : 30), "\(format): \(ratio)")
  }

  @Test func coloursAreThoseOfBT601() throws {
    // Pure red is Y 81, Cb 90, Cr 240 in limited range.
    for (format, pixel) in [(PixelFormat.bgra, [0, 0, 255, 255]), (.rgba, [255, 0, 0, 255]), (.rgb, [255, 0, 0])] {
      let bytes = (0..<(16 * 16)).flatMap { _ in pixel.map { UInt8($0) } }
      let picture = try VideoFrame(converting: bytes, format: format, width: 16, height: 16, time: .zero)
      picture.withPlanes { y, u, v in
        #expect(abs(Int(y[0]) - 81) <= 1 && abs(Int(u[0]) - 90) <= 1 && abs(Int(v[0]) - 240) <= 1)
      }
      let back = picture.bytes(as: format)
      for (got, wanted) in zip(back.prefix(pixel.count), pixel) { #expect(abs(Int(got) - wanted) <= 3) }
    }
  }

  @Test func rowsMayLieFurtherApart() throws {
    let picture = TestPicture.frame(3, width: 50, height: 30)
    var bytes = [UInt8](repeating: 0xEE, count: PixelFormat.rgba.byteCount(stride: 260, height: 30))
    try bytes.withUnsafeMutableBytes { try picture.write(to: $0, format: .rgba, stride: 260) }
    #expect(bytes[200..<260].allSatisfy { $0 == 0xEE })
    let back = try VideoFrame(converting: bytes, format: .rgba, width: 50, height: 30, stride: 260, time: .zero)
    #expect(try #require(back.peakSignalToNoiseRatio(to: picture)) > 30)
  }

  @Test func bytesThatDoNotMakeThePictureAreRefused() {
    let few = [UInt8](repeating: 0, count: 64 * 48 * 4 - 1)
    for (width, height, stride) in [
      (64, 48, nil), (64, 48, 255), (0, 48, nil), (64, -1, nil), (100_000, 1, nil), (8_192, 8_192, nil),
      (Int.max, 2, nil),
      (1, 1, Int.max), (64, 2, -256),
    ] as [(Int, Int, Int?)] {
      #expect(throws: MediaError.self) {
        try VideoFrame(converting: few, format: .bgra, width: width, height: height, stride: stride, time: .zero)
      }
    }
    var memory = few
    #expect(throws: MediaError.self) {
      try memory.withUnsafeMutableBytes {
        try TestPicture.frame(0, width: 64, height: 48).write(to: $0, format: .bgra)
      }
    }
  }

  @Test(arguments: [VideoFrame.ScalingQuality.bilinear, .box]) func scalingKeepsThePicture(
    _ quality: VideoFrame.ScalingQuality
  ) throws {
    let picture = TestPicture.frame(0, width: 320, height: 180)
    let larger = picture.scaled(width: 641, height: 361, quality: quality)
    #expect(larger.width == 641 && larger.height == 361 && larger.time == picture.time)
    let back = larger.scaled(width: 320, height: 180, quality: quality)
    #expect(try #require(back.peakSignalToNoiseRatio(to: picture)) > 27)
    #expect(picture.scaled(width: 320, height: 180) === picture)
    let tiny = picture.scaled(width: 1, height: 1, quality: quality)
    #expect(tiny.width == 1 && tiny.height == 1)
  }

  @Test func shrinkingAveragesInsteadOfSkipping() {
    // Columns of black and white become grey.
    let stripes = VideoFrame(width: 256, height: 256, time: .zero) { y, u, v in
      for index in 0..<y.count { y[index] = index & 1 == 0 ? 16 : 235 }
      u.update(repeating: 128)
      v.update(repeating: 128)
    }
    stripes.scaled(width: 64, height: 64).withPlanes { y, _, _ in #expect((120...131).contains(y[5])) }
  }

  @Test func aPartOfThePictureIsThatPart() {
    let picture = TestPicture.frame(0, width: 320, height: 180)
    let part = picture.cropped(x: 101, y: 51, width: 64, height: 500)
    #expect(part.width == 64 && part.height == 130)
    part.withPlanes { y, u, _ in
      picture.withPlanes { wholeY, wholeU, _ in
        #expect(y[part.yStride + 7] == wholeY[51 * picture.yStride + 107])
        #expect(u[part.uvStride + 7] == wholeU[26 * picture.uvStride + 57])
      }
    }
  }

  @Test func aPictureFitsIntoABoxWithItsAspect() {
    let picture = TestPicture.frame(0, width: 320, height: 180)
    #expect(picture.size(fitting: 640, 640) == (640, 360))
    #expect(picture.size(fitting: 1_000, 90) == (160, 90))
    #expect(picture.size(fitting: 1, 1) == (2, 2))
  }

  @Test(arguments: VideoFrame.Rotation.allCases, [(64, 48), (63, 47), (1, 1)])
  func aPictureThatIsTurnedHasItsCornersElsewhere(rotation: VideoFrame.Rotation, size: (Int, Int)) {
    let picture = TestPicture.frame(0, width: 320, height: 180).scaled(width: size.0, height: size.1)
    let turned = picture.rotated(rotation)
    let isOnItsSide = rotation == .quarter || rotation == .threeQuarters
    #expect((turned.width, turned.height) == (isOnItsSide ? (size.1, size.0) : size) && turned.time == picture.time)
    func corners(_ frame: VideoFrame) -> [UInt8] {
      let (right, below) = (frame.width - 1, frame.height - 1)
      return frame.withPlanes { y, _, _ in
        [(0, 0), (right, 0), (right, below), (0, below)].map { y[$0.1 * frame.yStride + $0.0] }
      }
    }
    // Clockwise: what was at the left below is at the left above after a quarter.
    let (before, after) = (corners(picture), corners(turned))
    let steps = rotation.rawValue / 90
    #expect(after == (0..<4).map { before[($0 + 4 - steps) % 4] })
    let back = VideoFrame.Rotation(rawValue: (360 - rotation.rawValue) % 360).map { turned.rotated($0) }
    #expect(back?.peakSignalToNoiseRatio(to: picture) == 128)
  }
}
