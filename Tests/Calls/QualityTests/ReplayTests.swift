import Basics
import NetworkEmulator
import Testing

@testable import SFU
@testable import TestSeeds

/// A failure can be repeated: everything random follows from one seed, and the failure names it.
@Suite("Seeds") struct ReplayTests {
  private struct Arrival: Equatable {
    var at: Instant
    var bytes: [UInt8]
  }

  /// The arrivals at a receiver over a network that loses, delays, reorders and repeats, and the note of the seed.
  private func run(_ seed: UInt64) throws -> (packets: [Arrival], replay: String?) {
    let notes = SeedNotes()
    let packets = try TestSeed.$notes.withValue(notes) {
      let meeting = QualityMeeting(seed: seed)
      _ = try meeting.addPublisher()
      let bad = LinkConditions(
        loss: .bursty(0.05, length: 3), delay: .milliseconds(25), jitter: .milliseconds(15), reorders: true,
        duplication: 0.01, capacity: .kilobits(900), queue: .time(.milliseconds(400)))
      let receiver = try meeting.addReceiver(link: meeting.addLink(bad), back: bad)
      var arrivals: [Arrival] = []
      receiver.onPacket = { arrivals.append(Arrival(at: $1, bytes: $0)) }
      meeting.run(for: .seconds(5))
      return arrivals
    }
    return (packets, notes.replay)
  }

  @Test(
    "the same seed gives the same packets at the same times, and another seed others",
    .enabled(if: TestSeed.chosen == nil))
  func sameAgain() throws {
    let (first, again, other) = (try run(7), try run(7), try run(8))
    #expect(first.packets.count > 300)
    #expect(first.packets == again.packets)
    #expect(first.packets != other.packets)
  }

  @Test("a failure names the seed that repeats it, and TEST_SEED sets that seed")
  func replay() throws {
    let seed = TestSeed.chosen ?? 7
    #expect(try run(7).replay == "TEST_SEED=\(seed) replays it.")
  }
}
