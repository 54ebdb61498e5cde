import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

/// Packets that a relay doesn't take at once, and the loss of receivers behind it.
@Suite("Repairs over relays", .tellsSeeds)
struct RelayRepairTests {
  /// Ann's camera and voice on router 0, Ben on router 1 behind a ring of 16 KiB, which takes a tenth of a second of
  /// both.
  private func meeting() throws -> (VirtualCluster, VirtualClient, VirtualClient) {
    let cluster = try VirtualCluster(routers: 2, seed: 2)
    cluster.connectAll(ringBytes: 16_384)
    let ann = try cluster.meetings[0].join("ann")
    let camera = ann.publish("v", mid: "0", .video, ssrc: 1_000)
    let voice = ann.publish("a", mid: "1", .audio, ssrc: 2_000)
    cluster.settle()
    let ben = try cluster.meetings[1].join("ben")
    cluster.attach("v", to: ben.slot("7", .video, ssrc: 5_000), on: 1)
    cluster.attach("a", to: ben.slot("8", .audio, ssrc: 6_000), on: 1)
    camera.start()
    voice.start()
    cluster.run(for: .seconds(1))
    return (cluster, ann, ben)
  }

  @Test("packets that a full ring refused follow in order: a delay and no gap")
  func follows() throws {
    let (cluster, ann, ben) = try meeting()
    let wire = cluster.wire(0, 1)
    let asked = ann.keyframeRequests
    wire.isStuck = true
    cluster.run(for: .milliseconds(300))
    #expect(wire.output.counters.packetsDelayed > 10)
    wire.isStuck = false
    cluster.run(for: .seconds(1))
    #expect(wire.output.counters.packetsDropped == 0)
    for ssrc in [5_000, 6_000] as [UInt32] {
      let stream = try #require(ben.streams[ssrc])
      #expect(stream.missing == 0 && stream.duplicates == 0)
      #expect(stream.ordered.allSatisfy { !$0.isRetransmission })
      #expect((stream.ordered.last?.at ?? .zero) > cluster.now - .milliseconds(100))
      let times = stream.ordered.map(\.at)
      #expect(times == times.sorted(), "in order")
    }
    #expect(cluster.meetings[1].router.counters[.duplicate] == 0)
    #expect(ann.keyframeRequests == asked)
    // Nothing is left to be done.
    #expect(cluster.meetings[0].router.relayState.owing.isEmpty)
    #expect(cluster.meetings[0].router.relayState.backlogDeadline == .distantFuture)
  }

