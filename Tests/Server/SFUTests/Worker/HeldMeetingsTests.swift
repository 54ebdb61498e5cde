import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Held meetings of one worker", .tellsSeeds)
struct HeldMeetingsTests {
  private typealias Voice = (source: VirtualSource, start: Instant)
  private static let maximum = TimeSpan.milliseconds(5)

  /// A worker with one meeting for each of `sizes`: so many people who all talk, none in step with another.
  private func talk(_ sizes: [Int], on worker: VirtualWorker) throws -> [[Voice]] {
    var voices: [[Voice]] = sizes.map { _ in [] }
    for (number, meeting) in worker.meetings.enumerated() {
      let clients = try (0..<sizes[number]).map { try meeting.join("p\($0)") }
      for (index, client) in clients.enumerated() {
        voices[number].append((client.publish("a\(index)", mid: "0", .audio, ssrc: 1_000), .zero))
      }
      for (index, client) in clients.enumerated() {
        for other in clients.indices where other != index {
          let slot = client.slot("s\(other)", .audio, ssrc: 5_000 + UInt32(other))
          #expect(meeting.router.attach(voices[number][other].source.publication, to: slot))
        }
      }
    }
    for index in 0..<(sizes.max() ?? 0) {
      for number in voices.indices where index < voices[number].count {
        worker.meetings[number].now = worker.now
        voices[number][index].source.start()
        voices[number][index].start = worker.now
        worker.run(for: .microseconds(Int64(7_000 / (sizes.max() ?? 1))))
      }
    }
    return voices
  }

  private func worker(_ count: Int, seed: UInt64 = 1) throws -> VirtualWorker {
    VirtualWorker(try (0..<count).map { try VirtualMeeting(seed: seed, number: UInt64($0)) })
  }

  /// Each of the meeting's packets came once and in order; the longest that one waited on its way.
  private func longestWait(_ meeting: VirtualMeeting, _ voices: [Voice], after begin: Instant = .zero) -> TimeSpan {
    var longest = TimeSpan.zero
    for (index, client) in meeting.clients.enumerated() {
      for (other, voice) in voices.enumerated() where other != index {
        guard let stream = client.streams[5_000 + UInt32(other)] else { continue }
        #expect(stream.missing == 0 && stream.duplicates == 0)
        #expect(stream.packets.count == voice.source.packetsSent, "packets never left")
        for packet in stream.ordered {
          // A packet's content says which one of its voice it is; both links take 10 ms.
          let sent = voice.start + .milliseconds(20 * Int64(packet.payload[0]))
          if sent >= begin { longest = max(longest, packet.at - sent - .milliseconds(20)) }
        }
      }
    }
    return longest
  }

  /// Nobody talks any more, and what was said has arrived.
  private func finish(_ worker: VirtualWorker, _ voices: [[Voice]]) {
    for voice in voices.joined() { voice.source.stop() }
    worker.run(for: .milliseconds(40))
  }

  @Test("a meeting whose packets wait holds up no other, before or behind it in the list")
  func beside() throws {
    let worker = try worker(3)
    let voices = try talk([4, 10, 4], on: worker)
    worker.run(for: .seconds(4))
    finish(worker, voices)
    #expect(longestWait(worker.meetings[0], voices[0]) == .zero)
    #expect(longestWait(worker.meetings[2], voices[2]) == .zero)
    let held = longestWait(worker.meetings[1], voices[1])
    #expect(held > .milliseconds(4) && held <= Self.maximum, "nothing was held, so nothing is shown: \(held)")
    #expect(worker.touched.isEmpty)
  }

  @Test("of several meetings that wait each leaves when it is due, and nothing stays", arguments: UInt64(1)...4)
  func everythingLeaves(seed: UInt64) throws {
    let worker = try worker(4, seed: seed)
    var random = SeededGenerator(TestSeed.of(seed))
    worker.gauge = {
      (.microseconds(Int64.random(in: 0...9_000, using: &random)), Int.random(in: 0..<8, using: &random) > 0)
    }
    let voices = try talk([10, 11, 9, 12], on: worker)
    worker.run(for: .seconds(3))
    finish(worker, voices)
    for (meeting, voices) in zip(worker.meetings, voices) {
      #expect(longestWait(meeting, voices) <= Self.maximum)
      #expect(meeting.router.pendingPackets == 0)
    }
    worker.run(for: .milliseconds(200))
    #expect(worker.touched.earliest == .distantFuture, "the worker would wake for nothing")
  }

  @Test("waiting packets leave in the next tick once the worker is idle")
  func idle() throws {
    let worker = try worker(2)
    var isBusy = true
    worker.gauge = { (.zero, isBusy) }
    let voices = try talk([10, 10], on: worker)
    worker.run(for: .seconds(1))
    worker.run(for: .seconds(1)) { worker.waits(0) && worker.waits(1) }
    #expect(worker.waits(0) && worker.waits(1))
    isBusy = false
    worker.run(for: .microseconds(1))
    #expect(!worker.waits(0) && !worker.waits(1))
    let calm = worker.now
    worker.run(for: .seconds(1))
    finish(worker, voices)
    for (meeting, voices) in zip(worker.meetings, voices) {
      #expect(longestWait(meeting, voices, after: calm) == .zero)
    }
  }

  @Test("a meeting that ends while its packets wait takes nothing of the others with it")
  func closed() throws {
    let worker = try worker(3)
    let voices = try talk([10, 10, 10], on: worker)
    worker.run(for: .seconds(2))
    worker.run(for: .seconds(1)) { worker.waits(0) && worker.waits(1) && worker.waits(2) }
    #expect(worker.waits(1), "nothing waited, so nothing is shown")
    worker.close(1)
    #expect(worker.waits(0) && worker.waits(2) && !worker.waits(1))
    worker.run(for: .seconds(1))
    finish(worker, voices)
    for number in [0, 2] {
      let longest = longestWait(worker.meetings[number], voices[number])
      #expect(longest > .milliseconds(4) && longest <= Self.maximum)
    }
    #expect(worker.touched.isEmpty)
  }
}
