import Basics
import NetworkEmulator
import TestSeeds
import Testing

@testable import RTC

@Suite("Media sender", .tellsSeeds)
struct MediaSenderTests {
  private let video = TestMedia.videoMID
  private let audio = TestMedia.audioMID

  private func link(_ kilobits: Int64? = 5_000, loss: LossModel = .none) -> LinkConditions {
    LinkConditions(loss: loss, delay: .milliseconds(20), capacity: kilobits.map { .kilobits($0) })
  }

  /// A sender without network, and what it sends.
  private struct Bench {
    var sender: MediaSender
    let srtp: SRTPSender
    var now = Instant.milliseconds(1_000)
    var packets: [[UInt8]] = []

    init(_ media: [NegotiatedMedia], configuration: MediaSenderConfiguration = .init(probes: false)) throws {
      sender = MediaSender(configuration: configuration, random: SeededRandom(seed: 9))
      sender.update(media: media, cname: "me")
      srtp = try SRTPSender(.insecureNullForSimulation())
    }

    mutating func frame(_ mid: MID, rid: RID? = nil, size: Int, keyframe: Bool = false, kind: MediaKind = .video) {
      sender.send(
        EncodedFrame(
          codec: kind == .video ? .vp8 : .opus, data: [UInt8](repeating: 1, count: size),
          timestamp: RTPTimestamp(rawValue: 90), isKeyframe: keyframe, audioLevel: kind == .audio ? 20 : nil, time: now),
        mid: mid, rid: rid, now: now)
    }

    /// Lets time pass in steps of a millisecond.
    mutating func run(_ milliseconds: Int64) {
      for _ in 0..<milliseconds {
        if sender.deadline <= now { sender.handleTimeout(now: now) }
        transmit()
        now = now + .milliseconds(1)
      }
    }

    mutating func transmit() {
      sender.transmit(now: now, to: srtp) { packet in packets.append(packet.indices.map { packet[$0] }) }
    }

    mutating func receive(_ write: (inout RTCPWriter, inout MutableSpan<UInt8>) throws -> Void) rethrows {
      var buffer = [UInt8](repeating: 0, count: 1_400)
      var writer = RTCPWriter()
      var span = buffer.mutableSpan
      try write(&writer, &span)
      let bytes = Array(buffer[..<writer.length])
      var reader = RTCPReader()
      while let message = try? reader.next(in: bytes.span) { sender.receive(message, in: bytes.span, now: now) }
    }

    mutating func events() -> [MediaSenderEvent] {
      var out: [MediaSenderEvent] = []
      while let event = sender.pollEvent() { out.append(event) }
      return out
    }

    func headers() -> [RTPHeader] { packets.compactMap { try? RTPHeader.parse($0.span) } }
  }

  @Test("a frame becomes ordered packets with every extension, within the size")
  func packets() throws {
    var bench = try Bench([TestMedia.audio(), TestMedia.video()])
    bench.frame(audio, size: 80, kind: .audio)
    bench.frame(video, size: 9_000, keyframe: true)
    bench.run(600)
    let headers = bench.headers()
    #expect(headers[0].payloadType.rawValue == 111)
    let pictures = headers.filter { $0.payloadType.rawValue == 96 }
    #expect(pictures.count >= 8)
    #expect(pictures.map(\.marker) == Array(repeating: false, count: pictures.count - 1) + [true])
    for (index, packet) in bench.packets.enumerated() {
      let header = headers[index]
      #expect(packet.count <= 1_200 - 16)
      let mid = header.element(id: 4, in: packet.span).flatMap { HeaderExtensionText(packet.span, at: $0)?.text }
      #expect(mid == (header.payloadType.rawValue == 111 ? "0" : "1"))
      let number = header.element(id: 3, in: packet.span).flatMap { TransportSequenceNumber.parse(packet.span, at: $0) }
      let first = bench.packets[0]
      let start = headers[0].element(id: 3, in: first.span).flatMap {
        TransportSequenceNumber.parse(first.span, at: $0)
      }
      #expect(number == start?.advanced(by: index))
      let sendTime = header.element(id: 2, in: packet.span)
      #expect(sendTime?.count == 3)
    }
    let sound = bench.packets[0]
    let level = headers[0].element(id: 1, in: sound.span).flatMap { AudioLevel(sound.span, at: $0) }
    #expect(level?.decibelsBelowFullScale == 20)
    let statistics = bench.sender.statistics()
    #expect(statistics[1].framesSent == 1 && statistics[1].keyFramesSent == 1)
    #expect(statistics[1].packetsSent == UInt64(pictures.count))
  }

