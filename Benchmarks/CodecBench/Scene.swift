import Basics
import Media

/// The encoded video: a textured scene that moves, with a little noise as from a camera. The same for every codec.
enum Scene {
  static let width = 1_280
  static let height = 720
  static let framesPerSecond = 30
  static let bitrate = DataRate.kilobits(1_500)

  /// Frame number `index`. Made before anything is measured.
  static func frame(_ index: Int) -> VideoFrame {
    var random = UInt32(truncatingIfNeeded: index &* 7_919 &+ 1)
    return VideoFrame(
      width: width, height: height, time: .milliseconds(1_000) + .microseconds(Int64(index) * 1_000_000 / 30)
    ) {
      y, u, v in
      for row in 0..<height {
        for column in 0..<width {
          random = random &* 1_664_525 &+ 1_013_904_223
          let noise = Int(random >> 30) - 1
          let (x, z) = (column + 2 * index, row + index)
          // A still background with a moving figure in the middle, as in a call.
          let isFigure = abs(column - 640 - 40 * ((index / 15) % 2)) < 260 && row > 120
          let value = isFigure ? 60 + wave(x) + wave(2 * z + x / 2) / 2 : 90 + wave(column / 2 + row / 3)
          y[row * width + column] = UInt8(min(max(value + noise, 16), 235))
        }
      }
      for row in 0..<(height / 2) {
        for column in 0..<(width / 2) {
          u[row * width / 2 + column] = UInt8(110 + wave(column + index) / 4)
          v[row * width / 2 + column] = UInt8(120 + wave(row + column) / 4)
        }
      }
    }
  }

  private static func wave(_ position: Int) -> Int { abs((position & 127) - 64) }
}
