import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Keyframe requests", .tellsSeeds)
struct KeyframeRequestTests {
  @Test("a joiner's keyframe is requested at once, even right after the last one")
  func newcomer() throws {
    let rig = try LayerRig(.vp8)
    rig.start()
    rig.run(1_000)
    let cal = try rig.meeting.join("cal")
    let first = cal.slot("1", .video, ssrc: 6_000)
    rig.meeting.router.attach(rig.publication, to: first)
    rig.run(150)
    let dan = try rig.meeting.join("dan")
    let second = dan.slot("1", .video, ssrc: 7_000)
    rig.meeting.router.attach(rig.publication, to: second)
    let joined = rig.meeting.now
    rig.run(200)
    let picture = try #require(dan.streams[7_000]?.ordered.first)
    #expect((picture.at - joined).milliseconds <= 70)
  }

  @Test("a keyframe sent long before a joiner connects doesn't answer its request")
  func notYetOpen() throws {
    let rig = try LayerRig(.vp8)
    rig.start()
    rig.run(1_000)
    let eve = try rig.meeting.join("eve")
    rig.meeting.router.close(eve.member)
    let slot = eve.slot("1", .video, ssrc: 8_000)
    let requests = rig.ann.keyframeRequests
    rig.meeting.router.attach(rig.publication, to: slot)
    rig.run(100)
    #expect(rig.ann.keyframeRequests == requests, "nothing can be received yet")
    // Somebody else's keyframe passes by.
    rig.sources[0].wantsKeyframe = true
    rig.run(400)
    rig.meeting.router.open(eve.member, sender: rig.meeting.sender)
    rig.run(30)
    #expect(rig.ann.keyframeRequests == requests + 1)
    rig.run(60)
    #expect(slot.state == .running)
  }

  @Test("fifty joins in a second cost a handful of keyframes, and each sees video soon")
  func storm() throws {
    let rig = try LayerRig(.vp8)
    rig.start()
    rig.run(2_000)
    let before = rig.ann.keyframeRequests
    var joined: [(Subscription, Instant)] = []
    for number in 0..<50 {
      let client = try rig.meeting.join("n\(number)")
      client.sendsNacks = false
      let slot = client.slot("1", .video, ssrc: UInt32(10_000 + number * 10))
      rig.meeting.router.attach(rig.publication, to: slot)
      joined.append((slot, rig.meeting.now))
      rig.run(20)
    }
    let cost = rig.ann.keyframeRequests - before
    #expect((2...5).contains(cost), "\(cost) keyframes")
    rig.run(700)
    #expect(joined.allSatisfy { $0.0.state == .running })
    #expect(rig.ann.keyframeRequests - before <= 6)
  }

  @Test("a request is withdrawn when who asked has left")
  func withdrawn() throws {
    let rig = try LayerRig(.vp8)
    rig.start()
    rig.run(1_000)
    rig.sources[0].ignoresRequests = true
    rig.meeting.router.setPaused(true, rig.slot)
    rig.meeting.router.setPaused(false, rig.slot)
    rig.run(100)
    let requests = rig.ann.keyframeRequests
    rig.meeting.router.setPaused(true, rig.slot)
    rig.run(3_000)
    #expect(rig.ann.keyframeRequests == requests)
  }
}