  @Test("a frame of a foreign codec is dropped and counted, unknown streams ignored")
  func unknownCodec() throws {
    var bench = try Bench([TestMedia.video()])
    bench.sender.send(
      EncodedFrame(codec: .av1, data: [1, 2, 3], timestamp: RTPTimestamp(rawValue: 0)), mid: video, now: bench.now)
    bench.frame(MID(rawValue: "7"), size: 100)
    bench.run(10)
    #expect(bench.packets.isEmpty)
    #expect(bench.sender.statistics()[0].framesDropped == 1)
  }

  @Test("RFC 4588: retransmission repairs loss", arguments: [2, 5, 10])
  func retransmission(_ percent: Int) throws {
    let simulation = SendingSimulation(link(loss: .random(Double(percent) / 100)), seed: 51)
    let flow = try simulation.add([TestMedia.audio(), TestMedia.video()])
    simulation.run(.seconds(15))
    // The packets lost last are still to be asked for.
    for encoder in flow.encoders { encoder.isStopped = true }
    simulation.run(.seconds(1))
    let ssrc = SSRC(rawValue: 2_000)
    let missing = flow.receiver.missing(ssrc)
    let received = flow.receiver.streams[ssrc]?.sequences.count ?? 0
    print(
      "FIGURE retransmission at \(percent) %: \(missing) of \(received) missing for good, \(flow.receiver.recovered) recovered"
    )
    #expect(received > 500)
    #expect(flow.receiver.recovered >= received * percent / 100 / 2)
    #expect(missing * 500 <= received, "\(missing) of \(received)")
    #expect(flow.sender.statistics()[1].retransmittedPacketsSent > 0)
  }

  @Test("threat 16: a storm of NACKs costs half the sent bytes at most, and a floor")
  func nackStorm() throws {
    var bench = try Bench(
      [TestMedia.video(feedback: [.nack, .pictureLoss])],
      configuration: .init(startBitrate: .kilobits(2_000), probes: false))
    var storm: [SequenceNumber] = []
    for round in 0..<600 {
      if round % 3 == 0 { bench.frame(video, size: 8_000) }
      bench.run(11)
      bench.packets = Array(bench.packets.suffix(400))
      storm = bench.headers().filter { $0.payloadType.rawValue == 96 }.suffix(256).map(\.sequenceNumber)
      for _ in 0..<3 where !storm.isEmpty {
        bench.receive { writer, buffer in
          _ = try? writer.append(
            nack: storm.span, sender: SSRC(rawValue: 1), media: SSRC(rawValue: 2_000), into: &buffer)
        }
      }
    }
    let statistics = bench.sender.statistics()[0]
    let media = Int64(statistics.bytesSent - statistics.retransmittedBytesSent)
    let bound = media * 55 / 100 + RetransmissionBudget.capacity + 7 * RetransmissionBudget.floorPerSecond
    print(
      "FIGURE NACK storm: media \(media), retransmitted \(statistics.retransmittedBytesSent), refused \(statistics.retransmissionsRefused)"
    )
    #expect(media > 1_000_000)
    #expect(Int64(statistics.retransmittedBytesSent) <= bound)
    #expect(statistics.retransmissionsRefused > 100_000)
  }

