import Basics
import RTC

/// Video frames of one slot whose key is on its way. Media and signalling take different paths, so a key frame may be
/// there some milliseconds before its key; dropped, it would cost a request and half a second without video.
struct HeldFrames {
  /// Fewer than may wait for a decoder, since all of them may open at once.
  static let maximumFrames = 50
  static let maximumBytes = 2 << 20
  /// A frame that has waited for longer isn't played.
  static let maximumAge = TimeSpan.seconds(1)

  struct Entry {
    var frame: EncodedFrame
    let since: Instant
  }

  private var entries: [Entry] = []
  private(set) var bytes = 0

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }

  /// Keeps a frame that came at `since`, in order. Call ``removeExcess(now:)`` afterwards.
  mutating func append(_ frame: EncodedFrame, since: Instant) {
    entries.append(Entry(frame: frame, since: since))
    bytes += frame.data.count
  }

  /// The oldest frames, where there are too many or they are too old.
  mutating func removeExcess(now: Instant) -> [Entry] {
    var removed: [Entry] = []
    while let first = entries.first,
      entries.count > Self.maximumFrames || bytes > Self.maximumBytes || now - first.since > Self.maximumAge
    {
      bytes -= first.frame.data.count
      removed.append(entries.removeFirst())
    }
    return removed
  }

  /// All frames, the oldest first.
  mutating func removeAll() -> [Entry] {
    bytes = 0
    defer { entries = [] }
    return entries
  }
}
