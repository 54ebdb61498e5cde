import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Stream rewriter", .tellsSeeds)
struct StreamRewriterTests {
  private func packet(_ sequence: Int64, _ timestamp: UInt32 = 0) -> StoredPacket {
    var packet = StoredPacket()
    packet.sequence = sequence
    packet.timestamp = RTPTimestamp(rawValue: timestamp)
    packet.payloadLength = 100
    return packet
  }

  @Test("source gaps stay, what is left out is closed, and late packets find their place")
  func gapsAndSkips() {
    let rewriter = StreamRewriter(firstSequence: 1_000, firstTimestamp: 5)
    let now = Instant.milliseconds(1)
    rewriter.begin(with: packet(100), now: now, clockRate: 90_000)
    let base = rewriter.rewrite(packet(100), now: now)!.sequence
    #expect(base & 0xFFFF == 1_000)
    #expect(rewriter.rewrite(packet(101), now: now)?.sequence == base + 1)
    // 102 is lost, 103 left out.
    rewriter.skip(packet(103))
    #expect(rewriter.rewrite(packet(104), now: now)?.sequence == base + 3)
    #expect(rewriter.rewrite(packet(102), now: now)?.sequence == base + 2)
    // A packet that was left out can't come in again.
    #expect(rewriter.rewrite(packet(103), now: now) == nil)
    #expect(rewriter.rewrite(packet(99), now: now) == nil)
  }

  @Test("new keys continue numbers without roll-overs, and nothing older can be asked for")
  func otherKeys() {
    let rewriter = StreamRewriter(firstSequence: 60_000, firstTimestamp: 0)
    let now = Instant.milliseconds(1)
    rewriter.begin(with: packet(1), now: now, clockRate: 90_000)
    var last: Int64 = 0
    for sequence in 1...150_000 { last = rewriter.rewrite(packet(Int64(sequence)), now: now)?.sequence ?? 0 }
    #expect(last >> 16 == 4)
    rewriter.startOver()
    #expect(!rewriter.isRunning)
    #expect(rewriter.source(of: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: last))) == nil)
    #expect(rewriter.rewrite(packet(150_001), now: now) == nil)
    rewriter.begin(with: packet(150_002), now: now, clockRate: 90_000)
    #expect(rewriter.rewrite(packet(150_002), now: now)?.sequence == (last & 0xFFFF) + 1 + 0x1_0000)
  }

  @Test(
    "new keys begin without a roll-over, and far enough from one for lost packets",
    arguments: [0, 1, 32_768, 49_151, 49_152, 65_535] as [UInt16])
  func otherKeysNearRollOver(next: UInt16) {
    let rewriter = StreamRewriter(firstSequence: next, firstTimestamp: 0)
    rewriter.startOver()
    rewriter.begin(with: packet(1), now: .milliseconds(1), clockRate: 90_000)
    let first = rewriter.rewrite(packet(1), now: .milliseconds(1))?.sequence
    #expect(first == (next < 49_152 ? Int64(next) : 0) + 0x1_0000)
  }