  // A keyframe answers the storm.
  @Test("threat 16: a storm of PLI and FIR asks for four keyframes a second at most")
  func keyframeStorm() throws {
    var bench = try Bench([TestMedia.video()])
    bench.frame(video, size: 500, keyframe: true)
    bench.run(20)
    _ = bench.events()
    for round in 0..<100 {
      try bench.receive { writer, buffer in
        try writer.append(pliFor: SSRC(rawValue: 2_000), sender: SSRC(rawValue: 1), into: &buffer)
        try writer.append(
          fir: FIREntry(ssrc: SSRC(rawValue: 2_000), sequenceNumber: UInt8(round)), sender: SSRC(rawValue: 1),
          into: &buffer)
      }
      if round == 50 { bench.frame(video, size: 500, keyframe: true) }
      bench.run(10)
    }
    let requests = bench.events().filter { $0 == .keyframeRequested(video, nil) }
    // At once, and after 100, 200 and 400 ms, of which the keyframe settles one.
    #expect((2...4).contains(requests.count), "\(requests.count)")
    let statistics = bench.sender.statistics()[0]
    #expect(statistics.pliCount == 100 && statistics.firCount == 100)
  }

  @Test("simulcast: every layer has its source and RID, paused from the top")
  func simulcast() throws {
    let simulation = SendingSimulation(link(3_000), seed: 52)
    let flow = try simulation.add([TestMedia.audio(), TestMedia.video(rids: ["q", "h", "f"])])
    simulation.run(.seconds(12))
    #expect(Set(flow.receiver.streams.values.compactMap(\.rid)) == ["q", "h", "f"])
    #expect(flow.encoders.allSatisfy { $0.bitrate > 0 })
    simulation.forward.change(capacity: .kilobits(700), now: simulation.now)
    simulation.run(.seconds(10))
    #expect(flow.encoder(video, RID(rawValue: "f"))?.bitrate == 0)
    #expect((flow.encoder(video, RID(rawValue: "q"))?.bitrate ?? 0) > 0)
    #expect((flow.encoder(audio)?.bitrate ?? 0) >= 16_000)
    simulation.forward.change(capacity: .kilobits(150), now: simulation.now)
    simulation.run(.seconds(10))
    #expect(flow.encoder(video, RID(rawValue: "h"))?.bitrate == 0)
    #expect((flow.encoder(video, RID(rawValue: "q"))?.bitrate ?? 0) > 0)
    #expect(flow.largestPacket <= 1_200)
  }

  // They measure the round trip.
  @Test("sender reports tie capture time to timestamp (RFC 3550 6.4.1)")
  func senderReports() throws {
    let simulation = SendingSimulation(link(), seed: 53)
    let flow = try simulation.add([TestMedia.audio(), TestMedia.video()])
    simulation.run(.seconds(5))
    #expect(flow.receiver.senderReports.count >= 8)
    let pictures = flow.receiver.senderReports.filter { $0.info.ssrc.rawValue == 2_000 }
    for (first, second) in zip(pictures, pictures.dropFirst()) {
      let ticks = Int64(second.info.rtpTimestamp.rawValue &- first.info.rtpTimestamp.rawValue)
      let time = (second.info.ntp - first.info.ntp).nanoseconds
      #expect(abs(ticks - time * 90_000 / 1_000_000_000) < 200)
    }
    let roundTrip = try #require(flow.sender.statistics()[1].remote?.roundTripTime)
    #expect((15...60).contains(roundTrip.milliseconds), "\(roundTrip)")
    let smoothed = try #require(flow.sender.roundTripTime)
    #expect((30...120).contains(smoothed.milliseconds), "\(smoothed)")
  }

