import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Forwarding", .tellsSeeds)
struct ForwardingTests {
  @Test("a receiver gets every packet under its slot's SSRC, payload type and identifiers")
  func forwards() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000, announce: true)
    let slot = ben.slot("7", .video, ssrc: 5_000, base: 40)
    #expect(meeting.router.attach(camera.publication, to: slot))
    camera.start()
    meeting.run(for: .seconds(2))

    let stream = try #require(ben.streams[5_000])
    #expect(stream.packets.count == camera.packetsSent || stream.packets.count >= camera.packetsSent - 8)
    #expect(stream.missing == 0)
    #expect(stream.duplicates == 0)
    let header = try #require(stream.firstHeader)
    #expect(header.payloadType.rawValue == 40)
    #expect(header.sequenceNumber.rawValue < 32_768)
    #expect(header.extensionProfile == 0xBEDE)
    #expect(stream.ordered.allSatisfy { $0.payload.count >= 1_000 && $0.payload.count <= 1_001 })
  }

  @Test("packets that arrive before anybody asks for them reach nobody")
  func noSubscriber() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    _ = ben.slot("7", .video, ssrc: 5_000)
    camera.start()
    meeting.run(for: .seconds(1))
    #expect(meeting.router.counters.packetsForwarded == 0)
    #expect(meeting.router.counters.packetsReceived > 60)
  }

  @Test("audio not listened to isn't sent, and comes back without a gap in its numbers")
  func notListened() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let cal = try meeting.join("cal")
    let microphone = ann.publish("t_1", mid: "0", .audio, ssrc: 1_000)
    let slot = ben.slot("7", .audio, ssrc: 5_000)
    for slot in [slot, cal.slot("7", .audio, ssrc: 6_000)] { meeting.router.attach(microphone.publication, to: slot) }
    microphone.start()
    meeting.run(for: .seconds(1))
    let stream = try #require(ben.streams[5_000])
    meeting.router.setWanted(width: 0, height: 0, slot, now: meeting.now)
    meeting.run(for: .milliseconds(100))
    let before = stream.packets.count
    #expect(before > 40)
    meeting.run(for: .seconds(1))
    #expect(stream.packets.count == before)
    meeting.router.setWanted(width: 65_535, height: 65_535, slot, now: meeting.now)
    meeting.run(for: .seconds(1))
    #expect(stream.packets.count > before + 40 && stream.missing == 0)
    let other = try #require(cal.streams[6_000])
    #expect(other.packets.count > 140)
  }

  @Test("a frame's packets differing by a byte leave as one padded run (RFC 3550 5.1)")
  func evensOut() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    let slot = ben.slot("7", .video, ssrc: 5_000)
    meeting.router.attach(camera.publication, to: slot)
    camera.packetsPerFrame = 6
    camera.start()
    let counter = RunCounter()
    meeting.run(for: .milliseconds(20))
    // Whole frames arrive in one tick here, so each is one run.
    camera.sendFrame(meeting.now)
    for bytes in meeting.takeUploads(of: ann) { meeting.receive(bytes, ann) }
    meeting.router.flush(now: meeting.now, batch: meeting.batch, to: counter)
    #expect(counter.runs.count == 1)
    #expect(counter.runs.first?.count == 6)
    meeting.run(for: .milliseconds(200))
    let stream = try #require(ben.streams[5_000])
    #expect(stream.ordered.allSatisfy { $0.payload.count >= 1_000 && $0.payload.count <= 1_001 })
  }

  @Test("video waits for a keyframe, asks for one, and starts with it")
  func waitsForKeyframe() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    let slot = ben.slot("7", .video, ssrc: 5_000)
    camera.start()
    meeting.run(for: .seconds(1))
    #expect(ann.keyframeRequests == 0)
    meeting.router.attach(camera.publication, to: slot)
    meeting.run(for: .seconds(1))
    let first = try #require(ben.streams[5_000]?.ordered.first)
    #expect(first.payload[5] & 1 == 0, "the first packet is no keyframe")
    #expect(ann.keyframeRequests == 1)
  }

  @Test("numbers, time and picture ids go on over a publication change (RFC 7741 4.2)")
  func sourceSwitch() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let eve = try meeting.join("eve")
    let ben = try meeting.join("ben")
    let first = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    let second = eve.publish("t_2", mid: "0", .video, ssrc: 2_000)
    second.pictureID = 9_000
    second.tl0 = 200
    second.sequence = 17
    let slot = ben.slot("7", .video, ssrc: 5_000)
    meeting.router.attach(first.publication, to: slot)
    first.start()
    second.start()
    for round in 0..<6 {
      meeting.run(for: .milliseconds(700))
      meeting.router.attach(round % 2 == 0 ? second.publication : first.publication, to: slot)
    }
    meeting.run(for: .seconds(1))

    let stream = try #require(ben.streams[5_000])
    #expect(stream.missing == 0)
    var last: VirtualReceiver.Packet?
    for packet in stream.ordered {
      if let last {
        let step = (packet.pictureID - last.pictureID) & 0x7FFF
        #expect(step == 0 || step == 1, "picture id jumped from \(last.pictureID) to \(packet.pictureID)")
        let tl0Step = (packet.tl0 - last.tl0) & 0xFF
        #expect(tl0Step == 0 || tl0Step == 1)
        let ticks = Int32(bitPattern: packet.timestamp &- last.timestamp)
        let elapsed = (packet.at - last.at).microseconds * 90 / 1_000
        #expect(ticks >= 0)
        #expect(abs(Int64(ticks) - elapsed) <= 90 * 25, "time jumped by \(ticks) ticks in \(elapsed)")
      }
      last = packet
    }
  }

  @Test("padding that probes for bandwidth is not forwarded and leaves no gap")
  func dropsPadding() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    let slot = ben.slot("7", .video, ssrc: 5_000)
    meeting.router.attach(camera.publication, to: slot)
    camera.start()
    for _ in 0..<40 {
      meeting.run(for: .milliseconds(33))
      camera.send([])
    }
    meeting.run(for: .seconds(1))
    let stream = try #require(ben.streams[5_000])
    #expect(stream.missing == 0)
    #expect(stream.packets.count > 200)
    #expect(ben.streams[5_000]?.ordered.contains { $0.payload.isEmpty } == false)
  }

  @Test("a muted publication reaches nobody; unmuting starts at a keyframe without a gap")
  func mute() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    let slot = ben.slot("7", .video, ssrc: 5_000)
    meeting.router.attach(camera.publication, to: slot)
    camera.start()
    meeting.run(for: .seconds(1))
    meeting.router.setMuted(true, camera.publication)
    meeting.run(for: .milliseconds(50))
    let before = try #require(ben.streams[5_000]).packets.count
    meeting.run(for: .seconds(2))
    #expect(ben.streams[5_000]?.packets.count == before)
    meeting.router.setMuted(false, camera.publication)
    meeting.run(for: .seconds(1))
    let stream = try #require(ben.streams[5_000])
    #expect(stream.packets.count > before + 50)
    #expect(stream.missing == 0)
    #expect(stream.ordered[before].payload[5] & 1 == 0)
  }

  @Test(
    "threat 13: numbers once around the store before sending aren't sent twice",
    arguments: [MediaKind.audio, .video])
  func storeRunAround(kind: MediaKind) throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let source = ann.publish("t_1", mid: "0", kind, ssrc: 1_000)
    let slot = ben.slot("7", kind, ssrc: 5_000)
    meeting.router.attach(source.publication, to: slot)
    source.start()
    meeting.run(for: .milliseconds(500))
    source.stop()
    meeting.run(for: .milliseconds(100))
    let stream = try #require(ben.streams[5_000])
    #expect(stream.packets.count > 8)
    let arrivals = stream.arrivals
    let type = source.media.codecs[0].payloadType
    let first = source.sequence &+ 5
    for round in 0..<3 {
      let number = first &+ UInt16(round * (kind == .audio ? 128 : 512))
      meeting.receive(
        source.packet(
          ssrc: source.ssrc, type: type, sequence: number, timestamp: source.timestamp &+ 90,
          [0x80, 0xC0, 0x80, 1, 1, 0x11, 7], true), ann)
    }
    meeting.flush()
    meeting.run(for: .milliseconds(100))
    #expect(stream.duplicates == 0, "a number was sent twice")
    #expect(stream.arrivals - arrivals == 1)
    #expect(meeting.router.counters[.overload] == 2)
  }

  @Test(
    "audio is heard at once after half a number range muted, or with new numbers",
    arguments: [40_000, 33_000, 60_000, 0])
  func longMute(packets: Int) throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let source = ann.publish("t_1", mid: "0", .audio, ssrc: 1_000)
    let slot = ben.slot("7", .audio, ssrc: 5_000)
    meeting.router.attach(source.publication, to: slot)
    source.start()
    meeting.run(for: .milliseconds(500))
    source.stop()
    meeting.run(for: .milliseconds(100))
    let stream = try #require(ben.streams[5_000])
    let before = stream.arrivals
    let type = source.media.codecs[0].payloadType
    var number = source.sequence &+ 1
    func send(_ count: Int) {
      for _ in 0..<count {
        meeting.receive(
          source.packet(
            ssrc: source.ssrc, type: type, sequence: number, timestamp: source.timestamp &+ UInt32(number), [1, 2, 3],
            false), ann)
        number &+= 1
      }
      meeting.flush()
    }
    if packets > 0 {
      meeting.router.setMuted(true, source.publication)
      for _ in 0..<(packets / 50) { send(50) }
      #expect(stream.arrivals == before)
      meeting.router.setMuted(false, source.publication)
    } else {
      number = number &- 30_000
    }
    send(20)
    meeting.run(for: .milliseconds(100))
    // The first packet of a sender that starts again could still be an old one.
    #expect(stream.arrivals - before >= 19)
    #expect(stream.duplicates == 0)
  }

  @Test("a duplicate is not forwarded twice, neither as it came nor as a retransmission")
  func duplicates() throws {
    let meeting = try VirtualMeeting()
    meeting.up.duplicates = 0.5
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    let slot = ben.slot("7", .video, ssrc: 5_000)
    meeting.router.attach(camera.publication, to: slot)
    camera.start()
    meeting.run(for: .seconds(2))
    for number in 0..<50 { camera.resend(camera.sequence &- UInt16(number) &- 1) }
    meeting.run(for: .seconds(1))
    #expect(ben.streams[5_000]?.duplicates == 0)
    #expect(meeting.router.counters[.duplicate] > 100)
  }

  @Test(
    "redundant audio has the receiver's numbers, or is reduced to one (RFC 2198 3)")
  func redundancy() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let cal = try meeting.join("cal")
    let source = [
      NegotiatedCodec(payloadType: PayloadType(rawValue: 63), codec: .red),
      NegotiatedCodec(payloadType: PayloadType(rawValue: 111), codec: .opus),
    ]
    let both = [
      NegotiatedCodec(payloadType: PayloadType(rawValue: 120), codec: .red),
      NegotiatedCodec(payloadType: PayloadType(rawValue: 109), codec: .opus),
    ]
    let microphone = ann.publish("t_1", mid: "0", .audio, ssrc: 1_000, codecs: source)
    let withRED = ben.slot("1", .audio, ssrc: 5_000, codecs: both)
    let without = cal.slot("1", .audio, ssrc: 6_000, codecs: [both[1]])
    meeting.router.attach(microphone.publication, to: withRED)
    meeting.router.attach(microphone.publication, to: without)
    // One redundant block of 3 bytes, then the primary block of 4.
    microphone.send([0x80 | 111, 0x00, 0x00, 3, 111, 1, 2, 3, 9, 8, 7, 6])
    meeting.run(for: .milliseconds(100))
    let red = try #require(ben.streams[5_000]?.ordered.first)
    #expect(red.payload == [0x80 | 109, 0x00, 0x00, 3, 109, 1, 2, 3, 9, 8, 7, 6])
    #expect(ben.streams[5_000]?.firstHeader?.payloadType.rawValue == 120)
    let plain = try #require(cal.streams[6_000]?.ordered.first)
    #expect(plain.payload == [9, 8, 7, 6])
    #expect(cal.streams[6_000]?.firstHeader?.payloadType.rawValue == 109)
  }

  @Test("a publication in a codec that the receiver has not is refused")
  func incompatible() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let av1 = [NegotiatedCodec(payloadType: PayloadType(rawValue: 45), codec: .av1)]
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000, codecs: av1)
    let slot = ben.slot("7", .video, ssrc: 5_000)
    #expect(!meeting.router.attach(camera.publication, to: slot))
    #expect(slot.publication == nil)
    let audio = ben.slot("8", .audio, ssrc: 5_010)
    #expect(!meeting.router.attach(camera.publication, to: audio))
  }

  @Test("a participant who has left gets and sends nothing, and its slots are empty")
  func leaving() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    let slot = ben.slot("7", .video, ssrc: 5_000)
    meeting.router.attach(camera.publication, to: slot)
    camera.start()
    meeting.run(for: .seconds(1))
    camera.stop()
    meeting.router.remove(ann.member)
    #expect(slot.publication == nil)
    #expect(meeting.router.memberCount == 1)
    #expect(meeting.router.publication(PublicationID(rawValue: "t_1")) == nil)
    meeting.run(for: .seconds(1))
  }

  @Test("a participant whose consent is lost gets nothing more (RFC 7675)")
  func consent() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    let slot = ben.slot("7", .video, ssrc: 5_000)
    meeting.router.attach(camera.publication, to: slot)
    camera.start()
    meeting.run(for: .seconds(1))
    meeting.router.close(ben.member)
    let before = meeting.sentDatagrams[ben.member.index]
    ben.sendNack([0, 1, 2, 3], ssrc: 5_000)
    ben.sendPLI(ssrc: 5_000)
    meeting.run(for: .seconds(2))
    #expect(meeting.sentDatagrams[ben.member.index] == before)
  }
}

/// Counts what would be sent.
final class RunCounter: PacketSink {
  var runs: [OutputBatch.Run] = []
  func send(_ batch: OutputBatch, to egress: Egress) { runs += Array(batch.runs) }
}
