import Basics
import Media
import Testing

/// Pictures in memory of an app's, with gaps between their rows.
@Suite struct PlanePictureTests {
  private static let layouts = [PlanePicture.Layout.i420, .nv12, .argb, .bgra, .rgb]
  private static let gap = 13
  private static let untouched: UInt8 = 0xEE

  /// Memory for the planes of a layout.
  private final class Memory {
    var planes: [(pointer: UnsafeMutablePointer<UInt8>, stride: Int)] = []
    private(set) var rows: [(count: Int, used: Int)] = []

    init(_ layout: PlanePicture.Layout, _ width: Int, _ height: Int) {
      let half = ((width + 1) / 2, (height + 1) / 2)
      rows =
        switch layout {
        case .i420: [(height, width), (half.1, half.0), (half.1, half.0)]
        case .nv12: [(height, width), (half.1, half.0 * 2)]
        case .argb, .bgra: [(height, width * 4)]
        case .rgb: [(height, width * 3)]
        }
      planes = rows.map { row in
        let stride = row.used + PlanePictureTests.gap
        let pointer = UnsafeMutablePointer<UInt8>.allocate(capacity: stride * row.count)
        pointer.initialize(repeating: PlanePictureTests.untouched, count: stride * row.count)
        return (pointer, stride)
      }
    }

    deinit { for plane in planes { plane.pointer.deallocate() } }

    var areGapsUntouched: Bool {
      zip(planes, rows).allSatisfy { plane, row in
        (0..<row.count).allSatisfy { y in
          (row.used..<plane.stride).allSatisfy { plane.pointer[y * plane.stride + $0] == PlanePictureTests.untouched }
        }
      }
    }
  }

  @Test("a picture survives the way into planes with gaps and back, and the gaps stay", arguments: layouts)
  func thereAndBack(layout: PlanePicture.Layout) throws {
    for (width, height) in [(64, 48), (63, 47), (1, 1), (33, 17)] {
      let frame = TestPicture.frame(0, width: 320, height: 180).scaled(width: width, height: height)
      let memory = Memory(layout, width, height)
      let picture = PlanePicture(layout: layout, width: width, height: height, planes: memory.planes)
      #expect(picture.fill(with: frame) && memory.areGapsUntouched)
      let back = try #require(picture.frame(at: .milliseconds(3)))
      #expect(back.time == .milliseconds(3) && back.width == width && back.height == height)
      let ratio = try #require(back.peakSignalToNoiseRatio(to: frame))
      #expect(ratio >= (memory.planes.count > 1 ? 128 : 30), "\(layout) \(width) × \(height): \(ratio)")
    }
  }

  @Test("the bytes of a pixel lie in the order that the layout is named by")
  func order() {
    let red = VideoFrame(width: 2, height: 2, time: .zero) { y, u, v in
      y.update(repeating: 81)
      u.update(repeating: 90)
      v.update(repeating: 240)
    }
    for (layout, wanted) in [
      (PlanePicture.Layout.argb, [255, 255, 0, 0]), (.bgra, [0, 0, 255, 255]), (.rgb, [255, 0, 0]),
    ] {
      let memory = Memory(layout, 2, 2)
      #expect(PlanePicture(layout: layout, width: 2, height: 2, planes: memory.planes).fill(with: red))
      for (index, value) in wanted.enumerated() {
        #expect(abs(Int(memory.planes[0].pointer[index]) - value) < 4, "\(layout)")
      }
    }
  }

  @Test(
    "planes of all 256 values become those of video, each by its own table",
    arguments: [PlanePicture.Layout.i420, .nv12])
  func fullRange(layout: PlanePicture.Layout) throws {
    let memory = Memory(layout, 33, 17)
    func fill(_ plane: Int, _ values: [UInt8]) {
      let row = memory.rows[plane]
      for y in 0..<row.count {
        for x in 0..<row.used {
          memory.planes[plane].pointer[y * memory.planes[plane].stride + x] = values[x % values.count]
        }
      }
    }
    for (value, brightness, colour) in [(UInt8(0), 16, 16), (255, 235, 240), (128, 126, 128)] {
      fill(0, [value])
      fill(1, layout == .nv12 ? [value, 255 - value] : [value])
      if layout == .i420 { fill(2, [255 - value]) }
      let picture = PlanePicture(layout: layout, width: 33, height: 17, planes: memory.planes, isFullRange: true)
      let frame = try #require(picture.frame(at: .zero))
      frame.withPlanes { y, u, v in
        let (last, lastColour) = (16 * frame.yStride + 32, 8 * frame.uvStride + 16)
        #expect(Int(y[0]) == brightness && Int(y[last]) == brightness)
        #expect(Int(u[0]) == colour && Int(u[lastColour]) == colour && abs(Int(v[lastColour]) - (256 - colour)) <= 1)
      }
    }
  }

  @Test("a picture that isn't whole is neither read nor written")
  func notWhole() {
    let frame = TestPicture.frame(0, width: 64, height: 48)
    for layout in Self.layouts {
      let memory = Memory(layout, 64, 48)
      var short = memory.planes
      short[short.count - 1].stride = memory.rows[short.count - 1].used - 1
      var long = memory.planes
      long[0].stride = Int.max
      for (planes, width, height) in [
        (Array(memory.planes.dropLast()), 64, 48), (short, 64, 48), (long, 64, 48), ([], 64, 48),
        (memory.planes, 0, 48),
        (memory.planes, 64, -1), (memory.planes, 8_192, 8_192), (memory.planes, .max, 2),
      ] {
        let picture = PlanePicture(layout: layout, width: width, height: height, planes: planes)
        #expect(picture.frame(at: .zero) == nil && !picture.fill(with: frame))
      }
      // Of another size than the picture.
      #expect(!PlanePicture(layout: layout, width: 32, height: 32, planes: memory.planes).fill(with: frame))
      #expect(memory.planes.allSatisfy { $0.pointer[0] == Self.untouched })
    }
  }
}
