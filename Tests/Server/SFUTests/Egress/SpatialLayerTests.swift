import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Spatial layers in one stream", .tellsSeeds)
struct SpatialLayerTests {
  static let kinds: [LayeredShape.Kind] = [.vp9, .descriptor, .vp9WithDescriptor]

  /// The highest spatial layer of each picture since `start`.
  private func tops(_ rig: LayerRig, since start: Instant) -> [UInt8] {
    var tops: [UInt32: UInt8] = [:]
    for frame in rig.frames(since: start) {
      tops[frame.timestamp] = max(tops[frame.timestamp] ?? 0, frame.mark.spatial)
    }
    return Array(tops.values)
  }

  @Test(
    "layers go down without a keyframe, up with one, and a frame's end is marked",
    arguments: kinds)
  func downAndUp(kind: LayeredShape.Kind) throws {
    let rig = try LayerRig(kind, spatial: 3, temporal: 3)
    rig.start()
    rig.run(1_000)
    #expect(rig.slot.current == LayerIndex(spatial: 2, temporal: 2))
    let requests = rig.sources[0].keyframeRequests.count

    for layer in [1, 0] as [UInt8] {
      rig.target(layer, 7)
      let down = rig.meeting.now
      rig.run(500)
      #expect(Set(tops(rig, since: down + .milliseconds(50))) == [layer])
      #expect(rig.slot.current?.spatial == layer)
    }
    #expect(rig.sources[0].keyframeRequests.count == requests)

    rig.target(2, 7)
    let up = rig.meeting.now
    rig.run(500)
    #expect(rig.sources[0].keyframeRequests.count == requests + 1)
    #expect(rig.slot.current?.spatial == 2)
    #expect(Set(tops(rig, since: up + .milliseconds(110))) == [2])
    rig.settle()
    expectContinuous(rig.stream)

    // The marker is on the last packet of each picture and on no other.
    let packets = rig.stream.ordered
    for (packet, next) in zip(packets, packets.dropFirst()) {
      #expect(packet.marker == (packet.timestamp != next.timestamp))
    }
  }

  @Test("spatial and temporal layers together, under loss and reordering", arguments: kinds, [1, 2, 3] as [UInt64])
  func lossy(kind: LayeredShape.Kind, seed: UInt64) throws {
    let rig = try LayerRig(kind, spatial: 3, temporal: 3, seed: seed)
    var random = SeededGenerator(TestSeed.of(seed) &* 13)
    rig.start()
    rig.run(500)
    rig.meeting.up = LinkConditions(loss: 0.02, duplicates: 0.01, delay: .milliseconds(15), jitter: .milliseconds(4))
    rig.meeting.down = LinkConditions(loss: 0.03, duplicates: 0.01, delay: .milliseconds(15), jitter: .milliseconds(4))
    for _ in 0..<16 {
      rig.target(UInt8.random(in: 0...2, using: &random), UInt8.random(in: 0...2, using: &random))
      rig.run(Int64.random(in: 200...900, using: &random))
    }
    rig.settle()
    expectContinuous(rig.stream, cutFrames: 24, "\(kind), seed \(seed)")
  }

  @Test("layers independent between keyframes go alone, and change at a keyframe")
  func independent() throws {
    let rig = try LayerRig(.descriptor, spatial: 3, temporal: 3, isIndependent: true)
    rig.start()
    rig.run(1_000)
    let begun = rig.meeting.now
    rig.run(500)
    #expect(Set(rig.frames(since: begun).map(\.mark.spatial)) == [2], "lower layers serve keyframes only")
    rig.target(0, 7)
    let changed = rig.meeting.now
    rig.run(500)
    #expect(Set(rig.frames(since: changed + .milliseconds(110)).map(\.mark.spatial)) == [0])
    rig.target(0, 0)
    let slower = rig.meeting.now
    rig.run(500)
    #expect(Set(rig.frames(since: slower + .milliseconds(50)).map(\.mark.temporal)) == [0])
    rig.settle()
    expectContinuous(rig.stream)
  }

  @Test(
    "the receiver is told the complete decode targets, and all again (AOM appendix A)"
  )
  func activeTargets() throws {
    let rig = try LayerRig(.descriptor, spatial: 2, temporal: 2)
    rig.start()
    rig.run(1_000)
    /// The last mask that the receiver got, and the number of the last frame.
    func told() throws -> (mask: UInt32?, frame: UInt16) {
      var structure: DependencyStructure?
      var mask: UInt32?
      var frame: UInt16?
      for packet in rig.stream.ordered {
        let bytes = packet.descriptor
        let read = try DependencyDescriptor.parse(bytes.span, at: 0..<bytes.count, current: structure)
        structure = read.structure ?? structure
        mask = read.activeDecodeTargets ?? mask
        #expect(read.references != nil)
        if let frame {
          let step = read.frameNumber &- frame
          #expect(step < 16)
        }
        frame = read.frameNumber
      }
      return (mask, frame ?? 0)
    }
    #expect(try told().mask == 0b1111)
    rig.target(1, 0)
    rig.run(300)
    #expect(try told().mask == 0b0101, "layer 0 and layer 1 at half the frame rate")
    rig.target(0, 1)
    rig.run(300)
    #expect(try told().mask == 0b0011)
    rig.target(0, 0)
    rig.run(300)
    #expect(try told().mask == 0b0001)
    rig.meeting.router.setTarget(.highest, of: rig.slot)
    rig.run(500)
    #expect(try told().mask == 0b1111)
    // Targets that the sender itself stops are passed on.
    rig.sources[0].shape?.announcedTargets = 0b0011
    rig.run(300)
    #expect(try told().mask == 0b0011)
    rig.settle()
    expectContinuous(rig.stream)
  }

