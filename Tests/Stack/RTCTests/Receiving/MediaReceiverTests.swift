import Basics
import TestSeeds
import Testing

@testable import RTC

@Suite(.tellsSeeds) struct MediaReceiverTests {
  @Test func anAnnouncedSourceIsDeliveredUnderItsSection() throws {
    var receiver = MediaReceiver([Receiving.audio(), Receiving.video()])
    let packet = Receiving.packet(
      Receiving.videoSSRC, 96, 500, timestamp: 90, payload: Receiving.delta, descriptor: [9, 8, 7])
    let deliveries = receiver.feed(packet, at: Receiving.ms(3))
    let delivery = try #require(deliveries.first)
    #expect(deliveries.count == 1)
    #expect(delivery.packet.mid == MID(rawValue: "v"))
    #expect(delivery.packet.codec == .vp8)
    #expect(delivery.packet.sequence & 0xFFFF == 500)
    #expect(delivery.packet.timestamp == RTPTimestamp(rawValue: 90))
    #expect(delivery.packet.arrival == Receiving.ms(3))
    #expect(delivery.payload == Receiving.delta)
    #expect(delivery.descriptor == [9, 8, 7])
    #expect(receiver.pollEvent() == .started(MID(rawValue: "v"), Receiving.videoSSRC))
    #expect(receiver.pollEvent() == nil)
  }

  /// RFC 9143 section 15.
  @Test func anUnannouncedSourceIsFoundByItsMID() throws {
    var receiver = MediaReceiver([Receiving.audio(announced: false), Receiving.video(announced: false)])
    let source = SSRC(rawValue: 99)
    #expect(receiver.feed(Receiving.packet(source, 111, 1, mid: "a", level: 0x80 | 30), at: .zero).count == 1)
    // Once known, the MID may be left out.
    let later = receiver.feed(Receiving.packet(source, 111, 2), at: Receiving.ms(20))
    #expect(later.first?.packet.mid == MID(rawValue: "a"))
    #expect(receiver.ssrc(MID(rawValue: "a")) == source)
    #expect(receiver.statistics(MID(rawValue: "a"))?.headerAudioLevel == 30)
  }

  @Test func withoutMIDAnUnknownSourceNeedsAPayloadTypeThatLeavesNoDoubt() {
    var receiver = MediaReceiver([Receiving.audio(announced: false), Receiving.video(announced: false)])
    #expect(receiver.feed(Receiving.packet(SSRC(rawValue: 5), 111, 1), at: .zero).count == 1)
    // The section has its stream now, so another one without MID is nobody's.
    #expect(receiver.feed(Receiving.packet(SSRC(rawValue: 6), 111, 1), at: Receiving.ms(5_000)).isEmpty)
    #expect(receiver.drops.unknownSource == 1)
  }

  /// Threat 12 of `docs/threats.md`: a second claim is refused.
  @Test func aPacketThatClaimsTheSourceOfAnotherSectionIsDropped() {
    var receiver = MediaReceiver([Receiving.audio(), Receiving.video()])
    #expect(receiver.feed(Receiving.packet(Receiving.audioSSRC, 111, 1, mid: "v"), at: .zero).isEmpty)
    #expect(receiver.drops.refusedClaim == 1)
    #expect(receiver.feed(Receiving.packet(Receiving.audioSSRC, 111, 2, mid: "a"), at: .zero).count == 1)
  }

  @Test func aSourceThatAnotherHasReplacedIsUnknown() {
    var receiver = MediaReceiver([Receiving.audio(announced: false), Receiving.video(announced: false)])
    let (old, new) = (SSRC(rawValue: 5), SSRC(rawValue: 6))
    #expect(receiver.feed(Receiving.packet(old, 111, 1, mid: "a"), at: .zero).count == 1)
    #expect(receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, 1, mid: "v"), at: .zero).count == 1)
    #expect(receiver.feed(Receiving.packet(old, 111, 2), at: .zero).count == 1)
    #expect(receiver.feed(Receiving.packet(new, 111, 1, mid: "a"), at: Receiving.ms(1_500)).count == 1)
    #expect(receiver.feed(Receiving.packet(old, 111, 3), at: Receiving.ms(1_510)).isEmpty)
    #expect(receiver.drops.unknownSource == 1)
    #expect(receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, 2), at: Receiving.ms(1_520)).count == 1)
    #expect(receiver.feed(Receiving.packet(new, 111, 2), at: Receiving.ms(1_530)).count == 1)
  }

  @Test func payloadTypesThatWereNotNegotiatedAreDropped() {
    var receiver = MediaReceiver([Receiving.audio(), Receiving.video()])
    #expect(receiver.feed(Receiving.packet(Receiving.audioSSRC, 96, 1), at: .zero).isEmpty)
    #expect(receiver.feed(Receiving.packet(Receiving.audioSSRC, 13, 1), at: .zero).isEmpty)
    #expect(receiver.drops.unknownPayloadType == 2)
  }

