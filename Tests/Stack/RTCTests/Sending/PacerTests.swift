import Basics
import TestSeeds
import Testing

@testable import RTC

@Suite("Pacer", .tellsSeeds)
struct PacerTests {
  private func entry(_ sequence: Int64, size: Int = 1_200, at milliseconds: Int64 = 0) -> Pacer.Entry {
    Pacer.Entry(stream: 0, sequence: sequence, size: size, enqueued: .milliseconds(milliseconds))
  }

  /// Everything that leaves up to `end` when the pacer is asked at its deadlines, with the time in microseconds.
  private func drain(_ pacer: inout Pacer, until end: Int64) -> [(at: Int64, size: Int)] {
    var out: [(Int64, Int)] = []
    while pacer.deadline <= .milliseconds(end) {
      let now = max(pacer.deadline, .zero)
      var sent = 0
      while let (entry, _) = pacer.next(now: now) {
        pacer.sent(bytes: Int(entry.size), now: now)
        out.append((now.nanoseconds / 1_000, Int(entry.size)))
        sent += 1
      }
      if sent == 0 { break }
    }
    return out
  }

  @Test("in no window is more sent than the rate allows, a burst and a packet on top", arguments: [100, 1_000, 20_000])
  func burst(_ kilobits: Int64) {
    var pacer = Pacer(rate: .kilobits(kilobits))
    for sequence in Int64(0)..<400 { _ = pacer.enqueue(entry(sequence), .video) }
    let out = drain(&pacer, until: 20_000)
    #expect(out.count > 100)
    for first in stride(from: 0, to: out.count, by: 7) {
      var bits = 0
      for index in first..<out.count {
        bits += out[index].size * 8
        let window = Double(out[index].at - out[first].at + 5_000) / 1e6
        let allowed = window * Double(kilobits) * 1_000 + 2 * 9_600
        if Double(bits) > allowed {
          Issue.record("\(bits) bits in \(window) s from \(first)")
          return
        }
      }
    }
    // And it is not slower than its rate.
    let time = Double(out[out.count - 1].at) / 1e6
    #expect(time <= Double(out.count * 9_600) / Double(kilobits * 1_000) * 1.02 + 0.01)
  }

  // Audio counts in the budget.
  @Test("audio leaves at once, then retransmissions, then video, on one budget")
  func priorities() {
    var pacer = Pacer(rate: .kilobits(1_000))
    _ = pacer.enqueue(entry(1), .video)
    _ = pacer.enqueue(entry(2), .retransmission)
    _ = pacer.enqueue(entry(3, size: 10_000), .audio)
    let audio = pacer.next(now: .zero)
    #expect(audio?.priority == .audio)
    pacer.sent(bytes: 10_000, now: .zero)
    let blocked = pacer.next(now: .zero)
    #expect(blocked == nil)
    let later = pacer.deadline
    #expect(later > .milliseconds(70) && later < .milliseconds(90))
    let second = pacer.next(now: later)?.priority
    let third = pacer.next(now: later)?.priority
    #expect(second == .retransmission && third == .video)
    #expect(pacer.deadline == .distantFuture)
  }

  @Test("the queue is bounded in bytes")
  func bounded() {
    var pacer = Pacer(rate: .kilobits(1_000), limits: .init(bytes: 10_000))
    var taken = 0
    for sequence in Int64(0)..<100 where pacer.enqueue(entry(sequence), .video) { taken += 1 }
    #expect(taken == 8)
    #expect(pacer.queuedBytes == 9_600)
    for sequence in Int64(0)..<100_000 { _ = pacer.enqueue(entry(sequence), .audio) }
    #expect(pacer.count <= 8 + 400)
  }

  @Test("the time that nothing was sent is not saved up beyond a burst")
  func idle() {
    var pacer = Pacer(rate: .kilobits(1_000))
    _ = pacer.next(now: .zero)
    for sequence in Int64(0)..<100 { _ = pacer.enqueue(entry(sequence, at: 10_000), .video) }
    var sent = 0
    while let (entry, _) = pacer.next(now: .milliseconds(10_000)) {
      pacer.sent(bytes: Int(entry.size), now: .milliseconds(10_000))
      sent += 1
    }
    #expect(sent == 1)
  }
}

@Suite("Retransmission buffer, RFC 4588", .tellsSeeds)
struct RetransmissionBufferTests {
  private func packet(_ sequence: Int64) -> RetransmissionBuffer.Packet {
    var packet = RetransmissionBuffer.Packet()
    packet.sequence = sequence
    return packet
  }

  private func payload(_ sequence: Int64, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: Int64($0) &+ sequence) }
  }

  @Test("stored payloads are found through growth and wrap, with their numbers")
  func roundTrip() throws {
    var random = SeededRandom(seed: TestSeed.of(31))
    var buffer = RetransmissionBuffer(limits: .init(packets: 256, bytes: 200_000, age: .seconds(1)))
    var sizes: [Int64: Int] = [:]
    for sequence in Int64(65_000)..<70_000 {
      let size = 1 + random.below(1_400)
      sizes[sequence] = size
      let isStored = buffer.append(
        packet(sequence), payload: payload(sequence, size).span, now: .milliseconds(sequence))
      #expect(isStored)
      for back in [Int64(0), 1, 50, 100, 255] {
        guard let found = buffer.packet(numbered: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: sequence - back)))
        else { continue }
        let range = buffer.retransmissionRange(of: found)
        let bytes = Array(buffer.bytes[range])
        let number = Int64(bytes[0]) << 8 | Int64(bytes[1])
        if number != (sequence - back) & 0xFFFF
          || Array(bytes.dropFirst(2)) != payload(sequence - back, sizes[sequence - back] ?? 0)
        {
          Issue.record("\(sequence) − \(back)")
          return
        }
      }
      #expect(buffer.packet(sequence) != nil)
    }
    #expect(buffer.packet(70_000 - 100) != nil)
    #expect(buffer.packet(70_000 - 257) == nil)
    #expect(buffer.allocatedBytes <= 200_000)
  }

  @Test("memory follows the rate up to the limit, payloads up to half of it")
  func bounded() {
    var slow = RetransmissionBuffer(limits: .init(packets: 2_048, bytes: 1 << 20, age: .seconds(1)))
    for sequence in Int64(0)..<2_000 {
      _ = slow.append(packet(sequence), payload: payload(0, 100).span, now: .milliseconds(sequence * 20))
    }
    #expect(slow.allocatedBytes <= 32_768)
    var fast = RetransmissionBuffer(limits: .init(packets: 2_048, bytes: 1 << 18, age: .seconds(1)))
    for sequence in Int64(0)..<5_000 {
      _ = fast.append(packet(sequence), payload: payload(0, 1_200).span, now: .milliseconds(sequence / 10))
    }
    #expect(fast.allocatedBytes == 1 << 18)
    let isStored = fast.append(packet(5_000), payload: payload(0, 1 << 17).span, now: .milliseconds(500))
    #expect(!isStored)
  }
}
