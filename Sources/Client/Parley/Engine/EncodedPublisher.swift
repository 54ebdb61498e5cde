import Basics
import Media
import RTC
import Synchronization

/// Publishes an ``EncodedLoop``: the session's own timer sends it, on the media thread.
final class EncodedPublisher: Publisher {
  let kind: MediaKind
  let rids: [RID] = []
  private let loop: EncodedLoop
  private let destination = Mutex<PublisherDestination?>(nil)
  private let isMuted: Mutex<Bool>

  init(_ loop: EncodedLoop, isMuted: Bool) {
    self.loop = loop
    kind = loop.codec.kind
    self.isMuted = Mutex(isMuted)
  }

  func codecs(outOf codecs: [Codec]) -> [Codec] { codecs.filter { $0 == loop.codec } }
  func parameters(_ rid: RID?) -> EncodingParameters {
    let bytes = loop.frames.reduce(0) { $0 + $1.data.count }
    let rate = DataRate(bitsPerSecond: Int64(Double(bytes) * 8 / loop.duration.seconds))
    return EncodingParameters(minimumBitrate: rate, maximumBitrate: rate)
  }

  func start(onProblem: @escaping @Sendable (PublisherProblem) -> Void) throws(MediaError) {}
  func stop() { attach(nil) }

  func setMuted(_ muted: Bool) {
    isMuted.withLock { $0 = muted }
    update()
  }

  func attach(_ destination: PublisherDestination?) {
    let before = self.destination.withLock { current in
      let before = current
      current = destination
      return before
    }
    if let before, destination == nil {
      before.connection.post { session, _ in session.replays[before.mid] = nil }
    }
    update()
  }

  private func update() {
    guard let destination = destination.withLock({ $0 }) else { return }
    let muted = isMuted.withLock { $0 }
    destination.connection.post { [loop] session, now in
      if muted {
        session.replays[destination.mid] = nil
      } else if session.replays[destination.mid] == nil {
        session.replays[destination.mid] = EncodedReplay(loop, now: now)
      }
    }
  }

  func requestKeyframe(_ rid: RID?) {
    guard let destination = destination.withLock({ $0 }) else { return }
    destination.connection.post { session, now in session.replays[destination.mid]?.restart(now: now) }
  }

  func apply(_ allocation: [StreamAllocation]) {}
}

/// The position of an ``EncodedLoop`` in one session.
struct EncodedReplay {
  private let loop: EncodedLoop
  private var index = 0
  private var roundStart: Instant
  private var timeline: MediaTimeline

  init(_ loop: EncodedLoop, now: Instant) {
    self.loop = loop
    roundStart = Self.start(now: now)
    timeline = MediaTimeline(clockRate: loop.codec.clockRate)
  }

  /// When the next frame is due.
  var deadline: Instant { roundStart + (loop.frames[index].time - .zero) }

  /// Goes back to the keyframe.
  mutating func restart(now: Instant) {
    guard index > 0 else { return }
    index = 0
    roundStart = Self.start(now: now)
  }

  /// Publishers that start together send at different moments.
  private static func start(now: Instant) -> Instant { now + .microseconds(.random(in: 0..<20_000)) }

  /// The next frame that is due; nil when none is.
  mutating func next(now: Instant) -> EncodedFrame? {
    let due = deadline
    guard due <= now else { return nil }
    var frame = loop.frames[index]
    frame.time = due
    frame.timestamp = timeline.timestamp(at: due)
    index += 1
    if index == loop.frames.count {
      index = 0
      roundStart = roundStart + loop.duration
      // After a long pause of the thread the missed rounds are left out.
      if now - roundStart > loop.duration { roundStart = now }
    }
    return frame
  }
}