  /// RFC 4588 section 4.
  @Test func aRetransmissionIsUnwrappedAndDeliveredOnce() throws {
    var receiver = MediaReceiver([Receiving.video()])
    _ = receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, 10), at: .zero)
    let newest = receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, 12), at: Receiving.ms(5))
    let repair = Receiving.retransmission(11, under: 900, payload: [5, 6, 7])
    let delivery = try #require(receiver.feed(repair, at: Receiving.ms(30)).first)
    #expect(delivery.payload == [5, 6, 7])
    #expect(delivery.packet.isRetransmission)
    #expect(delivery.packet.ssrc == Receiving.videoSSRC)
    #expect(delivery.packet.sequence == newest[0].packet.sequence - 1)
    // The same again, as another retransmission and as the late original.
    #expect(receiver.feed(Receiving.retransmission(11, under: 901, payload: [5, 6, 7]), at: Receiving.ms(31)).isEmpty)
    #expect(receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, 11), at: Receiving.ms(32)).isEmpty)
    #expect(receiver.drops.duplicate == 2)
    let statistics = try #require(receiver.statistics(MID(rawValue: "v")))
    #expect(statistics.retransmittedPacketsReceived == 2)
    #expect(statistics.packetsReceived == 5)
  }

  @Test func aRetransmissionSourceIsFoundByItsPayloadTypeAndMID() {
    var receiver = MediaReceiver([Receiving.video(announced: false)])
    _ = receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, 10, mid: "v"), at: .zero)
    _ = receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, 12), at: .zero)
    let repair = Receiving.packet(SSRC(rawValue: 3), 97, 1, payload: [0, 11, 42], mid: "v")
    #expect(receiver.feed(repair, at: .zero).first?.payload == [42])
  }

  /// A number that only padding used is not lost: it is delivered, empty. Padding of the retransmission stream has no
  /// number there.
  @Test func paddingIsDeliveredAsAnEmptyPayloadAndProbesAreNot() {
    var receiver = MediaReceiver([Receiving.video()])
    _ = receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, 10), at: .zero)
    let padding = receiver.feed(
      Receiving.packet(Receiving.videoSSRC, 96, 11, payload: [], padding: 200), at: Receiving.ms(1))
    #expect(padding.map(\.payload) == [[]])
    let probe = Receiving.packet(Receiving.rtxSSRC, 97, 1, payload: [], padding: 100)
    #expect(receiver.feed(probe, at: Receiving.ms(2)).isEmpty)
    _ = receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, 12), at: Receiving.ms(3))
    let said = receiver.feedback(from: .zero, until: Receiving.ms(90))
    #expect(said.isEmpty)
    #expect(receiver.statistics(MID(rawValue: "v"))?.bytesReceived == 8)
    #expect(receiver.drops.total == 0)
  }

  // MARK: Redundant audio (RFC 2198)

  @Test func redundancyFillsGapsInOrderAndOnce() {
    var receiver = MediaReceiver([Receiving.audio(nack: true)])
    func packet(_ number: Int) -> [UInt8] {
      Receiving.packet(
        Receiving.audioSSRC, 63, number, timestamp: UInt32(number) * 960,
        payload: Receiving.redundant(
          [(1_920, [UInt8(number - 2)]), (960, [UInt8(number - 1)])], [UInt8(number), 0]))
    }
    #expect(receiver.feed(packet(20), at: .zero).map(\.payload) == [[20, 0]])
    let after = receiver.feed(packet(23), at: Receiving.ms(60))
    #expect(after.map(\.payload) == [[21], [22], [23, 0]])
    #expect(after.map(\.packet.isRetransmission) == [true, true, false])
    let times: [UInt32] = after.map(\.packet.timestamp.rawValue)
    #expect(times == [20_160, 21_120, 22_080])
    #expect(after[1].packet.sequence == after[0].packet.sequence + 1)
    #expect(after.allSatisfy { $0.packet.codec == .opus })
    // The late original brings nothing new, and nobody asks for it.
    #expect(receiver.feed(packet(22), at: Receiving.ms(61)).isEmpty)
    #expect(receiver.feedback(from: Receiving.ms(61), until: Receiving.ms(95)).isEmpty)
    let statistics = receiver.statistics(MID(rawValue: "a"))
    #expect(statistics?.fecPacketsReceived == 4)
    #expect(statistics?.fecPacketsDiscarded == 2)
  }

  @Test func redundancyThatContradictsTheOrderOfTimeIsNotUsed() {
    var receiver = MediaReceiver([Receiving.audio()])
    _ = receiver.feed(Receiving.packet(Receiving.audioSSRC, 111, 1, timestamp: 9_600), at: .zero)
    // Number 2 is missing, but the copy is as old as packet 1.
    let late = Receiving.packet(
      Receiving.audioSSRC, 63, 3, timestamp: 11_520, payload: Receiving.redundant([(1_920, [1])], [3]))
    #expect(receiver.feed(late, at: Receiving.ms(40)).map(\.payload) == [[3]])
  }

  @Test func brokenRedundancyIsCounted() {
    var receiver = MediaReceiver([Receiving.audio()])
    #expect(receiver.feed(Receiving.packet(Receiving.audioSSRC, 63, 1, payload: [0x80 | 111, 0]), at: .zero).isEmpty)
    #expect(receiver.drops.malformed == 1)
    // A block of a payload type that nobody negotiated, before one that is good.
    let strange = Receiving.packet(
      Receiving.audioSSRC, 63, 2, payload: [0x80 | 99, 0x0F, 0, 1, 111, 55, 66])
    #expect(receiver.feed(strange, at: .zero).map(\.payload) == [[66]])
  }

  // MARK: Numbers

  /// RFC 3550 appendix A.1.
  @Test func numbersGoOnOverTheWrapAndAfterARestart() {
    var receiver = MediaReceiver([Receiving.audio()])
    var sequences: [Int64] = []
    for number in [65_534, 65_535, 0, 1] {
      sequences += receiver.feed(Receiving.packet(Receiving.audioSSRC, 111, number), at: .zero).map(\.packet.sequence)
    }
    let first = sequences[0]
    #expect(sequences == [first, first + 1, first + 2, first + 3])
    // A sender that starts again far behind is believed at its second packet, and continues above.
    #expect(receiver.feed(Receiving.packet(Receiving.audioSSRC, 111, 40_000), at: .zero).isEmpty)
    let again = receiver.feed(Receiving.packet(Receiving.audioSSRC, 111, 40_001), at: .zero)
    #expect((again.first?.packet.sequence ?? 0) > sequences[3])
    #expect((again.first?.packet.sequence ?? 0) & 0xFFFF == 40_001)
  }

  @Test func theWindowKnowsWhatCame() {
    var random = SeededRandom(seed: TestSeed.of(11))
    var window = SequenceWindow()
    var seen: Set<Int64> = []
    var newest: Int64 = 70_000
    #expect(window.insert(SequenceNumber(rawValue: UInt16(truncatingIfNeeded: newest)), isRepair: false) != .duplicate)
    let base = window.highest - newest
    seen.insert(newest)
    for round in 0..<20_000 {
      let number = newest + Int64(random.below(40)) - 20 - (random.chance(0.05) ? Int64(random.below(990)) : 0)
      let jump = random.chance(0.01) ? Int64(random.below(3_000)) : 0
      let wanted = number + jump
      let isOld = wanted <= newest - SequenceWindow.size
      let place = window.insert(SequenceNumber(rawValue: UInt16(truncatingIfNeeded: wanted)), isRepair: true)
      if isOld || wanted - newest >= SequenceWindow.size {
        #expect(place == .tooOld, "round \(round), seed 11")
      } else if seen.contains(wanted) {
        #expect(place == .duplicate, "round \(round), seed 11")
      } else {
        #expect(place == .new(wanted + base), "round \(round), seed 11")
        seen.insert(wanted)
        newest = max(newest, wanted)
      }
    }
  }

  // MARK: Negotiation

  @Test func streamsThatStayKeepTheirStateAndOthersAreForgotten() {
    var receiver = MediaReceiver([Receiving.audio(), Receiving.video()])
    let first = receiver.feed(Receiving.packet(Receiving.audioSSRC, 111, 7), at: .zero)
    _ = receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, 7), at: .zero)
    receiver.update(media: [Receiving.audio()])
    #expect(receiver.feed(Receiving.packet(Receiving.audioSSRC, 111, 7), at: .zero).isEmpty)
    let next = receiver.feed(Receiving.packet(Receiving.audioSSRC, 111, 8), at: .zero)
    #expect(next.first?.packet.sequence == first[0].packet.sequence + 1)
    #expect(receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, 8), at: .zero).isEmpty)
    #expect(receiver.statistics().map(\.mid) == [MID(rawValue: "a")])
    // An answer that gives the section another source ends the old stream.
    var moved = Receiving.audio()
    moved.remoteSources = [NegotiatedSource(ssrc: SSRC(rawValue: 1))]
    receiver.update(media: [moved])
    #expect(receiver.feed(Receiving.packet(Receiving.audioSSRC, 111, 9), at: .zero).isEmpty)
    #expect(receiver.feed(Receiving.packet(SSRC(rawValue: 1), 111, 9), at: .zero).count == 1)
  }

  @Test func statisticsCountPayloadAndHeadersApart() throws {
    var receiver = MediaReceiver([Receiving.audio()])
    let packet = Receiving.packet(Receiving.audioSSRC, 111, 7, payload: [1, 2, 3], mid: "a", padding: 4)
    _ = receiver.feed(packet, at: Receiving.ms(9))
    let statistics = try #require(receiver.statistics(MID(rawValue: "a")))
    #expect(statistics.bytesReceived == 3)
    #expect(statistics.headerBytesReceived == UInt64(packet.count - 3))
    #expect(statistics.packetsReceived == 1)
    #expect(statistics.lastPacketReceived == Receiving.ms(9))
    #expect(statistics.codec == .opus)
  }
}
