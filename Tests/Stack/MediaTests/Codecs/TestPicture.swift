import Basics
import Media

/// A picture that moves two pixels a frame: slopes, a chequered pattern and colour, so that every part of it must be
/// coded.
///
/// The luma and chroma formulas are written down in whole numbers, since the AV1 stream of ``AV1Stream`` was made from
/// them elsewhere.
enum TestPicture {
  private static let texture = VideoFrame(width: 1_600, height: 960, time: .zero) { y, u, v in
    let stride = 1_600
    for row in 0..<960 {
      for column in 0..<1_600 { y[row * stride + column] = luma(column, row) }
    }
    for row in 0..<480 {
      for column in 0..<800 {
        u[row * 800 + column] = UInt8(96 + wave(column + row))
        v[row * 800 + column] = UInt8(96 + wave(2 * row + 3 * column))
      }
    }
  }

  private static func wave(_ position: Int) -> Int { abs((position & 127) - 64) }

  private static func luma(_ x: Int, _ y: Int) -> UInt8 {
    UInt8(40 + wave(2 * x + y) + wave(3 * y - x + 4_096) + (((x >> 4) + (y >> 4)) & 1) * 24)
  }

  /// Frame number `index` of 30 a second.
  static func frame(_ index: Int, width: Int, height: Int, from start: Instant = .milliseconds(5_000)) -> VideoFrame {
    let step = index % 80
    return texture.cropped(x: 2 * step, y: step & ~1, width: width, height: height)
      .with(time: start + TimeSpan.microseconds(Int64(index) * 1_000_000 / 30))
  }

  /// The moving picture with grain, as from a camera in poor light: it can use any rate, since grain is never the same.
  static func grainy(_ index: Int, width: Int, height: Int) -> VideoFrame {
    let clean = frame(index, width: width, height: height)
    var random = SeededGenerator(seed: UInt64(index) &+ 77)
    return VideoFrame(width: width, height: height, time: clean.time) { y, u, v in
      clean.withPlanes { cleanY, cleanU, cleanV in
        var position = 0
        while position + 16 <= y.count {
          let bits = random.next()
          for pixel in 0..<16 { y[position + pixel] = cleanY[position + pixel] + UInt8(bits >> UInt64(4 * pixel) & 15) }
          position += 16
        }
        _ = u.update(fromContentsOf: cleanU)
        _ = v.update(fromContentsOf: cleanV)
      }
    }
  }

  /// A picture without any order, which no encoder can shrink.
  static func noise(_ index: Int, width: Int, height: Int) -> VideoFrame {
    var random = SeededGenerator(seed: UInt64(index) &+ 1)
    return VideoFrame(
      width: width, height: height, time: .milliseconds(5_000) + .microseconds(Int64(index) * 1_000_000 / 30)
    ) { y, u, v in
      for plane in [y, u, v] {
        var position = 0
        while position + 8 <= plane.count {
          let bits = random.next()
          for byte in 0..<8 { plane[position + byte] = UInt8(truncatingIfNeeded: bits >> UInt64(8 * byte)) }
          position += 8
        }
        while position < plane.count {
          plane[position] = 128
          position += 1
        }
      }
    }
  }
}
