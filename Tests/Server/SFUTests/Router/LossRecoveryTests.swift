import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Loss recovery", .tellsSeeds)
struct LossRecoveryTests {
  @Test(
    "10 % loss, reordering and copies on both legs leave no gap (RFC 4585, RFC 4588)",
    arguments: [1, 2, 3] as [UInt64])
  func recovers(seed: UInt64) throws {
    let meeting = try VirtualMeeting(seed: seed)
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let cal = try meeting.join("cal")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000, announce: true)
    let toBen = ben.slot("7", .video, ssrc: 5_000)
    let toCal = cal.slot("3", .video, ssrc: 6_000)
    meeting.router.attach(camera.publication, to: toBen)
    meeting.router.attach(camera.publication, to: toCal)
    camera.start()
    meeting.run(for: .milliseconds(300))
    meeting.up = LinkConditions(loss: 0.1, duplicates: 0.02, delay: .milliseconds(15), jitter: .milliseconds(4))
    meeting.down = LinkConditions(loss: 0.1, duplicates: 0.02, delay: .milliseconds(15), jitter: .milliseconds(4))
    meeting.run(for: .seconds(10))
    meeting.up = LinkConditions()
    meeting.down = LinkConditions()
    meeting.run(for: .seconds(1))

    for stream in [ben.streams[5_000], cal.streams[6_000]] {
      let stream = try #require(stream)
      #expect(stream.packets.count > 1_200, "seed \(seed)")
      #expect(stream.missing == 0, "seed \(seed): \(stream.missing) of \(stream.packets.count) never came")
      #expect(stream.ordered.contains { $0.isRetransmission })
      // A repaired packet has the content of the original.
      var last: VirtualReceiver.Packet?
      for packet in stream.ordered {
        if let last {
          let step = (packet.pictureID - last.pictureID) & 0x7FFF
          #expect(step == 0 || step == 1)
        }
        last = packet
      }
      let numbers = stream.retransmissionSequences
      #expect(Set(numbers).count >= numbers.count * 95 / 100, "retransmissions share sequence numbers")
    }
    #expect(ann.receivedNacks > 20)
  }

  @Test("a publisher gets transport-wide feedback at least 16 times a second")
  func transportFeedback() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    camera.start()
    meeting.run(for: .seconds(5))
    #expect((75...110).contains(ann.transportFeedbacks.count), "\(ann.transportFeedbacks.count) in 5 s")
  }

  @Test("receiver reports tell a publisher its share of lost packets (RFC 3550 6.4.2)")
  func receiverReports() throws {
    let meeting = try VirtualMeeting(seed: 4)
    let ann = try meeting.join("ann")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    camera.start()
    meeting.up.loss = 0.2
    meeting.run(for: .seconds(10))
    let blocks = ann.receiverReports.filter { $0.ssrc.rawValue == 1_000 && $0.fractionLost > 0 }
    let mean = Double(blocks.map { Int($0.fractionLost) }.reduce(0, +)) / Double(max(blocks.count, 1)) / 256
    #expect(abs(mean - 0.2) < 0.05)
  }

  @Test(
    "a speaker is told the highest loss of receivers that the server can't help"
  )
  func receiversLoss() throws {
    let meeting = try VirtualMeeting(seed: 6)
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let cem = try meeting.join("cem")
    let voice = ann.publish("a_1", mid: "0", .audio, ssrc: 1_000)
    let camera = ann.publish("t_1", mid: "1", .video, ssrc: 2_000)
    let red = NegotiatedCodec(payloadType: PayloadType(rawValue: 63), codec: .red, feedback: [])
    meeting.router.attach(voice.publication, to: ben.slot("7", .audio, ssrc: 5_000))
    meeting.router.attach(camera.publication, to: ben.slot("8", .video, ssrc: 5_010))
    meeting.router.attach(
      voice.publication, to: cem.slot("7", .audio, ssrc: 6_000, codecs: Sections.codecs(.audio, base: 96) + [red]))
    voice.start()
    camera.start()
    func told(_ ssrc: UInt32) -> Double {
      let blocks = ann.receiverReports.filter { $0.ssrc.rawValue == ssrc }.suffix(6)
      return Double(blocks.map { Int($0.fractionLost) }.reduce(0, +)) / Double(max(blocks.count, 1)) / 256
    }
    meeting.downOf = [cem.member.index: LinkConditions(loss: 0.2)]
    meeting.run(for: .seconds(10))
    #expect(told(1_000) == 0, "the server adds redundancy for Cem")
    meeting.downOf[ben.member.index] = LinkConditions(loss: 0.2)
    meeting.run(for: .seconds(10))
    #expect(abs(told(1_000) - 0.2) < 0.06, "\(told(1_000))")
    #expect(told(2_000) == 0, "pictures are repaired by retransmissions")
    #expect(ann.receiverReports.allSatisfy { $0.cumulativeLost == 0 }, "Ann's own path loses nothing")
    #expect(ann.member.quality.quality == .excellent)
    meeting.downOf = [:]
    meeting.run(for: .seconds(10))
    #expect(told(1_000) == 0)
  }

  @Test("a participant's quality follows its loss, down at once and up step by step")
  func quality() throws {
    let meeting = try VirtualMeeting(seed: 5)
    let ann = try meeting.join("ann")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    camera.start()
    meeting.run(for: .seconds(3))
    #expect(ann.member.quality.quality == .excellent)
    meeting.up.loss = 0.2
    meeting.run(for: .seconds(4))
    #expect(ann.member.quality.quality == .poor)
    meeting.up.loss = 0
    meeting.run(for: .seconds(10))
    #expect(ann.member.quality.quality == .excellent)
    camera.stop()
    meeting.up.loss = 1
    meeting.run(for: .seconds(12))
    #expect(ann.member.quality.quality == .lost)
  }

  @Test("a receiver on a clean path isn't blamed for its publisher's path")
  func othersPaths() throws {
    let meeting = try VirtualMeeting(seed: 6)
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000, announce: true)
    meeting.router.attach(camera.publication, to: ben.slot("7", .video, ssrc: 5_000))
    camera.start()
    meeting.run(for: .seconds(3))
    meeting.upOf[ann.member.index] = LinkConditions(
      loss: 0.2, delay: .milliseconds(60), jitter: .milliseconds(250))
    var worst = ConnectionQuality.excellent
    for _ in 0..<12 {
      meeting.run(for: .seconds(1))
      if ben.member.quality.quality != .excellent { worst = ben.member.quality.quality }
    }
    #expect(ann.member.quality.quality == .poor)
    #expect(worst == .excellent)
    // His own path counts as before.
    meeting.upOf = [:]
    meeting.down.loss = 0.2
    meeting.run(for: .seconds(4))
    #expect(ben.member.quality.quality == .poor)
  }
}
