import Foundation
import TestSeeds
import Testing

@testable import SFU

@Suite("Relay ring", .tellsSeeds)
struct RelayRingTests {
  private func write(_ ring: RelayRing, _ record: [UInt8]) -> Bool {
    ring.write(length: record.count) { RelayBytes.copy(record.span, into: &$0, at: 0) }
  }

  private func read(_ ring: RelayRing) -> [UInt8]? {
    var bytes: [UInt8] = []
    let some = ring.read { record in for index in 0..<record.count { bytes.append(record[index]) } }
    return some ? bytes : nil
  }

  @Test("records come out as they went in, in order, however they lie in memory", arguments: 1...8)
  func order(seed: UInt64) {
    var random = SeededGenerator(TestSeed.of(seed))
    let ring = RelayRing(capacity: 4_096)
    var model: [[UInt8]] = []
    var refused = 0
    for step in 0..<20_000 {
      if Bool.random(using: &random) {
        let length = Int.random(in: 1...(Int.random(in: 1...ring.largestRecord, using: &random)), using: &random)
        let record = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ step) }
        if write(ring, record) { model.append(record) } else { refused += 1 }
      } else {
        let expected = model.isEmpty ? nil : model.removeFirst()
        #expect(read(ring) == expected)
      }
    }
    #expect(refused > 0)
    while let record = read(ring) { #expect(record == model.removeFirst()) }
    #expect(model.isEmpty)
  }

  @Test("a full ring refuses records until there is room, too large ones always")
  func full() {
    let ring = RelayRing(capacity: 4_096)
    var count = 0
    while write(ring, [UInt8](repeating: 1, count: 100)) { count += 1 }
    #expect(count >= 4_096 / 112 - 1)
    #expect(read(ring)?.count == 100)
    #expect(write(ring, [UInt8](repeating: 2, count: 90)))
    #expect(!write(RelayRing(capacity: 4_096), [UInt8](repeating: 0, count: 1_024)))
    #expect(!ring.write(length: 0) { _ in })
  }

  @Test("a writer leaves the free space that it was asked to leave")
  func reserve() {
    let ring = RelayRing(capacity: 4_096)
    while ring.write(length: 100, leaving: 1_000, { _ in }) {}
    var more = 0
    while write(ring, [UInt8](repeating: 0, count: 100)) { more += 1 }
    #expect(more >= 8)
  }

  @Test("a reader that sleeps is woken once, and never while something lies in the ring")
  func waking() {
    let ring = RelayRing()
    #expect(!ring.wakes())
    #expect(ring.fallAsleep())
    #expect(!ring.wakes(), "nothing was written")
    #expect(write(ring, [1]))
    #expect(ring.wakes())
    #expect(!ring.wakes())
    #expect(write(ring, [2]))
    #expect(!ring.wakes(), "it was woken already")
    #expect(!ring.fallAsleep(), "there is something to read")
    _ = read(ring)
    _ = read(ring)
    #expect(ring.fallAsleep())
  }

  @Test("a writer that waits for room is woken once, after something was read")
  func room() {
    let ring = RelayRing(capacity: 4_096)
    while write(ring, [UInt8](repeating: 1, count: 100)) {}
    ring.awaitRoom()
    #expect(!ring.hasMadeRoom(), "nothing was read")
    #expect(read(ring) != nil)
    #expect(ring.hasMadeRoom())
    #expect(!ring.hasMadeRoom(), "it was woken already")
    #expect(read(ring) != nil)
    #expect(!ring.hasMadeRoom(), "nobody waits")
    ring.awaitRoom()
    #expect(read(ring) != nil)
    #expect(ring.hasMadeRoom())
  }

  @Test("between two threads no record is lost, torn or doubled, and no wake-up missed")
  func threads() async throws {
    let ring = RelayRing(capacity: 8_192)
    let total = 200_000
    let bell = Bell()
    let writer = Thread {
      var random = SeededGenerator(TestSeed.of(3))
      var next = 0
      while next < total {
        let burst = Int.random(in: 1...20, using: &random)
        var written = 0
        while written < burst, next < total {
          let length = 8 + Int(random.next() % 200)
          let value = UInt64(next)
          let done = ring.write(length: length) { out in
            RelayBytes.set(value, at: 0, in: &out)
            for index in 8..<length { out[index] = UInt8(truncatingIfNeeded: next &+ index) }
          }
          if done {
            next += 1
            written += 1
          } else {
            break
          }
        }
        if ring.wakes() { bell.ring() }
        if written == 0 { sched_yield() }
      }
    }
    final class Result: @unchecked Sendable {
      var received = 0
      var wrong = 0
      var sleeps = 0
    }
    let result = Result()
    let done = DispatchSemaphore(value: 0)
    let reader = Thread {
      while result.received < total {
        while ring.read({ record in
          if RelayBytes.uint64(record, at: 0) != UInt64(result.received) { result.wrong += 1 }
          for index in 8..<record.count where record[index] != UInt8(truncatingIfNeeded: result.received &+ index) {
            result.wrong += 1
          }
          result.received += 1
        }) {}
        if result.received < total, ring.fallAsleep() {
          result.sleeps += 1
          // A wake-up that was missed would end the test here.
          if !bell.wait(seconds: 10) { break }
        }
      }
      done.signal()
    }
    reader.start()
    writer.start()
    await withCheckedContinuation { (waiting: CheckedContinuation<Void, Never>) in
      DispatchQueue.global().async {
        done.wait()
        waiting.resume()
      }
    }
    #expect(result.received == total)
    #expect(result.wrong == 0)
    #expect(result.sleeps > 0)
  }
}

/// An eventfd's part in a loop.
private final class Bell: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  func ring() { semaphore.signal() }
  func wait(seconds: Int) -> Bool { semaphore.wait(timeout: .now() + .seconds(seconds)) == .success }
}
