import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Hostile layers", .tellsSeeds)
struct HostileLayerTests {
  @Test(
    "threat 17: random descriptors and cut structures break nothing and end there",
    arguments: [1, 2] as [UInt64])
  func descriptors(seed: UInt64) throws {
    let rig = try LayerRig(.descriptor, spatial: 3, temporal: 3, seed: seed)
    var random = SeededGenerator(TestSeed.of(seed))
    rig.start()
    rig.run(500)
    let source = rig.sources[0]
    for round in 0..<2_000 {
      var descriptor = (0..<Int.random(in: 1...80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
      }
      // Half of them claim a structure.
      if descriptor.count > 3, round % 2 == 0 { descriptor[3] |= 0x80 }
      source.send([0x10, 0x30, 1, 2, 3], descriptor: descriptor)
      if round % 50 == 0 {
        rig.target(UInt8.random(in: 0...7, using: &random), UInt8.random(in: 0...7, using: &random))
        rig.run(20)
      }
    }
    rig.run(500)
    for packet in rig.stream.ordered where !packet.descriptor.isEmpty {
      #expect(packet.descriptor.count >= 3)
    }
    #expect(rig.stream.missing == 0)
    #expect(rig.publication.layers(now: rig.meeting.now).count <= 16)
    // A keyframe puts everything right.
    source.wantsKeyframe = true
    rig.meeting.router.setTarget(.highest, of: rig.slot)
    rig.run(200)
    let clean = rig.meeting.now
    rig.run(500)
    #expect(rig.frames(since: clean).filter(\.isComplete).count > 20)
  }

  @Test(
    "threat 17: VP8 and VP9 packets with random layer fields break nothing", arguments: [LayeredShape.Kind.vp8, .vp9])
  func payloads(kind: LayeredShape.Kind) throws {
    let rig = try LayerRig(kind, spatial: kind == .vp9 ? 3 : 1, temporal: 3)
    var random = SeededGenerator(TestSeed.of(9))
    rig.start()
    rig.run(500)
    for round in 0..<3_000 {
      rig.sources[0].timestamp =
        random.next() % 3 == 0 ? UInt32(truncatingIfNeeded: random.next()) : rig.sources[0].timestamp
      rig.sources[0].send((0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }, marker: round % 3 == 0)
      if round % 40 == 0 {
        rig.target(UInt8.random(in: 0...7, using: &random), UInt8.random(in: 0...7, using: &random))
        rig.wants(Int.random(in: -5...100_000, using: &random), Int.random(in: -5...100_000, using: &random))
        rig.run(20)
      }
    }
    rig.settle()
    #expect(rig.stream.conflicts == 0)
  }

  @Test("the decode target mask follows the structure, and everything else stays")
  func writer() throws {
    let shape = LayeredShape(.descriptor, spatial: 2, temporal: 2)
    let rig = try LayerRig(.descriptor, spatial: 2, temporal: 2)
    let reader = DependencyReader()
    for number in 0..<40 {
      for packet in shape.picture(isKeyframe: number % 17 == 0, of: rig.sources[0]) {
        let source = packet.descriptor
        let before = try reader.read(source.span, at: 0..<source.count, sequence: Int64(number))
        var output = [UInt8](repeating: 0, count: 256)
        var span = output.mutableSpan
        let length = DependencyWriter.write(
          source.span, frameNumber: 777, activeTargets: (0b0101, 4), maskBit: Int(before.activeTargetsBit),
          hasMask: before.hasActiveTargets, into: &span)
        #expect(length >= source.count)
        let written = Array(output[..<length])
        let other = DependencyReader()
        _ = try other.read(keyframe(shape).span, at: 0..<keyframe(shape).count, sequence: -1)
        let after = try other.read(written.span, at: 0..<length, sequence: Int64(number))
        #expect(after.frameNumber == 777)
        #expect(after.hasActiveTargets && other.activeTargets == 0b0101)
        #expect(after.targets == before.targets && after.switches == before.switches)
        #expect(after.layer == before.layer && after.hasReferences == before.hasReferences)
        #expect(after.isFrameStart == before.isFrameStart && after.hasStructure == before.hasStructure)
      }
    }
  }

  private func keyframe(_ shape: LayeredShape) -> [UInt8] {
    let copy = LayeredShape(.descriptor, spatial: shape.spatialLayers, temporal: shape.temporalLayers)
    guard let rig = try? LayerRig(.descriptor) else { return [] }
    return copy.picture(isKeyframe: true, of: rig.sources[0]).first?.descriptor ?? []
  }
}
