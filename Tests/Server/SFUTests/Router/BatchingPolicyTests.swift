import Basics
import TestSeeds
import Testing

@testable import SFU

@Suite("Packet hold", .tellsSeeds)
struct BatchingPolicyTests {
  private static let maximum = TimeSpan.milliseconds(5)
  private var hold = BatchingPolicy(maximum: maximum)
  private var now = Instant.milliseconds(1_000)

  /// Lets `voices` voices of 50 packets a second talk, none in step with another, and flushes whenever it is time; the
  /// longest wait and the most packets that left together in the last half of `span`.
  private mutating func talk(
    voices: Int, receivers: Int, for span: TimeSpan, load: TimeSpan = .zero
  ) -> (wait: TimeSpan, together: Int) {
    let end = now + span
    let half = now + TimeSpan(nanoseconds: span.nanoseconds / 2)
    let gap = TimeSpan(nanoseconds: 20_000_000 / Int64(voices))
    var waiting: [Instant] = []
    var result = (wait: TimeSpan.zero, together: 0)
    var next = now
    while now < end {
      let deadline = waiting.isEmpty ? Instant.distantFuture : hold.deadline(load: load)
      now = max(now, min(next, deadline))
      if next <= now {
        hold.addSound(receivers: receivers, now: now)
        waiting.append(now)
        next = next + gap
      }
      guard !waiting.isEmpty, hold.deadline(load: load) <= now else { continue }
      if now >= half {
        result.wait = max(result.wait, now - waiting[0])
        result.together = max(result.together, waiting.count)
      }
      waiting.removeAll()
      hold.clear()
    }
    return result
  }

  @Test("audio in a small meeting leaves at once")
  mutating func small() {
    // Six people who all talk: 1,500 copies a second.
    let (wait, together) = talk(voices: 6, receivers: 5, for: .seconds(4))
    #expect(wait == .zero)
    #expect(together == 1)
  }

  @Test(
    "audio for many waits for other audio, at most the maximum after the first packet")
  mutating func many() {
    let (wait, together) = talk(voices: 10, receivers: 9, for: .seconds(4))
    #expect(wait == Self.maximum)
    #expect(together == 3)
    let larger = talk(voices: 8, receivers: 499, for: .seconds(4))
    #expect(larger.wait == Self.maximum)
  }

  @Test("audio's wait grows with the copies, and is nothing 200 ms after they are few")
  mutating func grows() {
    let (wait, _) = talk(voices: 10, receivers: 6, for: .seconds(4))
    #expect(wait > .milliseconds(2) && wait < .milliseconds(3))
    _ = talk(voices: 10, receivers: 40, for: .seconds(1))
    #expect(hold.sound == Self.maximum)
    _ = talk(voices: 2, receivers: 10, for: .milliseconds(450))
    #expect(hold.sound == .zero)
  }

  @Test("a single speaker's packets leave at once, however many receive them")
  mutating func lecture() {
    let (wait, _) = talk(voices: 1, receivers: 3_000, for: .seconds(4))
    #expect(wait == .zero)
  }

  @Test("a frame's packets for many wait for its last, 1 ms after the first at most")
  mutating func frame() {
    for receivers in [BatchingPolicy.frameReceivers, 400] {
      hold.addPicture(receivers: receivers, endsFrame: false, now: now)
      #expect(hold.deadline(load: .zero) == now + .milliseconds(1))
      hold.addPicture(receivers: receivers, endsFrame: false, now: now + .microseconds(700))
      #expect(hold.deadline(load: .zero) == now + .milliseconds(1))
      hold.addPicture(receivers: receivers, endsFrame: true, now: now + .microseconds(800))
      #expect(hold.deadline(load: .zero) <= now + .microseconds(800))
      hold.clear()
    }
  }

  @Test("a frame for few receivers leaves at once, with the audio that waits")
  mutating func fewPictures() {
    hold.addPicture(receivers: BatchingPolicy.frameReceivers - 1, endsFrame: false, now: now)
    #expect(hold.deadline(load: .zero) <= now)
    hold.clear()
    _ = talk(voices: 10, receivers: 9, for: .seconds(1))
    hold.clear()
    hold.addSound(receivers: 9, now: now)
    #expect(hold.deadline(load: .zero) == now + Self.maximum)
    now = now + .milliseconds(1)
    hold.addPicture(receivers: 2, endsFrame: false, now: now)
    #expect(hold.deadline(load: .zero) <= now)
  }

  @Test("without a maximum wait every packet leaves at once")
  mutating func off() {
    hold = BatchingPolicy(maximum: .zero)
    let (wait, _) = talk(voices: 10, receivers: 400, for: .seconds(2), load: .milliseconds(4))
    #expect(wait == .zero)
    hold.addPicture(receivers: 400, endsFrame: false, now: now)
    #expect(hold.deadline(load: .zero) <= now)
  }

  @Test(
    "whatever comes and however loaded the core, nothing waits beyond the maximum", arguments: UInt64(1)...8)
  mutating func bounded(seed: UInt64) {
    var random = SeededGenerator(TestSeed.of(seed))
    var first: Instant?
    for _ in 0..<20_000 {
      now = now + .microseconds(Int64.random(in: 0...600, using: &random))
      let load = TimeSpan.microseconds(Int64.random(in: 0...9_000, using: &random))
      if let oldest = first, hold.deadline(load: load) <= now {
        // It was asked at most 600 µs ago, and said a later time than now then.
        #expect(now - oldest <= Self.maximum + .microseconds(600))
        hold.clear()
        first = nil
      }
      let receivers = Int.random(in: 1...400, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<12: hold.addSound(receivers: receivers, now: now)
      case 12..<18:
        hold.addPicture(receivers: receivers, endsFrame: Bool.random(using: &random), now: now)
      case 18: hold.addUrgent(now: now)
      default: continue
      }
      first = first ?? now
      if let oldest = first { #expect(hold.deadline(load: load) <= oldest + Self.maximum) }
    }
  }
}