  // With the next report.
  @Test("a reference time is answered once, with its age (RFC 3611 4.5)")
  func referenceTime() throws {
    var bench = try Bench([TestMedia.audio()])
    bench.frame(audio, size: 80, kind: .audio)
    bench.run(5)
    let asked = bench.now
    try bench.receive { writer, span in
      try writer.append(referenceTime: NTPTime(rawValue: 0x1234_5678_9ABC_DEF0), of: ssrc(7), into: &span)
    }
    var answers: [(ReferenceDelay, Instant)] = []
    for _ in 0..<40 {
      bench.frame(audio, size: 80, kind: .audio)
      bench.run(100)
      var buffer = [UInt8](repeating: 0, count: 1_200)
      var span = buffer.mutableSpan
      let clock = NTPClock(instant: .zero, time: NTPTime(rawValue: 1 << 40))
      guard let length = bench.sender.makeReports(now: bench.now, clock: clock, into: &span) else { continue }
      let bytes = Array(buffer[..<length])
      for case .extendedReport(let report) in readAll(bytes).messages {
        report.delay(of: ssrc(7), in: bytes.span).map { answers.append(($0, bench.now)) }
      }
    }
    try #require(answers.count == 1)
    let (answer, at) = answers[0]
    #expect(answer.lastReference == 0x5678_9ABC)
    let waited = (at - asked).nanoseconds * 65_536 / 1_000_000_000
    #expect(abs(Int64(answer.delaySinceLastReference) - waited) <= 1)
  }

  @Test("RFC 3550 section 6.6: closing, and a stream that is gone, end with a BYE")
  func goodbye() throws {
    var bench = try Bench([TestMedia.audio(), TestMedia.video()])
    bench.frame(audio, size: 80, kind: .audio)
    bench.frame(video, size: 500, keyframe: true)
    bench.run(5)
    bench.sender.update(media: [TestMedia.audio()], cname: "me")
    var goodbyes: [SSRC] = []
    func collect() {
      var buffer = [UInt8](repeating: 0, count: 1_200)
      for _ in 0..<4 {
        var span = buffer.mutableSpan
        let clock = NTPClock(instant: .zero, time: NTPTime(rawValue: 1 << 40))
        guard let length = bench.sender.makeReports(now: bench.now, clock: clock, into: &span) else { break }
        let bytes = Array(buffer[..<length])
        var reader = RTCPReader()
        while let message = try? reader.next(in: bytes.span) {
          if case .bye(let bye) = message {
            goodbyes += (0..<bye.count).compactMap { bye.ssrc(at: $0, in: bytes.span) }
          }
        }
      }
    }
    collect()
    #expect(goodbyes == [SSRC(rawValue: 2_000)])
    bench.sender.close()
    collect()
    #expect(goodbyes == [SSRC(rawValue: 2_000), SSRC(rawValue: 1_000)])
    #expect(bench.sender.deadline == .distantFuture || bench.sender.deadline > bench.now)
  }

  @Test("a large keyframe is spread over time and audio does not wait behind it")
  func keyframeBurst() throws {
    var bench = try Bench(
      [TestMedia.audio(), TestMedia.video()], configuration: .init(startBitrate: .kilobits(1_000), probes: false))
    bench.frame(video, size: 60_000, keyframe: true)
    bench.run(10)
    let before = bench.packets.count
    #expect(before <= 6, "\(before)")
    bench.frame(audio, size: 100, kind: .audio)
    let waiting = bench.packets.count
    bench.transmit()
    #expect(bench.headers()[waiting].payloadType.rawValue == 111)
    bench.run(600)
    #expect(bench.packets.count >= 52)
    #expect(bench.sender.queuedBytes == 0)
  }

