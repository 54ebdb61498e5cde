import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("What receivers want", .tellsSeeds)
struct LayersWantedTests {
  /// The messages to the publisher since the last call.
  private func told(_ rig: LayerRig) -> [LayersWanted] {
    var wishes: [LayersWanted] = []
    while let event = rig.meeting.router.pollEvent() {
      if case .layersWanted(_, let wanted) = event { wishes.append(wanted) }
    }
    return wishes
  }

  @Test("a tile gets the smallest layer that fills it within a tenth")
  func limit() throws {
    let rig = try LayerRig(simulcast: .vp8)
    rig.start()
    rig.run(1_000)
    for (width, height, layer) in [
      (160, 90, 0), (320, 180, 0), (350, 196, 0), (360, 203, 1), (180, 320, 0), (640, 360, 1), (711, 400, 1),
      (800, 450, 7),
      (1_920, 1_080, 7),
    ] {
      rig.wants(width, height)
      #expect(Int(rig.slot.limit.spatial) == layer, "\(width)×\(height)")
    }
    rig.wants(320, 180)
    rig.run(500)
    #expect(rig.slot.current?.spatial == 0)
    expectContinuous(rig.stream, pictures: true)
  }

  @Test("a lost first keyframe means the stream's size is asked for, and no larger layer")
  func unknownSize() throws {
    let rig = try LayerRig(simulcast: .vp8)
    rig.wants(320, 180)
    rig.meeting.up.loss = 1
    rig.sources[1].start()
    rig.run(100)
    rig.meeting.up.loss = 0
    rig.sources[0].start()
    rig.sources[2].start()
    rig.run(3_000)
    #expect(rig.sources[1].keyframeRequests.count == 1)
    _ = told(rig)
    rig.wants(640, 360)
    rig.run(100)
    #expect(told(rig).last?.streams.map(\.rawValue) == ["q", "h"])
    #expect(rig.sources[1].keyframeRequests.count <= 2, "the other one is for who changes to it")
  }

  @Test("a tile with a lower frame rate gets only the temporal layers for it")
  func frameRate() throws {
    let rig = try LayerRig(.vp8, temporal: 3)
    rig.start()
    rig.run(2_000)
    rig.wants(1_280, 720, 15)
    #expect(rig.slot.limit.temporal == 1)
    rig.wants(1_280, 720, 7)
    #expect(rig.slot.limit.temporal == 0)
    rig.wants(1_280, 720, 10)
    #expect(rig.slot.limit.temporal == 0, "no more than are of use")
    rig.wants(1_280, 720, 3)
    #expect(rig.slot.limit.temporal == 0, "but not less than there is")
    rig.wants(1_280, 720)
    #expect(rig.slot.limit == .highest)
  }

  @Test(
    "a frame rate limit set before the first frame holds soon, and follows the source"
  )
  func followsRate() throws {
    let rig = try LayerRig(.vp8, temporal: 3)
    rig.wants(1_280, 720, 15)
    rig.start()
    rig.run(3_000)
    let limited = rig.meeting.now
    rig.run(1_000)
    #expect((13...17).contains(rig.frames(since: limited).count), "\(rig.frames(since: limited).count) pictures")
    // A camera in the dark.
    rig.sources[0].interval = .milliseconds(66)
    rig.run(3_000)
    let dark = rig.meeting.now
    rig.run(1_000)
    #expect((13...17).contains(rig.frames(since: dark).count), "\(rig.frames(since: dark).count) pictures")
    rig.sources[0].interval = .milliseconds(33)
    rig.run(3_000)
    let light = rig.meeting.now
    rig.run(1_000)
    #expect((13...17).contains(rig.frames(since: light).count), "\(rig.frames(since: light).count) pictures")
    #expect(rig.sources[0].keyframeRequests.count <= 1, "no change needs a keyframe but the beginning")
    rig.settle()
    expectContinuous(rig.stream, pictures: true)
  }

  @Test(
    "a frame rate limit holds and lifts from frame to frame, in all codecs and sizes",
    arguments: TemporalLayerTests.kinds)
  func limitAndBack(kind: LayeredShape.Kind) throws {
    let rig = try LayerRig(kind, temporal: 3)
    rig.start()
    rig.run(2_000)
    rig.wants(1_280, 720, 8)
    let slow = rig.meeting.now
    rig.run(2_000)
    let few = rig.frames(since: slow + .seconds(1)).count
    #expect((6...9).contains(few), "\(few) pictures")
    rig.wants(1_280, 720)
    let fast = rig.meeting.now
    rig.run(2_000)
    let all = rig.frames(since: fast + .seconds(1)).count
    #expect((28...32).contains(all), "\(all) pictures")
    let times = rig.frames().map(\.at)
    let longest = zip(times, times.dropFirst()).map { ($1 - $0).milliseconds }.max() ?? 0
    #expect(longest < 300, "nothing stood still: \(longest) ms")
    rig.settle()
    expectContinuous(rig.stream, pictures: kind == .vp8)
  }

  @Test("a hidden video gets and asks for nothing, and is back with a keyframe")
  func hidden() throws {
    let rig = try LayerRig(simulcast: .vp8)
    rig.start()
    rig.run(1_000)
    rig.wants(0, 0)
    rig.run(100)
    let packets = rig.stream.packets.count
    let requests = rig.ann.keyframeRequests
    rig.run(2_000)
    #expect(rig.stream.packets.count == packets)
    #expect(rig.ann.keyframeRequests == requests)
    #expect(rig.slot.current == nil)
    rig.wants(640, 360)
    let shown = rig.meeting.now
    rig.run(500)
    let first = try #require(rig.frames(since: shown).first)
    #expect(first.mark.needs.isEmpty && first.mark.source == 1)
    #expect((first.at - shown).milliseconds <= 110)
    expectContinuous(rig.stream, pictures: true)
  }

