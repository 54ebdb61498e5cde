import Basics
import Foundation
import Media
import Synchronization

/// A source's output, and waiting until it is enough: on a condition, not on time.
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
  static func descriptors() -> Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count
  }

  static func threadNames() -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []).compactMap {
      try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  /// Threads of sources and of GStreamer; the test runner's own come and go.
  static func mediaThreads() -> Int {
    threadNames().count { name in
      [
        "media", "test picture", "test tone", "gst", "Gst", "pool", "queue", "multiqueue", "appsrc", "audio", "video",
        "matroskademux", "typefind",
      ]
      .contains { name.hasPrefix($0) }
    }
  }

  /// Whether a condition comes true within ten seconds.
  static func settles(_ condition: () -> Bool) -> Bool {
    for _ in 0..<500 {
      if condition() { return true }
      usleep(20_000)
    }
    return condition()
  }

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

/// The effect of a bad line on a frame: another size (linear, from the middle of pixels), a blur of three pixels, and
/// noise.
func degraded(_ frame: VideoFrame, width: Int, height: Int, noise: Int, _ random: inout SeededGenerator) -> VideoFrame {
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