  @Test("the last packets before a pause follow as well, though nothing comes after them")
  func lastPackets() throws {
    let (cluster, ann, ben) = try meeting()
    let wire = cluster.wire(0, 1)
    wire.isStuck = true
    cluster.run(for: .milliseconds(300))
    for source in ann.sources { source.stop() }
    cluster.run(for: .milliseconds(20))
    wire.isStuck = false
    cluster.run(for: .milliseconds(200))
    let sent = ann.sources[0].packetsSent
    let stream = try #require(ben.streams[5_000])
    // The first pictures came before he was there.
    #expect(stream.packets.count > sent - 12 && stream.missing == 0)
    #expect(stream.ordered.last?.timestamp != nil)
    #expect(
      cluster.meetings[1].router.counters.packetsRelayedIn == cluster.meetings[0].router.counters.packetsRelayedOut)
  }

  @Test(
    "video lost to a full ring goes on with a keyframe nobody asked for, audio as is"
  )
  func givesUp() throws {
    let (cluster, ann, ben) = try meeting()
    let wire = cluster.wire(0, 1)
    let asked = ann.keyframeRequests
    wire.isStuck = true
    cluster.run(for: .seconds(2))
    #expect(ann.keyframeRequests == asked, "a keyframe would not get through either")
    #expect(wire.output.counters.packetsDropped > 100)
    wire.isStuck = false
    cluster.run(for: .seconds(1))
    #expect(ann.keyframeRequests == asked + 1)
    let back = cluster.now - .seconds(1)
    let keyframe = ben.streams[5_000]?.ordered.first {
      $0.at > back && $0.payload[1] == 0xC0 && $0.payload[5] & 1 == 0
    }
    #expect((keyframe?.at ?? .distantFuture) < back + .milliseconds(300))
    let sound = ben.streams[6_000]?.ordered.filter { $0.at > back } ?? []
    #expect(sound.count > 70, "half a second of sound that waited, and what came since: \(sound.count)")
  }

  @Test("packets late during a catch-up are written once, and none twice")
  func lateMeanwhile() throws {
    let (cluster, _, ben) = try meeting()
    let wire = cluster.wire(0, 1)
    cluster.meetings[0].up = LinkConditions(loss: 0.1, delay: .milliseconds(20), jitter: .milliseconds(10))
    for _ in 0..<12 {
      wire.isStuck = true
      cluster.run(for: .milliseconds(300))
      wire.isStuck = false
      cluster.run(for: .milliseconds(40))
    }
    cluster.meetings[0].up = LinkConditions()
    cluster.run(for: .seconds(1))
    let counters = wire.output.counters
    #expect(counters.packetsDelayed > 200, "\(counters)")
    #expect(counters.packetsDropped == 0)
    let (from, to) = (cluster.meetings[0].router.counters, cluster.meetings[1].router.counters)
    #expect(to[.duplicate] == 0, "of \(to.packetsRelayedIn)")
    #expect(to.packetsRelayedIn == from.packetsRelayedOut)
    #expect(ben.streams[5_000]?.missing == 0)
    #expect(cluster.meetings[0].router.relayState.owing.isEmpty)
  }

  @Test("packets too late to be remembered are given up, and counted")
  func tooManyLate() {
    let ring = RelayOutput(ring: RelayRing(capacity: 4_096))
    var backlog = RelayBacklog(relay: Relay(channel: 1, reach: .machine, output: ring, session: 1), from: 1_000)
    for number in 0..<100 as Range<Int64> {
      let isKept = backlog.add(number * 3)
      #expect(isKept == (number < Int64(RelayBacklog.maximumLate)))
    }
    #expect(backlog.waiting == RelayBacklog.maximumLate)
    #expect(backlog.lost == 297)
    // The late ones come first, and only they.
    var turns: [Int64] = []
    while let number = backlog.next(highest: 1_001) {
      turns.append(number)
      backlog.advance()
    }
    #expect(turns == (0..<64).map { $0 * 3 } + [1_000, 1_001])
  }

  @Test(
    "packets dropped from the store before there was room count, and video goes on"
  )
  func letGo() throws {
    let (cluster, ann, ben) = try meeting()
    let wire = cluster.wire(0, 1)
    let camera = ann.sources[0]
    camera.packetsPerFrame = 60
    camera.packetSize = 300
    wire.isStuck = true
    // More than the store has places for, and none of them too old.
    cluster.run(for: .milliseconds(420))
    let asked = ann.keyframeRequests
    #expect(wire.output.counters.packetsDropped == 0)
    wire.isStuck = false
    cluster.run(for: .seconds(1))
    for source in ann.sources { source.stop() }
    cluster.run(for: .milliseconds(100))
    let counters = wire.output.counters
    #expect(counters.packetsDropped > 100)
    let router = cluster.meetings[0].router
    #expect(router.counters.packetsRelayedOut + counters.packetsDropped == router.counters.packetsReceived)
    #expect(ann.keyframeRequests > asked)
    let picture = try #require(ben.streams[5_000])
    let lost = picture.ordered.indices.dropFirst().first {
      picture.ordered[$0].sequence - picture.ordered[$0 - 1].sequence > 100
    }
    let since = try #require(lost)
    #expect(picture.ordered[since...].contains { $0.payload[1] == 0xC0 && $0.payload[5] & 1 == 0 })
  }

  @Test("a packet that comes twice over a relay counts once as received")
  func twice() throws {
    let (cluster, _, _) = try meeting()
    let wire = cluster.wire(0, 1)
    let router = cluster.meetings[1].router
    let relay = try #require(wire.relay)
    let record = try #require(wire.last[.media])
    let streams = ["v", "a"].flatMap { router.publication(PublicationID(rawValue: $0))?.streams ?? [] }
    let before = streams.map(\.statistics.receivedCount)
    for _ in 0..<10 { router.receive(record.span, from: relay, now: cluster.now) }
    #expect(router.counters[.duplicate] == 10)
    #expect(streams.map(\.statistics.receivedCount) == before)
    #expect(streams.allSatisfy { $0.statistics.cumulativeLost == 0 })
  }

  @Test("packets that wait for a full ring are dropped once muted or unwanted")
  func forgotten() throws {
    for mutes in [true, false] {
      let (cluster, _, ben) = try meeting()
      let wire = cluster.wire(0, 1)
      wire.isStuck = true
      cluster.run(for: .milliseconds(300))
      let router = cluster.meetings[0].router
      #expect(router.relayState.owing.count == 2)
      if mutes {
        let camera = try #require(router.publication(PublicationID(rawValue: "v")))
        router.setMuted(true, camera)
        #expect(camera.streams.allSatisfy { $0.backlog.isEmpty })
        #expect(router.relayState.owing.count == 1)
      } else {
        for slot in ben.slots.values { cluster.meetings[1].router.detach(slot) }
        cluster.run(for: .milliseconds(50))
        #expect(router.relayState.owing.isEmpty)
      }
      wire.isStuck = false
      cluster.run(for: .milliseconds(200))
      #expect(router.relayState.owing.isEmpty)
    }
  }

  @Test("a speaker gets the loss of receivers behind relays, and its end")
  func losses() throws {
    // 0 – 1 | 2: the listener is on another machine.
    let cluster = try VirtualCluster(routers: 3, seed: 6)
    cluster.connect(0, 1)
    cluster.connect(1, 2, reach: .network, delay: .milliseconds(5))
    let ann = try cluster.meetings[0].join("ann")
    let voice = ann.publish("a", mid: "0", .audio, ssrc: 1_000)
    cluster.settle()
    let ben = try cluster.meetings[2].join("ben")
    let slot = ben.slot("7", .audio, ssrc: 5_000)
    cluster.attach("a", to: slot, on: 2)
    voice.start()
    func told() -> Double {
      let blocks = ann.receiverReports.filter { $0.ssrc.rawValue == 1_000 }.suffix(6)
      return Double(blocks.map { Int($0.fractionLost) }.reduce(0, +)) / Double(max(blocks.count, 1)) / 256
    }
    cluster.run(for: .seconds(5))
    #expect(told() == 0)
    #expect(cluster.wire(1, 0).count(.loss) == 0, "nothing is lost, nothing is said")
    cluster.meetings[2].down.loss = 0.2
    cluster.run(for: .seconds(10))
    #expect(abs(told() - 0.2) < 0.06, "\(told())")
    #expect(cluster.wire(1, 0).count(.loss) <= 12)
    cluster.meetings[2].down.loss = 0
    cluster.run(for: .seconds(10))
    #expect(told() == 0)
    // Also when the one who lost it goes.
    cluster.meetings[2].down.loss = 0.2
    cluster.run(for: .seconds(8))
    #expect(told() > 0.1)
    cluster.meetings[2].router.detach(slot)
    cluster.run(for: .seconds(8))
    #expect(told() == 0)
  }
}
