import Basics
import Parley

/// The first frames of a track, until they decide the size of its file.
///
/// The size of a file is fixed when it begins, and what a track begins with says little: of a camera with layers the
/// smallest comes first, and a slow network holds the others back for as long as it is slow.
struct RecordedPictures {
  /// The most frames that wait; two seconds of a usual camera.
  static let mostWaiting = 40
  /// How long they wait at most, by their own times.
  static let longestWait = TimeSpan.seconds(2)

  /// The least length of the file's longer side.
  let longerSide: Int
  private(set) var waiting: [VideoFrame] = []

  init(longerSide: Int) { self.longerSide = longerSide }

  /// Takes the next frame; returns whether the file can begin.
  mutating func take(_ frame: VideoFrame) -> Bool {
    waiting.append(frame)
    let began = waiting[0].time
    return waiting.count >= Self.mostWaiting || frame.time - began >= Self.longestWait
      || max(frame.width, frame.height) >= max(longerSide, 1_280)
  }

  /// The size of the largest frame so far, or larger of the same shape; both sides are even. Nil before the first.
  var size: (width: Int, height: Int)? {
    guard let largest = waiting.max(by: { $0.width * $0.height < $1.width * $1.height }) else { return nil }
    let side = max(longerSide, largest.width, largest.height) & ~1
    return largest.size(fitting: side, side)
  }

  /// All that wait, which are forgotten.
  mutating func takeAll() -> [VideoFrame] {
    defer { waiting = [] }
    return waiting
  }
}