  @Test(
    "without descriptors a receiver gets AV1's smallest layer alone, and all of VP9"
  )
  func withoutDescriptors() throws {
    for kind in [LayeredShape.Kind.descriptor, .vp9WithDescriptor] {
      let rig = try LayerRig(kind, spatial: 3, temporal: 3, isIndependent: true)
      let cem = try rig.meeting.join("cem")
      let slot = cem.slot("8", .video, ssrc: 6_000, codecs: LayerRig.codecs(kind), without: .dependencyDescriptor)
      rig.meeting.router.attach(rig.publication, to: slot)
      rig.start()
      rig.run(1_000)
      rig.meeting.router.setWanted(width: 1_280, height: 720, slot, now: rig.meeting.now)
      rig.run(1_000)
      rig.settle()
      #expect(rig.slot.current?.spatial == 2)
      let stream = try #require(cem.streams[6_000])
      let pictures = ReceivedFrame.all(stream)
      #expect(pictures.count > 50)
      if kind == .descriptor {
        #expect(slot.current == LayerIndex(spatial: 0, temporal: 2))
        #expect(Set(pictures.map(\.timestamp)).count == pictures.count, "one frame a picture")
      } else {
        #expect(slot.current?.spatial == 2)
      }
      expectContinuous(stream)
    }
  }

  @Test(
    "an offer without dependency descriptors leaves the smallest layer, one with all")
  func renegotiated() throws {
    let rig = try LayerRig(.descriptor, spatial: 3, temporal: 3)
    func told() -> [UInt8?] {
      var wishes: [UInt8?] = []
      while let event = rig.meeting.router.pollEvent() {
        if case .layersWanted(_, let wanted) = event { wishes.append(wanted.spatial) }
      }
      return wishes
    }
    rig.start()
    rig.run(1_000)
    #expect(rig.slot.current?.spatial == 2)
    #expect(told().isEmpty)
    let whole = rig.slot.media
    var media = whole
    media.extensions[.dependencyDescriptor] = nil
    rig.meeting.router.renegotiate(rig.slot, media: media)
    let without = rig.meeting.now
    rig.run(1_500)
    #expect(rig.slot.current?.spatial == 0)
    #expect(told() == [0], "nobody watches the others")
    let sizes = Set(rig.frames(since: without + .milliseconds(60)).map(\.mark.spatial))
    #expect(sizes == [0])

    let asked = rig.sources[0].keyframeRequests.count
    rig.meeting.router.renegotiate(rig.slot, media: whole)
    rig.run(5)
    #expect(told() == [7])
    rig.run(500)
    #expect(rig.slot.current?.spatial == 2)
    #expect(rig.sources[0].keyframeRequests.count == asked + 1)
    rig.settle()
    expectContinuous(rig.stream)
  }

  @Test("frame numbers go on over a source change, so no keyframe is taken for an old one")
  func frameNumbers() throws {
    let rig = try LayerRig(simulcast: .descriptor, temporal: 3)
    rig.start()
    rig.run(1_000)
    for layer in [0, 2, 1, 0, 2] as [UInt8] {
      rig.target(layer, 7)
      rig.run(500)
    }
    rig.settle()
    var last: UInt16?
    for packet in rig.stream.ordered {
      let bytes = packet.descriptor
      let number = try DependencyDescriptor.parse(bytes.span, at: 0..<bytes.count).frameNumber
      if let last { #expect(number &- last <= 1, "frame \(last) then \(number)") }
      last = number
    }
  }

  @Test("a layer's rate is measured with all that it needs", arguments: kinds)
  func ladder(kind: LayeredShape.Kind) throws {
    let rig = try LayerRig(kind, spatial: 3, temporal: 3)
    rig.start()
    rig.run(3_000)
    let ladder = rig.publication.layers(now: rig.meeting.now)
    var steps: [LayerIndex] = []
    for spatial in UInt8(0)..<3 {
      for temporal in UInt8(0)..<3 { steps.append(LayerIndex(spatial: spatial, temporal: temporal)) }
    }
    #expect(Array(ladder.map(\.index)) == steps)
    #expect(ladder.map(\.width) == [320, 320, 320, 640, 640, 640, 1_280, 1_280, 1_280])
    // Two packets a layer frame of 400, 800 and 1,200 bytes, and what is around them; 7.5, 15 and 30 pictures a second.
    for option in ladder {
      var bytes = 0.0
      for layer in 0...Int(option.index.spatial) { bytes += 2 * Double(400 * (layer + 1) + 72) }
      let expected = bytes * 8 * 30.3 / Double(4 >> option.index.temporal)
      let ratio = Double(option.rate.bitsPerSecond) / expected
      #expect((0.8...1.25).contains(ratio), "\(option.index): \(option.rate.bitsPerSecond) for \(expected)")
    }
    rig.sources[0].stop()
    rig.run(4_000)
    #expect(rig.publication.layers(now: rig.meeting.now).isEmpty)
  }
}
