import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Threats to routing", .tellsSeeds)
struct ThreatTests {
  @Test("threat 12: a packet that claims the MID of another participant reaches nobody")
  func foreignMID() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let eve = try meeting.join("eve")
    let ben = try meeting.join("ben")
    let camera = ann.publish("t_1", mid: "cam", .video, ssrc: 1_000)
    let evil = eve.publish("t_2", mid: "0", .video, ssrc: 2_000)
    meeting.router.attach(camera.publication, to: ben.slot("7", .video, ssrc: 5_000))
    camera.start()
    evil.midOnWire = "cam"
    evil.start()
    meeting.run(for: .seconds(1))
    #expect(meeting.router.counters[.unknownSource] > 20)
    #expect(evil.publication.streams.isEmpty)
    #expect(camera.publication.streams.count == 1)
  }

  @Test("threat 12: another participant's SSRC stays the sender's and doesn't cross over")
  func foreignSSRC() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let eve = try meeting.join("eve")
    let ben = try meeting.join("ben")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000, announce: true)
    let evil = eve.publish("t_2", mid: "0", .video, ssrc: 1_000)
    evil.packetSize = 500
    meeting.router.attach(camera.publication, to: ben.slot("7", .video, ssrc: 5_000))
    camera.start()
    evil.start()
    meeting.run(for: .seconds(1))
    let stream = try #require(ben.streams[5_000])
    #expect(stream.packets.count > 80)
    #expect(stream.ordered.allSatisfy { $0.payload.count >= 1_000 })
  }

  @Test("threat 12: one publication's SSRC is refused under another one's MID")
  func secondClaim() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    let screen = ann.publish("t_2", mid: "1", .video, ssrc: 1_500)
    meeting.router.attach(camera.publication, to: ben.slot("7", .video, ssrc: 5_000))
    meeting.router.attach(screen.publication, to: ben.slot("8", .video, ssrc: 5_010))
    camera.start()
    meeting.run(for: .milliseconds(500))
    camera.midOnWire = "1"
    let before = try #require(ben.streams[5_000]).packets.count
    meeting.run(for: .milliseconds(500))
    #expect(meeting.router.counters[.refusedClaim] > 40)
    #expect(try #require(ben.streams[5_000]).packets.count <= before + 8)
    #expect(ben.streams[5_010]?.packets.isEmpty == true)
  }

  @Test("threat 12: an unknown SSRC without MID isn't guessed between two publications")
  func ambiguous() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    ann.publish("t_2", mid: "1", .video, ssrc: 1_500)
    camera.midOnWire = nil
    camera.start()
    meeting.run(for: .milliseconds(200))
    #expect(meeting.router.counters[.unknownSource] > 10)
    #expect(camera.publication.streams.isEmpty)
  }

  @Test("threat 11: a participant cannot use more than a bounded number of SSRCs")
  func ssrcFlood() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    for number in 0..<10_000 {
      let bytes = camera.packet(
        ssrc: UInt32(100_000 + number), type: PayloadType(rawValue: 96), sequence: UInt16(number & 0xFFFF),
        timestamp: 0, [0x10, 0, 0, 0, 0, 0, 0], false)
      meeting.receive(bytes, ann)
      meeting.flush()
    }
    #expect(camera.publication.streams.count == 1)
    #expect(camera.publication.replacements <= Publication.maximumReplacements)
    #expect(meeting.router.counters[.refusedClaim] > 9_000)
  }

  @Test("threat 16: a storm of NACKs costs no more than the budget")
  func nackStorm() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    meeting.router.attach(camera.publication, to: ben.slot("7", .video, ssrc: 5_000))
    camera.start()
    meeting.run(for: .seconds(2))
    let media = Int(meeting.sentBytes[ben.member.index] ?? 0)
    let highest = UInt16(truncatingIfNeeded: try #require(ben.streams[5_000]).highest)
    // 200 requests a second, each for the last 300 packets.
    for _ in 0..<400 {
      ben.sendNack((0..<300).reversed().map { highest &- UInt16($0) }, ssrc: 5_000)
      meeting.run(for: .milliseconds(5))
    }
    let again = Int(meeting.router.counters.retransmissions)
    let mediaPackets = try #require(ben.streams[5_000]).packets.count
    // The store's worth at the start (the allowance), then half of what is sent again.
    let bound = Int(RetransmissionBudget.capacity) / 1_000 + mediaPackets / 2 + 64
    #expect(again <= bound, "\(again) retransmissions for \(mediaPackets) packets")
    #expect(again > 50)
    #expect(meeting.router.counters.retransmissionsRefused > 10_000)
    #expect(media > 0)
  }

  @Test("threat 16: the same packet is not sent again more than once per round trip")
  func oncePerRoundTrip() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    ben.sendsNacks = false
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    meeting.router.attach(camera.publication, to: ben.slot("7", .video, ssrc: 5_000))
    camera.start()
    meeting.run(for: .milliseconds(500))
    let number = UInt16(truncatingIfNeeded: try #require(ben.streams[5_000]).highest)
    for _ in 0..<50 {
      ben.sendNack([number], ssrc: 5_000)
      meeting.run(for: .milliseconds(1))
    }
    meeting.run(for: .milliseconds(100))
    #expect(meeting.router.counters.retransmissions == 1)
  }

  @Test("threat 16: a storm of PLI and FIR costs the publisher two requests a second")
  func keyframeStorm() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    var receivers: [(VirtualClient, UInt32)] = []
    for number in 0..<10 {
      let client = try meeting.join("r\(number)")
      let ssrc = UInt32(5_000 + number * 10)
      meeting.router.attach(camera.publication, to: client.slot("7", .video, ssrc: ssrc))
      receivers.append((client, ssrc))
    }
    camera.start()
    meeting.run(for: .seconds(2))
    let before = ann.keyframeRequests
    for _ in 0..<200 {
      for (client, ssrc) in receivers { client.sendPLI(ssrc: ssrc) }
      meeting.run(for: .milliseconds(10))
    }
    let during = ann.keyframeRequests - before
    #expect((3...6).contains(during), "\(during) requests in 2 s")
  }

  @Test("threat 16: a keyframe request that came too early is sent later, not lost")
  func trailingRequest() throws {
    var throttle = KeyframeThrottle(interval: .milliseconds(500))
    let start = Instant.milliseconds(10)
    throttle.request()
    let first = throttle.take(now: start)
    throttle.keyframeArrived()
    throttle.request()
    let second = throttle.take(now: start + .milliseconds(100))
    #expect(throttle.deadline == start + .milliseconds(500))
    let third = throttle.take(now: start + .milliseconds(500))
    #expect(first && !second && third)
  }

  @Test("threat 18: claiming full scale in every comfort-noise packet makes no speaker")
  func silentShouter() {
    var speakers = ActiveSpeakers()
    let liar = speakers.add(participant: 0)
    var now = Instant.milliseconds(0)
    for _ in 0..<200 {
      speakers.heard(voice: liar, level: 0, payloadLength: 2, now: now)
      now = now + .milliseconds(20)
      let report = speakers.poll(now: now) ?? []
      #expect(report.isEmpty)
    }
  }

  @Test("threat 18: false levels don't make the list flap; it changes 5 times a second")
  func flapping() {
    var speakers = ActiveSpeakers()
    let honest = speakers.add(participant: 0)
    let liar = speakers.add(participant: 1)
    var now = Instant.milliseconds(0)
    var reports = 0
    var leaders: [Int] = []
    for tick in 0..<3_000 {
      speakers.heard(voice: honest, level: 30, payloadLength: 100, now: now)
      // A level byte out of range, too: only its low seven bits count.
      speakers.heard(voice: liar, level: tick % 2 == 0 ? 0x80 : 127, payloadLength: 100, now: now)
      now = now + .milliseconds(20)
      if let report = speakers.poll(now: now) {
        reports += 1
        if let first = report.first, leaders.last != first.participant { leaders.append(first.participant) }
        #expect(report.allSatisfy { (0...1).contains($0.level) })
      }
    }
    #expect(reports <= 300)
    #expect(leaders.count <= 3, "the leader changed \(leaders.count) times in a minute")
  }
}