  @Test("threat 15: 20,000 damaged RTCP packets never trap or break the budget")
  func hostileRTCP() throws {
    var random = SeededRandom(seed: TestSeed.of(54))
    var bench = try Bench([TestMedia.audio(), TestMedia.video(rids: ["q", "h"])])
    var corpus: [[UInt8]] = []
    let sources = bench.sender.statistics().map(\.ssrc)
    for ssrc in sources {
      for kind in 0..<4 {
        var buffer = [UInt8](repeating: 0, count: 400)
        var writer = RTCPWriter()
        var span = buffer.mutableSpan
        switch kind {
        case 0:
          let numbers = (0..<40).map { SequenceNumber(rawValue: UInt16($0 * 3)) }
          _ = try writer.append(nack: numbers.span, sender: SSRC(rawValue: 1), media: ssrc, into: &span)
        case 1: try writer.append(pliFor: ssrc, sender: SSRC(rawValue: 1), into: &span)
        case 2: try writer.append(remb: .kilobits(500), ssrcs: [ssrc].span, sender: SSRC(rawValue: 1), into: &span)
        default:
          let block = ReportBlock(
            ssrc: ssrc, fractionLost: 20, cumulativeLost: -5, extendedHighestSequence: 70_000, jitter: .max,
            lastSenderReport: 1, delaySinceLastSenderReport: .max)
          try writer.append(receiverReportFrom: SSRC(rawValue: 1), blocks: [block].span, into: &span)
        }
        corpus.append(Array(buffer[..<writer.length]))
      }
    }
    for round in 0..<20_000 {
      if round % 20 == 0 { bench.frame(video, rid: RID(rawValue: "q"), size: 900) }
      let bytes = random.mutate(random.pick(corpus))
      var reader = RTCPReader()
      while let message = try? reader.next(in: bytes.span) {
        bench.sender.receive(message, in: bytes.span, now: bench.now)
      }
      bench.run(1)
      _ = bench.events()
      bench.packets.removeAll(keepingCapacity: true)
    }
    let configuration = bench.sender.configuration
    #expect((configuration.minimumBitrate...configuration.maximumBitrate).contains(bench.sender.targetBitrate))
    let statistics = bench.sender.statistics()[1]
    #expect(statistics.retransmittedBytesSent <= statistics.bytesSent / 2 + 400_000)
  }

  @Test("without transport-wide feedback the receiver's estimate and loss count")
  func fallBack() throws {
    let feedback: FeedbackMechanisms = [.nack, .pictureLoss, .remb]
    var bench = try Bench([TestMedia.video(feedback: feedback)])
    try bench.receive { writer, buffer in
      try writer.append(
        remb: .kilobits(900), ssrcs: [SSRC(rawValue: 2_000)].span, sender: SSRC(rawValue: 1), into: &buffer)
    }
    #expect(bench.sender.targetBitrate == .kilobits(900))
    #expect(bench.events().contains(.targetChanged(.kilobits(900))))
    bench.frame(video, size: 500, keyframe: true)
    bench.run(10)
    for second in UInt32(1)..<8 {
      try bench.receive { writer, buffer in
        let block = ReportBlock(
          ssrc: SSRC(rawValue: 2_000), fractionLost: 100, cumulativeLost: Int32(second) * 40,
          extendedHighestSequence: second * 100, jitter: 0, lastSenderReport: 0, delaySinceLastSenderReport: 0)
        try writer.append(receiverReportFrom: SSRC(rawValue: 1), blocks: [block].span, into: &buffer)
      }
      bench.run(1_000)
    }
    #expect(bench.sender.targetBitrate < .kilobits(600))
  }

  @Test("video gets its full size after a while of enough, also at a steady rate")
  func fullSize() throws {
    let simulation = SendingSimulation(link(nil), seed: 55)
    let flow = try simulation.add([TestMedia.video()])
    simulation.run(.seconds(4))
    let allocation = try #require(flow.encoder(video)?.allocation)
    #expect(allocation.scaleDown == 1)
    #expect(allocation.framerate == 30)
  }

  @Test("streams keep their numbers and sources over another answer")
  func renegotiation() throws {
    var bench = try Bench([TestMedia.audio(), TestMedia.video()])
    for _ in 0..<3 { bench.frame(video, size: 500, keyframe: true) }
    bench.run(50)
    bench.sender.update(media: [TestMedia.video(), TestMedia.audio()], cname: "me")
    bench.frame(video, size: 500)
    bench.run(50)
    let numbers = bench.headers().filter { $0.ssrc.rawValue == 2_000 }.map(\.sequenceNumber)
    #expect(numbers.count == 4)
    for (first, second) in zip(numbers, numbers.dropFirst()) { #expect(second == first.advanced(by: 1)) }
  }
}
