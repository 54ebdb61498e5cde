import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

/// A sender of one stream in spatial layers that leaves out the largest ones while nobody watches them.
@Suite("Spatial layers that nobody watches", .tellsSeeds)
struct SpatialLayersWantedTests {
  private func told(_ rig: LayerRig) -> [LayersWanted] {
    var wishes: [LayersWanted] = []
    while let event = rig.meeting.router.pollEvent() {
      if case .layersWanted(_, let wanted) = event { wishes.append(wanted) }
    }
    return wishes
  }

  /// Goes on with so many layers of the three, in the sizes that they have, from a keyframe on.
  private func send(_ layers: Int, _ rig: LayerRig, width: Int = 1_280) {
    let shape = rig.sources[0].shape
    shape?.spatialLayers = layers
    shape?.width = width >> (3 - layers)
    shape?.height = (width * 9 / 16) >> (3 - layers)
    rig.sources[0].wantsKeyframe = true
  }

  @Test(
    "the sender is told the watched layers, and more come back with one keyframe",
    arguments: SpatialLayerTests.kinds, [false, true])
  func followed(kind: LayeredShape.Kind, isIndependent: Bool) throws {
    let rig = try LayerRig(kind, spatial: 3, temporal: 3, isIndependent: isIndependent && kind != .vp9)
    rig.start()
    rig.run(1_000)
    rig.wants(320, 180)
    rig.run(1_200)
    let less = told(rig)
    #expect(less.map(\.spatial) == [0])
    #expect(less.map(\.layerCount) == [3])

    let requests = rig.sources[0].keyframeRequests.count
    send(1, rig)
    rig.run(4_000)
    #expect(told(rig).isEmpty, "what is left is no other camera")
    #expect(rig.slot.current == LayerIndex(spatial: 0, temporal: 2))
    #expect(rig.publication.layers(now: rig.meeting.now).last?.width == 320)

    rig.wants(640, 360)
    rig.run(5)
    let more = told(rig)
    #expect(more.map(\.spatial) == [1])
    #expect(more.map(\.layerCount) == [3])
    send(2, rig)
    let back = rig.meeting.now
    rig.run(200)
    let first = try #require(rig.frames(since: back).first { $0.mark.spatial == 1 })
    #expect(first.mark.needs.count == 1, "it comes with the keyframe")
    #expect((first.at - back).milliseconds <= 60)
    #expect(rig.slot.current?.spatial == 1)

    rig.wants(1_280, 720)
    rig.run(5)
    let all = told(rig)
    #expect(all.map(\.spatial) == [7])
    #expect(all.map(\.layerCount) == [0])
    send(3, rig)
    rig.run(500)
    #expect(rig.slot.current?.spatial == 2)
    #expect(rig.sources[0].keyframeRequests.count == requests, "each change brings its own keyframe")
    rig.settle()
    expectContinuous(rig.stream)
  }

  @Test(
    "layers that were left out come back under loss without an undecodable frame",
    arguments: [1, 2, 3] as [UInt64])
  func lossy(seed: UInt64) throws {
    let rig = try LayerRig(.descriptor, spatial: 3, temporal: 3, isIndependent: true, seed: seed)
    var random = SeededGenerator(TestSeed.of(seed) &* 17)
    rig.start()
    rig.run(500)
    rig.meeting.up = LinkConditions(loss: 0.02, delay: .milliseconds(15), jitter: .milliseconds(4))
    rig.meeting.down = LinkConditions(loss: 0.03, delay: .milliseconds(15), jitter: .milliseconds(4))
    for _ in 0..<16 {
      let layers = Int.random(in: 1...3, using: &random)
      rig.wants(320 << (layers - 1), 180 << (layers - 1))
      rig.run(Int64.random(in: 100...1_500, using: &random))
      send(layers, rig)
      rig.run(Int64.random(in: 100...1_500, using: &random))
    }
    rig.settle()
    expectContinuous(rig.stream, cutFrames: 24, "seed \(seed)")
  }

  @Test("left-over layers in another size are a new camera's: all is wanted until known")
  func otherCamera() throws {
    let rig = try LayerRig(.descriptor, spatial: 3, temporal: 3)
    rig.start()
    rig.run(1_000)
    rig.wants(320, 180)
    rig.run(1_200)
    #expect(told(rig).map(\.spatial) == [0])
    send(1, rig)
    rig.run(2_000)
    send(1, rig, width: 640)
    rig.run(200)
    #expect(told(rig).map(\.spatial) == [7])
    // Its two layers are 320 and 640 pixels wide.
    send(2, rig)
    rig.run(1_500)
    let less = told(rig)
    #expect(less.map(\.spatial) == [0])
    #expect(less.map(\.layerCount) == [2])
  }

  @Test("a sender that cannot keep its sizes is not asked for ever")
  func surprises() throws {
    let rig = try LayerRig(.descriptor, spatial: 3, temporal: 1)
    rig.start()
    rig.run(1_000)
    rig.wants(320, 180)
    var asked = 0
    for _ in 0..<20 {
      rig.run(1_500)
      guard told(rig).last?.layerCount ?? 0 > 0 else { continue }
      asked += 1
      // It leaves layers out and makes what is left as large as the largest was.
      rig.sources[0].shape?.spatialLayers = 1
      rig.sources[0].wantsKeyframe = true
      rig.run(500)
      send(3, rig)
    }
    #expect(asked == 8)
  }

  @Test("a returning layer's rate isn't guessed from its first packets")
  func rate() throws {
    let rig = try LayerRig(.descriptor, spatial: 3, temporal: 3, isIndependent: true)
    rig.start()
    rig.run(1_000)
    send(1, rig)
    rig.run(3_000)
    send(3, rig)
    rig.run(150)
    let large = try #require(rig.publication.layers(now: rig.meeting.now).last)
    #expect(large.index.spatial == 2 && large.width == 1_280)
    #expect(large.rate >= .kilobits(1_380))
    rig.run(4_000)
    let measured = try #require(rig.publication.layers(now: rig.meeting.now).last)
    #expect(measured.rate < .kilobits(1_000), "what it takes is known by then")
  }
}
