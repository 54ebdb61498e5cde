import TestSeeds
import Testing

@testable import RTC

@Suite("SRTP packet index and replay protection", .tellsSeeds)
struct SRTPReplayTests {
  static let window = Int(SRTPStreamTable.windowSize)

  @Test("threat 13: a packet opens once; a copy is refused", arguments: DTLSContext.defaultProfiles)
  func replay(profile: SRTPProfile) throws {
    let pair = try SRTPPair(profile)
    var packets: [[UInt8]] = []
    for sequence in 0..<300 as Range<UInt16> { packets.append(try pair.sender.protect(SRTPPair.packet(sequence))) }
    var random = SeededRandom(seed: TestSeed.of(1))
    for packet in packets.shuffled(using: &random) {
      _ = try pair.receiver.open(packet)
      #expect(srtpError { _ = try pair.receiver.open(packet) } == .replayed)
    }
    for packet in packets { #expect(srtpError { _ = try pair.receiver.open(packet) } == .replayed) }
  }

  @Test("threat 13: an RTCP packet opens once; a copy is refused", arguments: DTLSContext.defaultProfiles)
  func replayControl(profile: SRTPProfile) throws {
    let pair = try SRTPPair(profile)
    let packets = try (0..<1_500).map { _ in try pair.sender.protectRTCP(SRTPPair.report()) }
    for packet in packets[..<300].reversed() { _ = try pair.receiver.openRTCP(packet) }
    for packet in packets[..<300] { #expect(srtpError { _ = try pair.receiver.openRTCP(packet) } == .replayed) }
    _ = try pair.receiver.openRTCP(packets[1_499])
    #expect(srtpError { _ = try pair.receiver.openRTCP(packets[1_499 - Self.window]) } == .tooOld)
    _ = try pair.receiver.openRTCP(packets[1_500 - Self.window])
  }

  @Test("threat 13: forged indices far ahead don't stop the next genuine packet")
  func farAhead() throws {
    for profile in DTLSContext.defaultProfiles {
      let pair = try SRTPPair(profile)
      for sequence: UInt16 in 100..<110 { _ = try pair.receiver.open(pair.sender.protect(SRTPPair.packet(sequence))) }
      // Claims every sequence number, those that would mean a roll-over included.
      for claimed in stride(from: 0, through: 65_535, by: 97) {
        let forged = SRTPPair.packet(UInt16(claimed), payload: [UInt8](repeating: 0, count: 40))
        #expect(srtpError { _ = try pair.receiver.open(forged) } != nil)
      }
      for sequence: UInt16 in 110..<120 { _ = try pair.receiver.open(pair.sender.protect(SRTPPair.packet(sequence))) }

      let genuine = try pair.sender.protectRTCP(SRTPPair.report())
      var forged = genuine
      let word = profile == .aes128CMHMACSHA1_80 ? forged.count - 14 : forged.count - 4
      forged.replaceSubrange(word..<(word + 4), with: [0xFF, 0xFF, 0xFF, 0xFF])
      #expect(srtpError { _ = try pair.receiver.openRTCP(forged) } == .authenticationFailed)
      _ = try pair.receiver.openRTCP(genuine)
    }
  }

  // Authentic ones are capped at 1,024.
  @Test("threat 11: forged packets of 100,000 SSRCs leave no state")
  func ssrcFlood() throws {
    let pair = try SRTPPair(.aeadAES128GCM)
    for ssrc in 0..<100_000 as Range<UInt32> {
      let forged = SRTPPair.packet(ssrc: ssrc, 1, payload: [UInt8](repeating: 0, count: 20))
      if srtpError({ _ = try pair.receiver.open(forged) }) != .authenticationFailed {
        Issue.record("forged packet of SSRC \(ssrc) was not refused as forged")
      }
    }
    #expect(pair.receiver.streamCount == 0)
    for ssrc in 0..<1_024 as Range<UInt32> {
      _ = try pair.receiver.open(pair.sender.protect(SRTPPair.packet(ssrc: ssrc, 1)))
    }
    #expect(pair.receiver.streamCount == 1_024)
    let oneMore = try pair.sender.protect(SRTPPair.packet(ssrc: 1_024, 1))
    #expect(srtpError { _ = try pair.receiver.open(oneMore) } == .tooManyStreams)
    // The known ones go on.
    for ssrc in 0..<1_024 as Range<UInt32> {
      _ = try pair.receiver.open(pair.sender.protect(SRTPPair.packet(ssrc: ssrc, 2)))
    }
    #expect(pair.receiver.streamCount == 1_024)
    for ssrc in 0..<1_024 as Range<UInt32> {
      _ = try pair.receiver.openRTCP(pair.sender.protectRTCP(SRTPPair.report(ssrc: ssrc)))
    }
    let report = try pair.sender.protectRTCP(SRTPPair.report(ssrc: 5_000))
    #expect(srtpError { _ = try pair.receiver.openRTCP(report) } == .tooManyStreams)
  }

  @Test("the replay window accepts each index once, at every distance and position")
  func windowBoundaries() {
    for top in stride(from: UInt64(3_000), to: 3_000 + 64 * 20, by: 1) {
      var table = SRTPStreamTable(hasWindows: true, seed: 1)
      table.insert(7, index: top &- 2_000)
      let slot = table.slot(of: 7)
      table.accept(slot, index: top)
      #expect(table.check(slot, index: top) == .replayed)
      #expect(table.check(slot, index: top + 1) == .fresh)
      let oldest = top - UInt64(Self.window) + 1
      #expect(table.check(slot, index: oldest) == .fresh)
      #expect(table.check(slot, index: oldest - 1) == .tooOld)
      #expect(table.check(slot, index: 0) == .tooOld)
      table.accept(slot, index: oldest)
      #expect(table.check(slot, index: oldest) == .replayed)
      #expect(table.check(slot, index: oldest + 1) == .fresh)
      #expect(table.check(slot, index: top - 1) == .fresh)
    }
  }

  @Test("the window agrees with a plain set of seen indices over random walks", arguments: 0..<8)
  func windowModel(seed: UInt64) {
    var random = SeededRandom(seed: TestSeed.of(seed))
    var table = SRTPStreamTable(hasWindows: true, seed: 99)
    var top: UInt64 = 5_000
    var seen: Set<UInt64> = [top]
    table.insert(1, index: top)
    let slot = table.slot(of: 1)
    for _ in 0..<20_000 {
      let jump = random.chance(0.02) ? random.below(3_000) : random.below(40)
      let index = random.chance(0.4) ? top + UInt64(jump) : top - UInt64(min(random.below(1_100), Int(top)))
      let expected: SRTPStreamTable.Verdict =
        index > top
        ? .fresh : top - index >= UInt64(Self.window) ? .tooOld : seen.contains(index) ? .replayed : .fresh
      let verdict = table.check(slot, index: index)
      if verdict != expected {
        Issue.record("seed \(seed): index \(index) at top \(top): \(verdict), expected \(expected)")
        return
      }
      if verdict == .fresh {
        table.accept(slot, index: index)
        seen.insert(index)
        top = max(top, index)
      }
    }
  }

  @Test("the index estimate follows RFC 3711 section 3.3.1 at the edges")
  func estimates() {
    func estimate(_ sequence: UInt16, _ highest: UInt64) -> UInt64? {
      SRTPPacketIndex.estimate(sequence: sequence, highest: highest)
    }
    #expect(estimate(1, 0) == 1)
    #expect(estimate(0x8000, 0) == 0x8000)
    #expect(estimate(0x8001, 0) == nil)  // before the stream's start
    #expect(estimate(0xFFFF, 0x1_0000) == 0xFFFF)
    #expect(estimate(0, 0xFFFF) == 0x1_0000)
    #expect(estimate(0x7FFE, 0xFFFF) == 0x1_7FFE)
    #expect(estimate(0x7FFF, 0xFFFF) == 0x7FFF)
    #expect(estimate(0x8001, 0x5_0000) == 0x4_8001)
    #expect(estimate(0x8000, 0x5_0000) == 0x5_8000)
    #expect(estimate(0, 0xFFFF_FFFF_FFFF) == nil)  // past the last index
    #expect(estimate(0xFFFF, 0xFFFF_FFFF_FFFF) == 0xFFFF_FFFF_FFFF)
  }

  @Test("the roll-over counter follows through several wraps, with loss and reordering", arguments: 0..<3)
  func rollover(seed: UInt64) throws {
    let profile = DTLSContext.defaultProfiles[Int(seed)]
    let pair = try SRTPPair(profile)
    var random = SeededRandom(seed: TestSeed.of(seed))
    var held: [[UInt8]] = []
    var opened = 0
    for index in 30_000..<230_000 {
      let protected = try pair.sender.protect(SRTPPair.packet(UInt16(index & 0xFFFF)))
      if random.chance(0.1) { continue }
      held.append(protected)
      if held.count > 6 {
        held.shuffle(using: &random)
        _ = try pair.receiver.open(held.removeLast())
        opened += 1
      }
    }
    #expect(opened > 170_000)
  }

  @Test("packets on both sides of a wrap may be lost", arguments: [1, 2, 100, 1_000, 20_000, 32_767])
  func lossAcrossWrap(gap: Int) throws {
    let pair = try SRTPPair(.aeadAES128GCM)
    var next = 65_536 - gap / 2 - 1
    let last = try pair.sender.protect(SRTPPair.packet(UInt16(next)))
    _ = try pair.receiver.open(last)
    let skippedTo = next + gap
    // The sender sends them all; the network loses those in between.
    while next < skippedTo {
      next += 1
      let packet = try pair.sender.protect(SRTPPair.packet(UInt16(next & 0xFFFF)))
      if next == skippedTo { _ = try pair.receiver.open(packet) }
    }
  }

  @Test("a sender that goes back a little around a wrap keeps the counter right")
  func senderReorders() throws {
    let pair = try SRTPPair(.aes128CMHMACSHA1_80)
    for index in [40_000, 65_530, 65_534, 65_537, 65_535, 65_536, 65_533, 65_540] {
      _ = try pair.receiver.open(pair.sender.protect(SRTPPair.packet(UInt16(index & 0xFFFF))))
    }
  }

  @Test("the last index is the last: the sender says so instead of reusing a nonce")
  func exhaustion() throws {
    let profile = SRTPProfile.aeadAES128GCM
    let keys = SRTPSessionKeys(
      encryption: [UInt8](repeating: 1, count: 16), authentication: [], salt: [UInt8](repeating: 2, count: 12))
    let sender = try SRTPSender(profile: profile, rtpKeys: keys, rtcpKeys: keys, firstRTCPIndex: 0x7FFF_FFFF)
    _ = try sender.protectRTCP(SRTPPair.report())
    #expect(srtpError { _ = try sender.protectRTCP(SRTPPair.report()) } == .keyExhausted)
    #expect(srtpError { _ = try sender.protectRTCP(SRTPPair.report()) } == .keyExhausted)
  }

  @Test("a table of many streams finds each one")
  func table() {
    var table = SRTPStreamTable(hasWindows: false, seed: 12)
    var random = SeededRandom(seed: TestSeed.of(2))
    var ssrcs: [UInt32] = [0, .max]
    while ssrcs.count < 2_000 { ssrcs.append(UInt32(truncatingIfNeeded: random.next())) }
    ssrcs = Array(Set(ssrcs))
    for (slot, ssrc) in ssrcs.enumerated() {
      #expect(table.slot(of: ssrc) == -1)
      table.insert(ssrc, index: UInt64(slot))
    }
    for (slot, ssrc) in ssrcs.enumerated() {
      #expect(table.slot(of: ssrc) == slot)
      #expect(table.highestIndex(slot) == UInt64(slot))
    }
    #expect(table.slot(of: 1) == -1 || ssrcs.contains(1))
  }
}
