import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Simulcast", .tellsSeeds)
struct SimulcastTests {
  static let kinds: [LayeredShape.Kind] = [.vp8, .h264, .vp9, .descriptor]

  @Test("layers change at the new one's keyframe, and numbers, time and frames go on", arguments: kinds)
  func changes(kind: LayeredShape.Kind) throws {
    let rig = try LayerRig(simulcast: kind, temporal: kind == .h264 ? 1 : 3)
    rig.start()
    rig.run(2_000)
    #expect(rig.slot.current?.spatial == 2)
    for layer in [0, 1, 2, 0, 2, 1] as [UInt8] {
      let before = rig.sources[Int(layer)].keyframeRequests.count
      rig.target(layer, 7)
      let changed = rig.meeting.now
      rig.run(600)
      #expect(rig.slot.current?.spatial == layer)
      #expect(rig.sources[Int(layer)].keyframeRequests.count == before + 1)
      // One frame interval and the way of the request and the keyframe.
      let frames = rig.frames(since: changed)
      let first = try #require(frames.first { $0.mark.source == layer })
      #expect((first.at - changed).milliseconds <= 110)
      #expect(first.mark.needs.isEmpty)
      #expect(frames.drop { $0.mark.source != layer }.allSatisfy { $0.mark.source == layer })
    }
    rig.settle()
    expectContinuous(rig.stream, pictures: kind == .vp8, "\(kind)")
    // No freeze: never longer than three frame intervals without a new picture.
    let frames = rig.frames()
    for (a, b) in zip(frames, frames.dropFirst()) {
      #expect((b.at - a.at).milliseconds <= 100)
      // Pictures are 33 ms apart, or the same instant in both layers.
      let ticks = Int(b.timestamp &- a.timestamp)
      #expect(ticks % 2_970 <= 2 || ticks % 2_970 >= 2_968, "\(ticks) ticks from \(a.mark) to \(b.mark)")
    }
  }

