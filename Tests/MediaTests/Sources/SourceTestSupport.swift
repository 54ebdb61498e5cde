import Basics
import Foundation
import Media
import Synchronization

/// What a source delivered, and waiting until it is enough: on a condition, not on time.
final class Collected<Value: Sendable>: Sendable {
  private let state = Mutex<[Value]>([])
  private let signal = DispatchSemaphore(value: 0)

  func append(_ value: Value) {
    state.withLock { $0.append(value) }
    signal.signal()
  }

  var values: [Value] { state.withLock { $0 } }

  /// False when `count` did not come within `seconds`.
  func wait(for count: Int, seconds: Double = 20) -> Bool {
    let limit = DispatchTime.now() + seconds
    while values.count < count {
      if signal.wait(timeout: limit) == .timedOut { return values.count >= count }
    }
    return true
  }
}

/// Threads and descriptors of this process.
enum ProcessResources {
  static func threads(named name: String) -> Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.count { task in
      (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8))?.hasPrefix(name) == true
    }
  }
}

/// The amplitude of one frequency in a stretch of sound (the Goertzel algorithm).
func strength(of frequency: Double, in samples: [Int16]) -> Double {
  let turn = 2 * Double.pi * frequency / 48_000
  var (one, two) = (0.0, 0.0)
  for sample in samples { (one, two) = (Double(sample) + 2 * cos(turn) * one - two, one) }
  let power = one * one + two * two - 2 * cos(turn) * one * two
  return power.squareRoot() * 2 / Double(max(samples.count, 1))
}

/// A small random generator with a seed.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// What a bad line does to a picture: another size (linear, from the middle of pixels), a blur of three pixels, and noise.
func degraded(_ frame: VideoFrame, width: Int, height: Int, noise: Int, _ random: inout SplitMix) -> VideoFrame {
  VideoFrame(width: width, height: height, time: frame.time) { y, u, v in
    u.update(repeating: 128)
    v.update(repeating: 128)
    let stride = (width + 15) & ~15
    frame.withPlanes { source, _, _ in
      func pixel(_ x: Int, _ y: Int) -> Int {
        Int(source[min(max(y, 0), frame.height - 1) * frame.yStride + min(max(x, 0), frame.width - 1)])
      }
      let (scaleX, scaleY) = (Double(frame.width) / Double(width), Double(frame.height) / Double(height))
      for row in 0..<height {
        for column in 0..<width {
          let (x, top) = (Int((Double(column) + 0.5) * scaleX), Int((Double(row) + 0.5) * scaleY))
          let (sx, sy) = (max(1, Int(scaleX / 2)), max(1, Int(scaleY / 2)))
          let sum =
            4 * pixel(x, top) + 2 * pixel(x - sx, top) + 2 * pixel(x + sx, top) + pixel(x, top - sy)
            + pixel(x, top + sy)
          let grain = noise == 0 ? 0 : Int(random.next() % UInt64(2 * noise + 1)) - noise
          y[row * stride + column] = UInt8(max(0, min(255, sum / 10 + grain)))
        }
      }
    }
  }
}
