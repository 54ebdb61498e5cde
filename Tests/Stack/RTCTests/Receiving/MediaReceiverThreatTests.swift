import Basics
import TestSeeds
import Testing

@testable import RTC

@Suite(.tellsSeeds) struct MediaReceiverThreatTests {
  /// Threat 11 of `docs/threats.md`: a peer that uses ever new SSRCs costs neither memory nor the streams that are
  /// there.
  @Test func aFloodOfSourcesIsBounded() {
    var receiver = MediaReceiver([Receiving.audio(), Receiving.video()])
    #expect(receiver.feed(Receiving.packet(Receiving.audioSSRC, 111, 1), at: .zero).count == 1)
    var delivered = 0
    for index in 0..<50_000 {
      let ssrc = SSRC(rawValue: UInt32(0x1000_0000 + index))
      let now = Instant(nanoseconds: Int64(index) * 20_000)
      let mid: String? = index % 3 == 0 ? nil : index % 3 == 1 ? "v" : "nobody"
      delivered += receiver.feed(Receiving.packet(ssrc, index % 2 == 0 ? 96 : 97, 1, mid: mid), at: now).count
      #expect(receiver.sources.count <= 4)
    }
    // One replacement a second at most.
    #expect(delivered <= 2)
    #expect(receiver.drops.total >= 30_000)
    let next = receiver.feed(Receiving.packet(Receiving.audioSSRC, 111, 2), at: Receiving.ms(2_000))
    #expect(next.count == 1)
    #expect(receiver.ssrc(MID(rawValue: "a")) == Receiving.audioSSRC)
  }

  @Test func announcedSourcesStopAtTheLimit() {
    var configuration = MediaReceiverConfiguration()
    configuration.maximumSources = 16
    let codec = NegotiatedCodec(
      payloadType: PayloadType(rawValue: 96), codec: .vp8, rtxPayloadType: PayloadType(rawValue: 97))
    let media = (0..<200).map { (index: Int) -> NegotiatedMedia in
      let number = UInt32(index) * 2
      let source = NegotiatedSource(ssrc: SSRC(rawValue: number + 1), rtxSSRC: SSRC(rawValue: number + 2))
      return Receiving.section("m\(index)", .video, [codec], sources: [source])
    }
    let receiver = MediaReceiver(media, configuration: configuration)
    #expect(receiver.sources.count == 16)
    #expect(receiver.sections.count == 16)
  }

  /// Threats 14, 15 and 17 of `docs/threats.md`: damaged packets of every shape, damaged reports, in any order.
  @Test(arguments: [1, 2, 3] as [UInt64]) func damagedInputNeitherTrapsNorGrows(seed: UInt64) throws {
    var random = SeededRandom(seed: TestSeed.of(seed))
    var receiver = MediaReceiver([
      Receiving.audio(announced: seed != 2, nack: true), Receiving.video(announced: seed != 2, reduced: seed == 1),
    ])
    var reports: [[UInt8]] = []
    var buffer = [UInt8](repeating: 0, count: 200)
    var writer = RTCPWriter()
    var span = buffer.mutableSpan
    let info = SenderInfo(
      ssrc: Receiving.audioSSRC, ntp: NTPTime(rawValue: 1), rtpTimestamp: RTPTimestamp(rawValue: 2), packetCount: 3,
      octetCount: 4)
    try writer.append(senderReport: info, into: &span)
    try writer.append(byeFor: [Receiving.audioSSRC, Receiving.videoSSRC].span, into: &span)
    reports.append(Array(buffer[0..<writer.length]))
    var now = Instant.zero
    var delivered = 0
    for round in 0..<20_000 {
      let number = round + random.below(50) - 25
      let packets = [
        Receiving.packet(
          Receiving.audioSSRC, 63, number, timestamp: UInt32(truncatingIfNeeded: number * 960),
          payload: Receiving.redundant([(960, [1, 2]), (480, [3])], [4]), mid: "a", level: 9,
          transport: UInt16(truncatingIfNeeded: round)),
        Receiving.packet(
          Receiving.videoSSRC, 96, number, payload: Receiving.keyframe, mid: "v",
          transport: UInt16(truncatingIfNeeded: round),
          descriptor: [1, 2, 3]),
        Receiving.retransmission(number & 0xFFFF, under: round, payload: [1, 2, 3]),
      ]
      let packet = random.pick(packets)
      for delivery in receiver.feed(random.chance(0.3) ? packet : random.mutate(packet), at: now) {
        #expect(delivery.payload.count <= packet.count + 300)
        #expect(delivery.packet.codec != .red && delivery.packet.codec != .rtx)
        delivered += 1
      }
      if round % 7 == 0 { try? receiver.feed(reports: random.mutate(random.pick(reports)), at: now) }
      if round % 5 == 0 { receiver.requestKeyframe(MID(rawValue: "v"), now: now) }
      if receiver.deadline <= now {
        let said = receiver.feedback(at: now)
        #expect(said.count < 20, "round \(round), seed \(seed)")
        for datagram in said { _ = try Said.read(datagram) }
      }
      while receiver.pollEvent() != nil {}
      #expect(receiver.sources.count <= 4, "round \(round), seed \(seed)")
      now = now + .microseconds(Int64(random.below(5_000)))
    }
    #expect(delivered > 3_000)
  }
}