  @Test("a track published again is seen, though its packets name no section or layer")
  func publishedAgain() throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let ben = try meeting.join("ben")
    func publish(_ id: String, namesLayers: Bool) -> [VirtualSource] {
      let layers = ann.publishSimulcast(id, mid: "0", rids: ["q", "h"], ssrc: 1_000)
      for layer in layers where !namesLayers { (layer.midOnWire, layer.ridOnWire) = (nil, nil) }
      for layer in layers { layer.start() }
      return layers
    }
    let first = publish("t_1", namesLayers: true)
    // Another camera, so that the payload type alone leaves a doubt.
    let other = ann.publishSimulcast("t_9", mid: "1", rids: ["q", "h"], ssrc: 3_000)
    for layer in other { layer.start() }
    meeting.run(for: .seconds(1))
    for layer in first { layer.stop() }
    meeting.router.unpublish(first[0].publication, of: ann.member)
    meeting.run(for: .seconds(1))
    let again = publish("t_2", namesLayers: false)
    #expect(meeting.router.attach(again[0].publication, to: ben.slot("7", .video, ssrc: 5_000)))
    meeting.run(for: .seconds(1))
    #expect(again[0].publication.streams.compactMap { $0.layer?.text }.sorted() == ["h", "q"])
    #expect(try #require(ben.streams[5_000]).packets.count > 80)
    // An MID that stood for a section that is gone opens no other one.
    meeting.router.unpublish(again[0].publication, of: ann.member)
    meeting.run(for: .seconds(1))
    #expect(other[0].publication.streams.allSatisfy { $0.ssrc.rawValue >= 3_000 })
    #expect(meeting.router.counters[.unknownSource] > 20)
  }

  @Test("as long as no keyframe of the new layer comes the old one goes on")
  func noKeyframe() throws {
    let rig = try LayerRig(simulcast: .vp8)
    rig.start()
    rig.run(1_000)
    rig.sources[0].ignoresRequests = true
    rig.target(0, 7)
    let changed = rig.meeting.now
    rig.run(3_000)
    #expect(rig.slot.current?.spatial == 2)
    #expect(rig.frames(since: changed).count > 80)
    // It is asked for again and again, but not more than twice a second.
    #expect((5...8).contains(rig.sources[0].keyframeRequests.count))
    rig.sources[0].ignoresRequests = false
    rig.run(1_000)
    #expect(rig.slot.current?.spatial == 0)
    expectContinuous(rig.stream, pictures: true)
  }

  @Test("if the forwarded layer stops the next lower takes over, until its first keyframe")
  func stops() throws {
    let rig = try LayerRig(simulcast: .vp8)
    rig.start()
    rig.run(2_000)
    rig.sources[2].stop()
    let stopped = rig.meeting.now
    rig.run(1_500)
    #expect(rig.slot.current?.spatial == 1)
    let next = try #require(rig.frames(since: stopped + .milliseconds(60)).first)
    #expect(next.mark.source == 1)
    #expect((next.at - stopped).milliseconds < 500)
    #expect(rig.publication.layers(now: rig.meeting.now).map(\.index.spatial) == [0, 1])
    rig.sources[2].wantsKeyframe = true
    rig.sources[2].start()
    let back = rig.meeting.now
    rig.run(300)
    #expect(rig.slot.current?.spatial == 2)
    let first = try #require(rig.frames(since: back).first { $0.mark.source == 2 })
    #expect((first.at - back).milliseconds <= 60)
    rig.settle()
    expectContinuous(rig.stream, pictures: true)
  }

  @Test("without a middle layer the lowest takes over from the highest, which comes back")
  func missingMiddle() throws {
    let rig = try LayerRig(simulcast: .vp8)
    rig.start()
    rig.run(2_000)
    rig.sources[1].stop()
    rig.run(1_500)
    #expect(rig.slot.current?.spatial == 2)
    rig.sources[2].stop()
    rig.run(1_500)
    #expect(rig.slot.current?.spatial == 0)
    #expect(rig.publication.layers(now: rig.meeting.now).map(\.index.spatial) == [0])
    rig.sources[2].wantsKeyframe = true
    rig.sources[2].start()
    rig.run(500)
    #expect(rig.slot.current?.spatial == 2)
    rig.settle()
    expectContinuous(rig.stream, pictures: true)
  }

  @Test("a publisher whose whole network stalls loses no layer")
  func stall() throws {
    let rig = try LayerRig(simulcast: .vp8)
    rig.start()
    rig.run(2_000)
    let requests = rig.ann.keyframeRequests
    rig.meeting.up.loss = 1
    rig.run(1_000)
    rig.meeting.up.loss = 0
    rig.run(100)
    #expect(rig.slot.current?.spatial == 2)
    #expect(rig.sources[0].keyframeRequests.isEmpty && rig.sources[1].keyframeRequests.isEmpty)
    #expect(rig.ann.keyframeRequests <= requests + 2)
  }

  @Test("layers are ranked by picture size, whichever order the offer has")
  func ranks() throws {
    let rig = try LayerRig(simulcast: .vp8, rids: ["f", "h", "q"])
    rig.start()
    rig.run(1_500)
    #expect(rig.publication.streams.first { $0.layer?.text == "q" }?.layers.rank == 0)
    #expect(rig.publication.streams.first { $0.layer?.text == "f" }?.layers.rank == 2)
    #expect(rig.slot.current?.spatial == 2)
    #expect(rig.frames(since: rig.meeting.now - .milliseconds(300)).allSatisfy { $0.mark.source == 2 })
    let ladder = rig.publication.layers(now: rig.meeting.now)
    #expect(ladder.map(\.width) == [320, 640, 1_280])
    #expect(zip(ladder, ladder.dropFirst()).allSatisfy { $0.rate < $1.rate })
  }

  @Test(
    "sender reports describe the forwarded layer's capture time (RFC 3550 6.4.1)")
  func senderReports() throws {
    let rig = try LayerRig(simulcast: .vp8)
    rig.start()
    rig.run(3_000)
    for layer in [0, 2, 1] as [UInt8] {
      rig.target(layer, 7)
      rig.run(2_500)
      let report = try #require(rig.ben.senderReports[5_000]?.last)
      let last = try #require(rig.stream.ordered.last)
      let clock = SenderReportMapping(report.0, clockRate: 90_000)
      let captured = clock.ntpTime(of: RTPTimestamp(rawValue: last.timestamp))
      #expect(abs((captured - rig.meeting.router.clock.time(at: last.at)).milliseconds) <= 45)
    }
  }

  @Test("a lost packet from before a change of layer is still sent again (RFC 4588)")
  func retransmission() throws {
    let rig = try LayerRig(simulcast: .vp8)
    rig.ben.sendsNacks = false
    rig.start()
    rig.run(1_000)
    let last = rig.stream.highest
    rig.target(0, 7)
    rig.run(200)
    #expect(rig.slot.current?.spatial == 0)
    let old = (0..<5).map { UInt16(truncatingIfNeeded: last - $0) }
    let new = (0..<3).map { UInt16(truncatingIfNeeded: rig.stream.highest - $0) }
    let before = rig.meeting.router.counters.retransmissions
    rig.ben.sendNack(old + new, ssrc: 5_000)
    rig.run(100)
    #expect(rig.meeting.router.counters.retransmissions == before + 8)
    #expect(rig.stream.duplicates == 8)
  }

  @Test(
    "under loss and reordering both ways nothing is missing, and all can be decoded",
    arguments: kinds, [1, 2, 3] as [UInt64])
  func lossy(kind: LayeredShape.Kind, seed: UInt64) throws {
    let rig = try LayerRig(simulcast: kind, temporal: kind == .h264 ? 1 : 3, seed: seed)
    var random = SeededGenerator(TestSeed.of(seed) &* 91)
    rig.start()
    rig.run(500)
    rig.meeting.up = LinkConditions(loss: 0.03, duplicates: 0.01, delay: .milliseconds(15), jitter: .milliseconds(4))
    rig.meeting.down = LinkConditions(loss: 0.05, duplicates: 0.01, delay: .milliseconds(15), jitter: .milliseconds(4))
    for _ in 0..<12 {
      rig.target(UInt8.random(in: 0...2, using: &random), UInt8.random(in: 0...2, using: &random))
      rig.run(Int64.random(in: 300...1_200, using: &random))
    }
    rig.settle()
    // Of each layer that was left, the last frames may be cut.
    expectContinuous(rig.stream, cutFrames: 36, "\(kind), seed \(seed)")
    #expect(rig.stream.packets.count > 150)
  }
}