  @Test("a NACK finds its source packet across left-out packets, and none in the future")
  func reverse() {
    let rewriter = StreamRewriter(firstSequence: 32_700, firstTimestamp: 0)
    let now = Instant.milliseconds(1)
    rewriter.begin(with: packet(1), now: now, clockRate: 90_000)
    var sent: [(source: Int64, out: Int64)] = []
    for sequence in 1..<500 {
      if sequence % 30 == 0 {
        rewriter.skip(packet(Int64(sequence)))
      } else if let numbers = rewriter.rewrite(packet(Int64(sequence)), now: now) {
        sent.append((Int64(sequence), numbers.sequence))
      }
    }
    #expect(zip(sent, sent.dropFirst()).allSatisfy { $0.out + 1 == $1.out })
    for pair in sent.suffix(200) {
      let found = rewriter.source(of: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: pair.out)))
      #expect(found?.source == pair.source && found?.out == pair.out)
    }
    let future = SequenceNumber(rawValue: UInt16(truncatingIfNeeded: sent.last!.out + 1))
    #expect(rewriter.source(of: future) == nil)
  }

  @Test("many packets left out in a row leave no gap, and the list of runs stays bounded")
  func manySkips() {
    let rewriter = StreamRewriter(firstSequence: 0, firstTimestamp: 0)
    let now = Instant.milliseconds(1)
    rewriter.begin(with: packet(1), now: now, clockRate: 90_000)
    var last: Int64?
    for sequence in 1..<20_000 {
      if sequence % 3 != 1 {
        rewriter.skip(packet(Int64(sequence)))
      } else if let numbers = rewriter.rewrite(packet(Int64(sequence)), now: now) {
        if let last { #expect(numbers.sequence == last + 1) }
        last = numbers.sequence
      }
    }
    #expect(last != nil)
  }

  @Test("switches, pauses, loss and late packets reuse no number: SRTP depends on it")
  func neverTwice() {
    for seed in 1...20 as ClosedRange<UInt64> {
      var random = SeededGenerator(TestSeed.of(seed))
      let rewriter = StreamRewriter(firstSequence: 7, firstTimestamp: 0)
      var used: Set<Int64> = []
      var sequence: Int64 = 70_000
      var late: [Int64] = []
      rewriter.detach()
      rewriter.begin(with: packet(sequence), now: .zero, clockRate: 90_000)
      func send(_ number: Int64) {
        guard let numbers = rewriter.rewrite(packet(number), now: .milliseconds(number)) else { return }
        #expect(used.insert(numbers.sequence).inserted, "seed \(seed): \(numbers.sequence) was used twice")
      }
      for _ in 0..<5_000 {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<2:
          late.removeAll()
          sequence = Int64.random(in: 65_536..<130_000, using: &random)
          rewriter.detach()
          rewriter.begin(with: packet(sequence), now: .zero, clockRate: 90_000)
        case 2..<4:
          sequence += Int64.random(in: 0..<50, using: &random)
          rewriter.resume(with: packet(sequence))
        case 4..<12: rewriter.skip(packet(sequence))
        case 12..<22: late.append(sequence)
        case 22..<30:
          if let old = late.popLast() { send(old) }
        default: send(sequence)
        }
        sequence += 1
      }
    }
  }

  @Test("threat 13: whatever a publisher skips, a packet's number is near the last one")
  func nearTheLast() throws {
    let rewriter = StreamRewriter(firstSequence: 10, firstTimestamp: 0)
    rewriter.begin(with: packet(100), now: .zero, clockRate: 90_000)
    func number(_ sequence: Int64) -> Int64? { rewriter.rewrite(packet(sequence), now: .zero)?.sequence }
    var last = try #require(number(100))
    var used: Set<Int64> = [last]
    var sequence: Int64 = 100
    for jump in [32_767, 900, 1_001, 65_535, 1, 3] as [Int64] {
      // Empty packets, which are left out, far from each other; then one that passes.
      for _ in 0..<3 {
        sequence += jump
        rewriter.skip(packet(sequence))
      }
      sequence += jump
      let next = try #require(number(sequence))
      #expect(next > last && next - last <= 1_001, "after jumps of \(jump): \(next - last)")
      #expect(used.insert(next).inserted)
      last = next
      // A packet that comes late from within a closed gap has no number any more.
      if jump > 1_001 { #expect(number(sequence - 1) == nil) }
    }
  }

  @Test("a late packet of a layer left out becomes a filler, also when asked for again")
  func fillers() throws {
    let rewriter = StreamRewriter(firstSequence: 1_000, firstTimestamp: 5)
    let now = Instant.milliseconds(1)
    let base = LayerSelection(spatial: 0, temporal: 0)
    func layered(_ sequence: Int64, _ temporal: UInt8) -> StoredPacket {
      var packet = packet(sequence)
      packet.layers.temporal = temporal
      packet.layers.flags = .closesPictures
      packet.picture.pictureIDOffset = 2
      packet.picture.pictureID = UInt16(sequence)
      return packet
    }
    func rewrite(_ packet: StoredPacket, _ selection: LayerSelection) -> StreamRewriter.Numbers? {
      rewriter.rewrite(packet, selection, now: now)
    }
    rewriter.begin(with: layered(100, 0), now: now, clockRate: 90_000)
    let first = try #require(rewrite(layered(100, 0), base))
    rewriter.skip(layered(101, 1), base)
    // 102 of layer 1 and 103 of layer 0 are lost on the way here.
    let next = try #require(rewrite(layered(104, 0), base))
    #expect(next.sequence == first.sequence + 3)
    #expect(next.pictureID == first.pictureID + 3, "only what is known to be left out closes")
    let late = try #require(rewrite(layered(102, 1), base))
    #expect(late.isFiller && late.sequence == first.sequence + 1)
    let other = try #require(rewrite(layered(103, 0), base))
    #expect(!other.isFiller && other.sequence == first.sequence + 2)
    let origin = try #require(rewriter.source(of: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: late.sequence))))
    #expect(origin.source == 102)
    #expect(rewriter.numbers(of: layered(102, 1), out: origin.out, serial: origin.serial)?.isFiller == true)
    // A receiver that has moved up since gets later frames, not those.
    let all = try #require(rewrite(layered(105, 1), .all))
    #expect(!all.isFiller && all.sequence == first.sequence + 4)
    #expect(rewriter.numbers(of: layered(102, 1), out: origin.out, serial: origin.serial)?.isFiller == true)
  }

  @Test("time goes on by what has passed when the source changes (RFC 3550 section 5.1)")
  func time() {
    let rewriter = StreamRewriter(firstSequence: 0, firstTimestamp: 1_000)
    rewriter.begin(with: packet(1, 777), now: .milliseconds(0), clockRate: 90_000)
    #expect(rewriter.rewrite(packet(1, 777), now: .milliseconds(0))?.timestamp == 1_000)
    rewriter.detach()
    rewriter.begin(with: packet(9_000, 4_000_000_000), now: .milliseconds(500), clockRate: 90_000)
    #expect(rewriter.rewrite(packet(9_000, 4_000_000_000), now: .milliseconds(500))?.timestamp == 46_000)
  }
}