  @Test("without bandwidth nothing is forwarded, and it goes on by itself")
  func paused() throws {
    let rig = try LayerRig(simulcast: .vp8)
    rig.start()
    rig.run(1_000)
    rig.meeting.router.setTarget(nil, of: rig.slot)
    rig.run(100)
    let packets = rig.stream.packets.count
    rig.run(1_000)
    #expect(rig.stream.packets.count == packets)
    #expect(told(rig).isEmpty, "a lack of bandwidth is no lack of interest")
    rig.target(1, 7)
    rig.run(300)
    #expect(rig.slot.current?.spatial == 1)
    expectContinuous(rig.stream, pictures: true)
  }

  @Test("a publisher is told after a second that less is enough, and at once of more")
  func demand() throws {
    let rig = try LayerRig(simulcast: .vp8)
    rig.start()
    rig.run(2_500)
    #expect(told(rig).isEmpty, "somebody takes everything from the start")
    rig.wants(300, 170)
    rig.run(900)
    #expect(told(rig).isEmpty)
    rig.run(300)
    let lower = told(rig)
    #expect(lower.count == 1)
    #expect(lower.last?.spatial == 0)
    #expect(lower.last?.streams == [RID(rawValue: "q")])
    #expect(lower.last?.width == 300 && lower.last?.height == 170)
    rig.sources[1].stop()
    rig.sources[2].stop()
    rig.run(2_000)
    #expect(rig.slot.current?.spatial == 0)
    #expect(rig.ann.sources.dropFirst().allSatisfy { $0.keyframeRequests.count <= 1 })

    // Layers that were stopped are known still: the sizes decide at once.
    rig.wants(640, 360)
    rig.run(10)
    let raised = told(rig)
    #expect(raised.last?.spatial == 1)
    #expect(raised.last?.streams == [RID(rawValue: "q"), RID(rawValue: "h")])
    rig.sources[1].wantsKeyframe = true
    rig.sources[1].start()
    let back = rig.meeting.now
    rig.run(200)
    #expect(rig.slot.current?.spatial == 1)
    let first = try #require(rig.frames(since: back).first { $0.mark.source == 1 })
    #expect((first.at - back).milliseconds <= 60, "it comes back within its first keyframe")

    rig.wants(0, 0)
    rig.run(1_200)
    let none = told(rig)
    #expect(none.count == 1)
    #expect(none.last?.spatial == nil)
    #expect(none.last?.streams == [])
    rig.settle()
    expectContinuous(rig.stream, pictures: true)
  }

  @Test(
    "a publisher without temporal layers is told the frame rate; one with them isn't"
  )
  func demandedRate() throws {
    let rig = try LayerRig(.vp8, temporal: 1)
    rig.start()
    rig.wants(1_280, 720, 10)
    rig.run(900)
    #expect(told(rig).allSatisfy { $0.frameRate == 0 })
    rig.run(300)
    #expect(told(rig).map(\.frameRate) == [10])
    // A receiver that has said nothing wants all.
    let cem = try rig.meeting.join("cem")
    let second = cem.slot("7", .video, ssrc: 6_000, codecs: LayerRig.codecs(.vp8))
    rig.meeting.router.attach(rig.publication, to: second)
    rig.run(10)
    #expect(told(rig).map(\.frameRate) == [0])
    rig.meeting.router.setWanted(width: 1_280, height: 720, frameRate: 12, second, now: rig.meeting.now)
    rig.run(1_200)
    #expect(told(rig).map(\.frameRate) == [12])
    rig.meeting.router.detach(second)
    rig.run(1_200)
    #expect(told(rig).map(\.frameRate) == [10])
    rig.wants(1_280, 720, 11)
    rig.run(10)
    #expect(told(rig).map(\.frameRate) == [11])

    let layered = try LayerRig(.vp8, temporal: 3)
    layered.start()
    layered.wants(1_280, 720, 10)
    layered.run(3_000)
    #expect(told(layered).allSatisfy { $0.frameRate == 0 })
  }

  @Test("a tile that comes and goes within a second costs the publisher nothing")
  func flapping() throws {
    let rig = try LayerRig(simulcast: .vp8)
    rig.start()
    rig.wants(1_280, 720)
    rig.run(2_000)
    #expect(told(rig).map(\.width) == [1_280])
    for _ in 0..<10 {
      rig.wants(0, 0)
      rig.run(600)
      rig.wants(1_280, 720)
      rig.run(300)
    }
    #expect(told(rig).isEmpty)
  }

  @Test("an unwatched publication stops, simulcast or not; a watcher starts it at once")
  func nobody() throws {
    let rig = try LayerRig(.vp8)
    rig.start()
    rig.meeting.router.detach(rig.slot)
    rig.run(500)
    #expect(told(rig).isEmpty)
    rig.run(700)
    #expect(told(rig).map(\.spatial) == [nil])
    rig.meeting.router.attach(rig.publication, to: rig.slot)
    rig.run(5)
    #expect(told(rig).map(\.spatial) == [7])
  }
}
