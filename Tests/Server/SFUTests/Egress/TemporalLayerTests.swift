import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Temporal layers", .tellsSeeds)
struct TemporalLayerTests {
  static let kinds: [LayeredShape.Kind] = [.vp8, .vp9, .descriptor, .vp9WithDescriptor]

  @Test("the frame rate falls at the next frame and rises where a decoder can follow", arguments: kinds)
  func downAndUp(kind: LayeredShape.Kind) throws {
    let rig = try LayerRig(kind, temporal: 3)
    rig.start()
    rig.run(1_000)
    #expect(Set(rig.frames().map(\.mark.temporal)) == [0, 1, 2])
    #expect(rig.slot.current?.temporal == 2)
    let requests = rig.sources[0].keyframeRequests.count

    rig.target(0, 0)
    let down = rig.meeting.now
    rig.run(1_000)
    let slow = rig.frames(since: down + .milliseconds(50))
    #expect(Set(slow.map(\.mark.temporal)) == [0])
    #expect((6...9).contains(slow.count), "\(slow.count) pictures of layer 0 in a second")
    #expect(rig.slot.current == LayerIndex(spatial: 0, temporal: 0))

    rig.target(0, 1)
    let middle = rig.meeting.now
    rig.run(1_000)
    let medium = rig.frames(since: middle + .milliseconds(320))
    #expect(Set(medium.map(\.mark.temporal)) == [0, 1])

    rig.meeting.router.setTarget(.highest, of: rig.slot)
    let up = rig.meeting.now
    rig.run(1_000)
    #expect(Set(rig.frames(since: up + .milliseconds(420)).map(\.mark.temporal)) == [0, 1, 2])
    #expect(rig.sources[0].keyframeRequests.count == requests, "a temporal switch needs no keyframe")
    rig.settle()
    expectContinuous(rig.stream, pictures: kind == .vp8)
  }

  @Test(
    "under loss and reordering forwarded frames decode, and skipped ones leave no gap",
    arguments: kinds, [1, 2, 3, 4] as [UInt64])
  func lossy(kind: LayeredShape.Kind, seed: UInt64) throws {
    let rig = try LayerRig(kind, temporal: 3, seed: seed)
    var random = SeededGenerator(TestSeed.of(seed) &* 77)
    rig.start()
    rig.run(500)
    rig.meeting.up = LinkConditions(loss: 0.05, duplicates: 0.01, delay: .milliseconds(15), jitter: .milliseconds(5))
    rig.meeting.down = LinkConditions(loss: 0.05, duplicates: 0.01, delay: .milliseconds(15), jitter: .milliseconds(5))
    for _ in 0..<24 {
      rig.target(0, UInt8.random(in: 0...2, using: &random))
      rig.run(Int64.random(in: 100...700, using: &random))
    }
    rig.settle()
    // A frame whose first packet was lost may be cut where its layer is left.
    expectContinuous(rig.stream, cutFrames: 12, "\(kind), seed \(seed)")
    #expect(rig.stream.packets.count > 250)
  }
}
