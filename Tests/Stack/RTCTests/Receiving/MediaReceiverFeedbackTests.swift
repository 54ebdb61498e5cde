import Basics
import Testing

@testable import RTC

@Suite struct MediaReceiverFeedbackTests {
  private static let clock = NTPTime(rawValue: 0xE000_0000_8000_0000)

  private static func info(_ ssrc: SSRC, timestamp: UInt32 = 0, packets: UInt32 = 5) -> SenderInfo {
    SenderInfo(
      ssrc: ssrc, ntp: clock, rtpTimestamp: RTPTimestamp(rawValue: timestamp), packetCount: packets, octetCount: 500)
  }

  /// RFC 4585 section 6.2.1, RFC 5506.
  @Test func lostPacketsAreAskedForWhereThatWasAgreedOn() throws {
    var receiver = MediaReceiver([Receiving.audio(), Receiving.video()])
    receiver.roundTripTime = .milliseconds(40)
    for number in [1, 2, 5, 6] {
      _ = receiver.feed(Receiving.packet(Receiving.audioSSRC, 111, number), at: .zero)
      _ = receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, number), at: .zero)
    }
    let datagrams = receiver.feedback(at: .zero)
    #expect(try datagrams.map { try Said.read($0) } == [[.lost([3, 4], of: Receiving.videoSSRC)]])
    // Again after a round trip, until it comes.
    let again = receiver.feedback(from: Receiving.ms(1), until: Receiving.ms(99))
    #expect(again.count == 2)
    #expect(receiver.statistics(MID(rawValue: "v"))?.nackCount == 3)
    _ = receiver.feed(Receiving.retransmission(3, under: 1, payload: [1]), at: Receiving.ms(99))
    _ = receiver.feed(Receiving.retransmission(4, under: 2, payload: [1]), at: Receiving.ms(99))
    var stillAsked = 0
    for (_, datagram) in receiver.feedback(from: Receiving.ms(100), until: Receiving.ms(2_000)) {
      for said in try Said.read(datagram) {
        if case .lost = said { stillAsked += 1 }
      }
    }
    #expect(stillAsked == 0)
  }

  /// RFC 4585 section 3.1: where reduced size was not agreed on, feedback stands behind a report and a source
  /// description.
  @Test func withoutReducedSizeFeedbackIsCompound() throws {
    var receiver = MediaReceiver([Receiving.video(reduced: false)])
    for number in [1, 3, 4] { _ = receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, number), at: .zero) }
    let datagrams = receiver.feedback(at: .zero)
    #expect(
      try datagrams.map { try Said.read($0) } == [[.report([]), .name("me"), .lost([2], of: Receiving.videoSSRC)]])
  }

  @Test func aKeyframeIsAskedForUntilItComesAndNotTooOften() throws {
    var receiver = MediaReceiver([Receiving.video()])
    _ = receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, 1, payload: Receiving.delta), at: .zero)
    for _ in 0..<50 { receiver.requestKeyframe(MID(rawValue: "v"), now: .zero) }
    #expect(try receiver.feedback(at: .zero).map { try Said.read($0) } == [[.pictureLoss(Receiving.videoSSRC)]])
    for time in stride(from: Int64(1), to: 299, by: 7) {
      receiver.requestKeyframe(MID(rawValue: "v"), now: Receiving.ms(time))
      #expect(
        try !receiver.feedback(at: Receiving.ms(time)).contains {
          try Said.read($0).contains(.pictureLoss(Receiving.videoSSRC))
        })
    }
    _ = receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, 2, payload: Receiving.delta), at: Receiving.ms(299))
    #expect(try Said.read(receiver.feedback(at: Receiving.ms(300))[0]) == [.pictureLoss(Receiving.videoSSRC)])
    _ = receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, 3, payload: Receiving.keyframe), at: Receiving.ms(350))
    let after = receiver.feedback(from: Receiving.ms(351), until: Receiving.ms(3_000))
    #expect(try !after.contains { try Said.read($0.1).contains(.pictureLoss(Receiving.videoSSRC)) })
    #expect(receiver.statistics(MID(rawValue: "v"))?.pliCount == 2)
  }

  /// RFC 5104 section 4.3.1: each new request has a number of its own.
  @Test func whereOnlyFullIntraRequestsWereAgreedOnTheyAreSent() throws {
    var receiver = MediaReceiver([Receiving.video(feedback: [.fullIntraRequest])])
    receiver.requestKeyframe(MID(rawValue: "v"), now: .zero)
    #expect(try Said.read(receiver.feedback(at: .zero)[0]) == [.fullIntra(Receiving.videoSSRC, 1)])
    #expect(try Said.read(receiver.feedback(at: Receiving.ms(300))[0]) == [.fullIntra(Receiving.videoSSRC, 2)])
  }

  @Test func aKeyframeWantedBeforeTheStreamIsKnownIsAskedForWhenItIs() throws {
    var receiver = MediaReceiver([Receiving.video(announced: false)])
    receiver.requestKeyframe(MID(rawValue: "v"), now: .zero)
    #expect(receiver.feedback(at: .zero).isEmpty)
    _ = receiver.feed(
      Receiving.packet(SSRC(rawValue: 3), 96, 1, payload: Receiving.delta, mid: "v"), at: Receiving.ms(5))
    #expect(try Said.read(receiver.feedback(at: Receiving.ms(5))[0]) == [.pictureLoss(SSRC(rawValue: 3))])
  }

  @Test func whenTooMuchIsMissingAKeyframeIsAskedForInstead() throws {
    var receiver = MediaReceiver([Receiving.video()])
    _ = receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, 1, payload: Receiving.delta), at: .zero)
    _ = receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, 5_000, payload: Receiving.delta), at: .zero)
    #expect(try receiver.feedback(at: .zero).map { try Said.read($0) } == [[.pictureLoss(Receiving.videoSSRC)]])
  }

  /// RFC 3550 sections 6.4.1 and A.3.
  @Test func reportBlocksSayWhatWasReceived() throws {
    var receiver = MediaReceiver([Receiving.audio()])
    for number in 65_530..<65_550 where number != 65_540 && number != 65_541 {
      _ = receiver.feed(
        Receiving.packet(Receiving.audioSSRC, 111, number, timestamp: UInt32(number) * 960),
        at: Receiving.ms(Int64(number - 65_530) * 20))
    }
    try receiver.feed(report: Self.info(Receiving.audioSSRC), at: Receiving.ms(400))
    let said = try Said.read(#require(receiver.feedback(at: Receiving.ms(900)).first))
    guard case .report(let blocks) = said.first, let block = blocks.first else {
      Issue.record("no report block in \(said)")
      return
    }
    #expect(said.dropFirst().first == .name("me"))
    #expect(block.ssrc == Receiving.audioSSRC)
    #expect(block.cumulativeLost == 2)
    #expect(block.fractionLost == 25)
    #expect(block.extendedHighestSequence == 65_549)
    #expect(block.jitter == 0)
    #expect(block.lastSenderReport == Self.clock.middle32)
    #expect(block.delaySinceLastSenderReport == 32_768)
    // The next one is due after the interval, not before.
    #expect(receiver.feedback(from: Receiving.ms(901), until: Receiving.ms(1_899)).isEmpty)
    #expect(receiver.feedback(at: Receiving.ms(1_900)).count == 1)
  }

  @Test func everyStreamIsReportedOnceHoweverManyThereAre() throws {
    let codec = NegotiatedCodec(payloadType: PayloadType(rawValue: 111), codec: .opus)
    let sources = (0..<70).map { (index: Int) -> SSRC in SSRC(rawValue: 1_000 + UInt32(index)) }
    let media = sources.map { (ssrc: SSRC) -> NegotiatedMedia in
      Receiving.section("m\(ssrc)", .audio, [codec], sources: [NegotiatedSource(ssrc: ssrc)])
    }
    var receiver = MediaReceiver(media)
    for ssrc in sources { _ = receiver.feed(Receiving.packet(ssrc, 111, 1), at: .zero) }
    for size in [1_150, 400] {
      let now = size == 1_150 ? Receiving.ms(100) : Receiving.ms(1_100)
      var reported: [SSRC] = []
      for datagram in receiver.feedback(at: now, size: size) {
        #expect(datagram.count <= size)
        guard case .report(let blocks) = try Said.read(datagram).first else { continue }
        #expect(blocks.count <= 31)
        reported += blocks.map(\.ssrc)
      }
      #expect(reported == sources)
    }
  }

  /// Retransmissions and padding pass the same bottleneck, so they are reported too.
  @Test func transportFeedbackIsAboutEveryPacket() throws {
    var receiver = MediaReceiver([Receiving.audio(), Receiving.video()])
    _ = receiver.feed(Receiving.packet(Receiving.audioSSRC, 111, 1, transport: 100), at: .zero)
    _ = receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, 1, transport: 101), at: Receiving.ms(1))
    _ = receiver.feed(
      Receiving.packet(Receiving.videoSSRC, 96, 2, payload: [], transport: 103, padding: 50), at: Receiving.ms(2))
    _ = receiver.feed(Receiving.retransmission(0, under: 1, payload: [1], transport: 104), at: Receiving.ms(3))
    // Of a source that nobody knows, it has arrived all the same.
    _ = receiver.feed(Receiving.packet(SSRC(rawValue: 77), 20, 1, transport: 105), at: Receiving.ms(4))
    #expect(receiver.deadline == Receiving.ms(50))
    let said = try receiver.feedback(at: Receiving.ms(50)).flatMap { try Said.read($0) }
    #expect(said == [.arrivals([100, 101, 103, 104, 105])])
    #expect(receiver.feedback(at: Receiving.ms(51)).isEmpty)
  }

  @Test func senderReportsTieMediaTimeToWallClock() throws {
    var receiver = MediaReceiver([Receiving.audio()])
    #expect(receiver.senderReportMapping(Receiving.audioSSRC) == nil)
    try receiver.feed(report: Self.info(Receiving.audioSSRC, timestamp: 48_000), at: Receiving.ms(10))
    let mapping = try #require(receiver.senderReportMapping(Receiving.audioSSRC))
    #expect(mapping.ntpTime(of: RTPTimestamp(rawValue: 96_000)) - Self.clock == .seconds(1))
    try receiver.feed(report: Self.info(Receiving.audioSSRC, timestamp: 96_000, packets: 9), at: Receiving.ms(1_010))
    _ = receiver.feed(Receiving.packet(Receiving.audioSSRC, 111, 1), at: Receiving.ms(1_010))
    let remote = receiver.statistics(MID(rawValue: "a"))?.remote
    #expect(remote?.packetsSent == 9)
    #expect(remote?.reportsSent == 2)
    #expect(remote?.localTimestamp == Receiving.ms(1_010))
    // Another publication in the slot has another time line.
    receiver.reset(MID(rawValue: "a"))
    #expect(receiver.senderReportMapping(Receiving.audioSSRC) == nil)
  }

  /// RFC 3550 section 6.6.
  @Test func aGoodbyeIsAnEventAndEndsRequests() throws {
    var receiver = MediaReceiver([Receiving.video()])
    for number in [1, 5] { _ = receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, number), at: .zero) }
    receiver.requestKeyframe(MID(rawValue: "v"), now: .zero)
    _ = receiver.pollEvent()
    var buffer = [UInt8](repeating: 0, count: 100)
    var writer = RTCPWriter()
    var span = buffer.mutableSpan
    try writer.append(byeFor: [Receiving.videoSSRC, SSRC(rawValue: 12)].span, into: &span)
    try receiver.feed(reports: Array(buffer[0..<writer.length]), at: .zero)
    #expect(receiver.pollEvent() == .ended(MID(rawValue: "v"), Receiving.videoSSRC))
    #expect(receiver.pollEvent() == nil)
    #expect(receiver.feedback(at: .zero).isEmpty)
  }

  @Test func aSlotThatCarriesAnotherPublicationAsksForNothingOfTheOldOne() {
    var receiver = MediaReceiver([Receiving.video()])
    for number in [1, 9, 10] { _ = receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, number), at: .zero) }
    receiver.requestKeyframe(MID(rawValue: "v"), now: .zero)
    receiver.reset(MID(rawValue: "v"))
    #expect(receiver.feedback(at: .zero).isEmpty)
    #expect(receiver.feed(Receiving.packet(Receiving.videoSSRC, 96, 11), at: Receiving.ms(20)).count == 1)
  }

  @Test func aBufferThatIsTooSmallTakesNothing() {
    var receiver = MediaReceiver([Receiving.video()])
    receiver.requestKeyframe(MID(rawValue: "v"), now: .zero)
    #expect(receiver.feedback(at: .zero, size: 30).isEmpty)
    #expect(receiver.feedback(at: .zero).count == 1)
  }
}
