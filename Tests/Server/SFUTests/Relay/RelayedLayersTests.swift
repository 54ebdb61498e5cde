import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

/// Simulcast and layers inside a stream, where publisher and receivers are on different routers.
@Suite("Relayed layers", .tellsSeeds)
struct RelayedLayersTests {
  /// A camera of three simulcast streams on router 0, and a receiver on router 1.
  private func meeting() throws -> (VirtualCluster, [VirtualSource], VirtualClient, Subscription) {
    let cluster = try VirtualCluster(routers: 2)
    cluster.connectAll()
    let ann = try cluster.meetings[0].join("ann")
    let codecs = LayerRig.codecs(.vp8)
    let sources = ann.publishSimulcast("t_1", mid: "0", rids: ["q", "h", "f"], ssrc: 1_000, codecs: codecs)
    for (index, source) in sources.enumerated() {
      source.shape = LayeredShape(
        .vp8, source: UInt8(index), temporal: 1, width: 320 << index, height: 180 << index)
      source.shape?.packetSize = 200 + 250 * index
      source.sequence = UInt16(20_000 * index + 700)
    }
    cluster.settle()
    let ben = try cluster.meetings[1].join("ben")
    let slot = ben.slot("7", .video, ssrc: 5_000, codecs: codecs)
    #expect(cluster.attach("t_1", to: slot, on: 1))
    for source in sources { source.start() }
    return (cluster, sources, ben, slot)
  }

  private func told(_ cluster: VirtualCluster, _ router: Int) -> [LayersWanted] {
    cluster.events(of: router).compactMap { if case .layersWanted(_, let wanted) = $0 { wanted } else { nil } }
  }

  @Test(
    "layers nobody behind the relay shows don't cross, until they are shown again"
  )
  func layersWanted() throws {
    let (cluster, _, ben, slot) = try meeting()
    let router = cluster.meetings[1].router
    cluster.run(for: .seconds(2))
    #expect(slot.current?.spatial == 2)
    let wire = cluster.wire(0, 1)
    #expect(wire.layers.count == 3)
    #expect(told(cluster, 0).isEmpty)

    router.setWanted(width: 320, height: 180, slot, now: cluster.now)
    cluster.run(for: .seconds(4))
    #expect(slot.current?.spatial == 0)
    wire.resetCounts()
    cluster.run(for: .seconds(1))
    #expect(Array(wire.layers.keys) == [0], "layers \(wire.layers) cross")
    #expect(told(cluster, 0).last?.streams.map(\.rawValue) == ["q"])
    // Only the router that the publisher is on reports it.
    #expect(told(cluster, 1).isEmpty)

    router.setWanted(width: 1_280, height: 720, slot, now: cluster.now)
    cluster.run(for: .seconds(1))
    #expect(slot.current?.spatial == 2)
    let whole = told(cluster, 0).last
    #expect(whole?.streams.count == 3 && whole?.frameRate == 0)

    router.setWanted(width: 1_280, height: 720, frameRate: 9, slot, now: cluster.now)
    cluster.run(for: .seconds(3))
    #expect(told(cluster, 0).last?.frameRate == 9)
    router.setWanted(width: 1_280, height: 720, slot, now: cluster.now)
    cluster.run(for: .seconds(1))
    #expect(told(cluster, 0).last?.frameRate == 0)
    cluster.run(for: .seconds(1))
    if let stream = ben.streams[5_000] { expectContinuous(stream, pictures: true) }
  }

  @Test("layers unseen behind the relay don't cross, and are back with a keyframe")
  func hidden() throws {
    let (cluster, _, ben, slot) = try meeting()
    let router = cluster.meetings[1].router
    cluster.run(for: .seconds(2))
    router.setWanted(width: 0, height: 0, slot, now: cluster.now)
    cluster.run(for: .seconds(4))
    let wire = cluster.wire(0, 1)
    wire.resetCounts()
    cluster.run(for: .seconds(1))
    #expect(wire.count(.media) == 0)
    #expect(told(cluster, 0).last?.spatial == nil)
    let before = ben.streams[5_000]?.packets.count ?? 0
    router.setWanted(width: 1_280, height: 720, slot, now: cluster.now)
    let shown = cluster.now
    cluster.run(for: .seconds(1))
    let first = try #require(ben.streams[5_000]?.ordered.first { $0.at >= shown })
    #expect(first.at - shown < .milliseconds(250))
    #expect((ben.streams[5_000]?.packets.count ?? 0) > before + 20)
    #expect(told(cluster, 0).last?.spatial == 7)
    #expect(ben.streams[5_000]?.missing == 0)
  }

  @Test(
    "spatial layers nobody behind the relay shows are named to their sender"
  )
  func oneStream() throws {
    let cluster = try VirtualCluster(routers: 2)
    cluster.connectAll()
    let ann = try cluster.meetings[0].join("ann")
    let codecs = LayerRig.codecs(.descriptor)
    let source = ann.publish("t_1", mid: "0", .video, ssrc: 1_000, codecs: codecs)
    let shape = LayeredShape(.descriptor, spatial: 3, temporal: 3, width: 1_280, height: 720)
    shape.isIndependent = true
    source.shape = shape
    cluster.settle()
    let ben = try cluster.meetings[1].join("ben")
    let slot = ben.slot("7", .video, ssrc: 5_000, codecs: codecs)
    #expect(cluster.attach("t_1", to: slot, on: 1))
    source.start()
    cluster.run(for: .seconds(2))
    #expect(slot.current?.spatial == 2)

    let router = cluster.meetings[1].router
    router.setWanted(width: 320, height: 180, slot, now: cluster.now)
    cluster.run(for: .seconds(4))
    let less = try #require(told(cluster, 0).last)
    #expect(less.spatial == 0 && less.layerCount == 3)
    (shape.spatialLayers, shape.width, shape.height) = (1, 320, 180)
    source.wantsKeyframe = true
    cluster.run(for: .seconds(4))
    #expect(told(cluster, 0).isEmpty, "what is left is no other camera")
    #expect(slot.current?.spatial == 0)

    router.setWanted(width: 1_280, height: 720, slot, now: cluster.now)
    cluster.run(for: .milliseconds(100))
    #expect(told(cluster, 0).last?.spatial == 7)
    (shape.spatialLayers, shape.width, shape.height) = (3, 1_280, 720)
    source.wantsKeyframe = true
    cluster.run(for: .seconds(1))
    #expect(slot.current?.spatial == 2)
    if let stream = ben.streams[5_000] { expectContinuous(stream) }
  }
}
