import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

@Suite("Relays", .tellsSeeds)
struct RelayTests {
  /// A camera on router 0 and `receivers` on router 1.
  private func meeting(
    receivers: Int, seed: UInt64 = 1, ringBytes: Int = 1 << 18
  ) throws -> (VirtualCluster, VirtualClient, VirtualSource, [VirtualClient]) {
    let cluster = try VirtualCluster(routers: 2, seed: seed)
    cluster.connectAll(ringBytes: ringBytes)
    let ann = try cluster.meetings[0].join("ann")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    cluster.settle()
    var clients: [VirtualClient] = []
    for index in 0..<receivers {
      let client = try cluster.meetings[1].join("r\(index)")
      let slot = client.slot("7", .video, ssrc: 5_000)
      #expect(cluster.attach("t_1", to: slot, on: 1))
      clients.append(client)
    }
    return (cluster, ann, camera, clients)
  }

  @Test("media crosses once between two routers, and reaches every receiver whole")
  func once() throws {
    let (cluster, _, camera, clients) = try meeting(receivers: 20)
    camera.start()
    cluster.run(for: .seconds(2))
    let crossed = cluster.wire(0, 1).count(.media)
    #expect(crossed <= camera.packetsSent)
    #expect(crossed >= camera.packetsSent - 8)
    for client in clients {
      let stream = try #require(client.streams[5_000])
      #expect(stream.packets.count >= crossed - 12)
      #expect(stream.missing == 0)
      #expect(stream.duplicates == 0)
    }
    #expect(cluster.wire(0, 1).count(.announce) == 1)
    #expect(cluster.wire(1, 0).count(.subscribe) == 1)
    #expect(cluster.wire(1, 0).count(.media) == 0)
  }

  @Test("a publication unwanted on the other router doesn't cross, or stops")
  func demand() throws {
    let (cluster, _, camera, clients) = try meeting(receivers: 2)
    let slots = clients.compactMap { $0.slots["7"] }
    let router = cluster.meetings[1].router
    for slot in slots { router.detach(slot) }
    cluster.settle()
    cluster.wire(0, 1).resetCounts()
    camera.start()
    cluster.run(for: .seconds(1))
    #expect(cluster.wire(0, 1).count(.media) == 0)
    #expect(cluster.wire(0, 1).count(.report) == 0)

    cluster.attach("t_1", to: slots[0], on: 1)
    cluster.attach("t_1", to: slots[1], on: 1)
    cluster.run(for: .seconds(1))
    let crossed = cluster.wire(0, 1).count(.media)
    #expect(crossed > 50)
    #expect(clients[0].streams[5_000]?.missing == 0)
    router.detach(slots[0])
    cluster.run(for: .milliseconds(500))
    #expect(cluster.wire(0, 1).count(.media) > crossed)
    router.detach(slots[1])
    cluster.run(for: .milliseconds(50))
    let last = cluster.wire(0, 1).count(.media)
    cluster.run(for: .seconds(1))
    #expect(cluster.wire(0, 1).count(.media) == last)
  }

  @Test("lost packets are sent again by the receiver's own router; nothing of it crosses", arguments: 1...3)
  func nacks(seed: UInt64) throws {
    let (cluster, ann, camera, clients) = try meeting(receivers: 3, seed: seed)
    cluster.meetings[1].down.loss = 0.08
    camera.start()
    cluster.run(for: .seconds(3))
    camera.stop()
    cluster.meetings[1].down.loss = 0
    cluster.run(for: .seconds(2))
    for client in clients { #expect(client.streams[5_000]?.missing == 0) }
    #expect(cluster.meetings[1].router.counters.retransmissions > 20)
    #expect(cluster.meetings[0].router.counters.retransmissions == 0)
    #expect(ann.receivedNacks == 0)
    let back = cluster.wire(1, 0)
    #expect(back.count(.subscribe) == 1 && back.count(.unsubscribe) == 0)
  }

  @Test("a keyframe all receivers ask for is asked for once, and reaches them all")
  func keyframes() throws {
    let (cluster, ann, camera, clients) = try meeting(receivers: 20)
    camera.start()
    cluster.run(for: .seconds(3))
    let asked = ann.keyframeRequests
    cluster.wire(1, 0).resetCounts()
    for client in clients { client.sendPLI(ssrc: 5_000) }
    cluster.run(for: .seconds(2))
    #expect(cluster.wire(1, 0).count(.keyframe) == 1)
    #expect(ann.keyframeRequests == asked + 1)
    for client in clients {
      let keyframes = client.streams[5_000]?.ordered.filter { $0.payload[1] == 0xC0 && $0.payload[5] & 1 == 0 } ?? []
      #expect(keyframes.count >= 2)
    }
  }

  @Test("a new viewer on the other router gets a keyframe by one request")
  func lateSubscriber() throws {
    let (cluster, ann, camera, _) = try meeting(receivers: 0)
    camera.start()
    cluster.run(for: .seconds(2))
    #expect(ann.keyframeRequests == 0)
    let late = try cluster.meetings[1].join("late")
    let slot = late.slot("7", .video, ssrc: 5_000)
    cluster.attach("t_1", to: slot, on: 1)
    cluster.run(for: .milliseconds(300))
    let first = try #require(late.streams[5_000]?.ordered.first)
    #expect(first.payload[5] & 1 == 0)
    #expect(ann.keyframeRequests == 1)
  }

  @Test("a muted publication doesn't cross; unmuted it has a keyframe and no gap")
  func mute() throws {
    let (cluster, _, camera, clients) = try meeting(receivers: 1)
    camera.start()
    cluster.run(for: .seconds(1))
    cluster.meetings[0].router.setMuted(true, camera.publication)
    cluster.run(for: .milliseconds(50))
    let before = try #require(clients[0].streams[5_000]).packets.count
    cluster.wire(0, 1).resetCounts()
    cluster.run(for: .seconds(2))
    #expect(cluster.wire(0, 1).count(.media) == 0)
    #expect(clients[0].streams[5_000]?.packets.count == before)
    #expect(cluster.meetings[1].router.publication(PublicationID(rawValue: "t_1"))?.isMuted == true)
    cluster.meetings[0].router.setMuted(false, camera.publication)
    cluster.run(for: .seconds(1))
    let stream = try #require(clients[0].streams[5_000])
    #expect(stream.packets.count > before + 50)
    #expect(stream.missing == 0)
    #expect(stream.ordered[before].payload[5] & 1 == 0)
  }

  @Test("a participant who leaves or unpublishes is gone everywhere, its slots empty")
  func leaving() throws {
    let (cluster, ann, camera, clients) = try meeting(receivers: 2)
    camera.start()
    cluster.run(for: .seconds(1))
    camera.stop()
    cluster.meetings[0].router.remove(ann.member)
    cluster.settle()
    #expect(cluster.meetings[1].router.publication(PublicationID(rawValue: "t_1")) == nil)
    for client in clients { #expect(client.slots["7"]?.publication == nil) }
    // The number is used again by another publication: nothing of the old one is mistaken for it.
    let bob = try cluster.meetings[0].join("bob")
    let other = bob.publish("t_2", mid: "0", .video, ssrc: 2_000)
    cluster.settle()
    if let slot = clients[0].slots["7"] { #expect(cluster.attach("t_2", to: slot, on: 1)) }
    other.start()
    cluster.run(for: .seconds(1))
    #expect((clients[0].streams[5_000]?.packets.count ?? 0) > 150)
    #expect(clients[0].streams[5_000]?.missing == 0)
  }

  @Test("an ended relay empties what came over it, and a new one brings it back")
  func relayEnds() throws {
    let (cluster, _, camera, clients) = try meeting(receivers: 1)
    camera.start()
    cluster.run(for: .seconds(1))
    let router = cluster.meetings[1].router
    let relay = try #require(router.relays.first)
    router.removeRelay(relay)
    #expect(clients[0].slots["7"]?.publication == nil)
    #expect(router.publication(PublicationID(rawValue: "t_1")) == nil)
    // The same end again, with another session: the other side starts over as well.
    cluster.wire(0, 1).relay = router.addRelay(
      channel: relay.channel, reach: .machine, output: cluster.wire(1, 0).output)
    cluster.settle()
    if let slot = clients[0].slots["7"] { #expect(cluster.attach("t_1", to: slot, on: 1)) }
    let before = clients[0].streams[5_000]?.packets.count ?? 0
    cluster.run(for: .seconds(1))
    #expect((clients[0].streams[5_000]?.packets.count ?? 0) > before + 60)
  }

  @Test("a participant who moves is received, even before the old router knows the loss")
  func moving() throws {
    let cluster = try VirtualCluster(routers: 3)
    cluster.connectAll()
    let ann = try cluster.meetings[0].join("ann")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    cluster.settle()
    let ben = try cluster.meetings[1].join("ben")
    let slot = ben.slot("7", .video, ssrc: 5_000)
    cluster.attach("t_1", to: slot, on: 1)
    camera.start()
    cluster.run(for: .seconds(1))
    camera.stop()
    let again = try cluster.meetings[2].join("ann")
    let moved = again.publish("t_1", mid: "0", .video, ssrc: 2_000)
    moved.start()
    cluster.run(for: .seconds(1))
    #expect(slot.publication?.id.rawValue == "t_1")
    let before = ben.streams[5_000]?.packets.count ?? 0
    // Late reports of the old router change nothing.
    cluster.meetings[0].router.remove(ann.member)
    cluster.run(for: .seconds(1))
    #expect(slot.publication?.id.rawValue == "t_1")
    #expect((ben.streams[5_000]?.packets.count ?? 0) > before + 60)
    #expect(ben.streams[5_000]?.missing == 0)
  }

  @Test("a slot that is to carry what was not announced yet carries it as soon as it is")
  func awaiting() throws {
    let cluster = try VirtualCluster(routers: 2)
    cluster.connectAll(delay: .milliseconds(30))
    cluster.run(for: .milliseconds(200))
    let ann = try cluster.meetings[0].join("ann")
    let ben = try cluster.meetings[1].join("ben")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    let slot = ben.slot("7", .video, ssrc: 5_000)
    #expect(cluster.attach("t_1", to: slot, on: 1))
    #expect(slot.publication == nil)
    camera.start()
    cluster.run(for: .seconds(1))
    #expect(slot.publication?.id == PublicationID(rawValue: "t_1"))
    #expect((ben.streams[5_000]?.packets.count ?? 0) > 60)
    // A slot that was given something else in between is left alone.
    let other = ben.slot("8", .video, ssrc: 6_000)
    #expect(cluster.attach("t_9", to: other, on: 1))
    cluster.attach("t_1", to: other, on: 1)
    _ = ann.publish("t_9", mid: "1", .video, ssrc: 3_000)
    cluster.run(for: .milliseconds(200))
    #expect(other.publication?.id == PublicationID(rawValue: "t_1"))
  }

  /// Ann's camera is on router 0, and a slot of Ben's on router 1 has been given it; links take 30 ms.
  private func annSeenByBen(routers: Int) throws -> (VirtualCluster, VirtualClient, VirtualClient, Subscription) {
    let cluster = try VirtualCluster(routers: routers)
    cluster.connectAll(delay: .milliseconds(30))
    let ann = try cluster.meetings[0].join("ann")
    let ben = try cluster.meetings[1].join("ben")
    ann.publish("t_1", mid: "0", .video, ssrc: 1_000).start()
    cluster.run(for: .milliseconds(200))
    let slot = ben.slot("7", .video, ssrc: 5_000)
    cluster.attach("t_1", to: slot, on: 1)
    return (cluster, ann, ben, slot)
  }

  @Test("a slot waits for what its router lost, even if given it before that is known")
  func waitsForTheLost() throws {
    let (cluster, ann, _, slot) = try annSeenByBen(routers: 3)
    cluster.run(for: .milliseconds(200))
    #expect(slot.publication != nil)
    // Signalling says it again while the withdrawal is under way.
    cluster.meetings[0].router.remove(ann.member)
    cluster.attach("t_1", to: slot, on: 1)
    cluster.run(for: .milliseconds(200))
    #expect(slot.publication == nil)
    let again = try cluster.meetings[2].join("ann")
    again.publish("t_1", mid: "0", .video, ssrc: 2_000).start()
    cluster.run(for: .milliseconds(500))
    #expect(slot.publication?.id.rawValue == "t_1")
    // Also where the participant comes back on the very router of the slot.
    cluster.meetings[2].router.remove(again.member)
    cluster.run(for: .milliseconds(200))
    #expect(slot.publication == nil)
    try cluster.meetings[1].join("ann").publish("t_1", mid: "0", .video, ssrc: 3_000).start()
    #expect(slot.publication?.id.rawValue == "t_1")
  }

  @Test("a participant who returns on another router is seen there, and stays")
  func backBeforeTheLoss() throws {
    let (cluster, ann, ben, slot) = try annSeenByBen(routers: 2)
    try cluster.meetings[1].join("ann").publish("t_1", mid: "0", .video, ssrc: 2_000).start()
    cluster.run(for: .milliseconds(200))
    #expect(slot.publication?.origin == nil)
    cluster.meetings[0].router.remove(ann.member)
    cluster.run(for: .milliseconds(200))
    #expect(slot.publication?.id.rawValue == "t_1")
    #expect(cluster.meetings[1].router.publication(PublicationID(rawValue: "t_1")) != nil)
    let before = ben.streams[5_000]?.packets.count ?? 0
    cluster.run(for: .seconds(1))
    #expect((ben.streams[5_000]?.packets.count ?? 0) > before + 20)
  }

  @Test(
    "what a full ring doesn't take for long is counted as lost and holds up no other"
  )
  func ringFull() throws {
    let (cluster, _, camera, clients) = try meeting(receivers: 1, ringBytes: 65_536)
    camera.start()
    cluster.run(for: .seconds(1))
    let wire = cluster.wire(0, 1)
    wire.isStuck = true
    cluster.run(for: .seconds(2))
    #expect(wire.output.counters.packetsDropped > 100)
    // Announced while the ring is full of media.
    let ann = try #require(cluster.meetings[0].clients.first)
    _ = ann.publish("t_2", mid: "1", .video, ssrc: 2_000)
    wire.isStuck = false
    cluster.run(for: .milliseconds(50))
    let dropped = wire.output.counters.packetsDropped
    cluster.run(for: .seconds(2))
    #expect(wire.output.counters.packetsDropped == dropped)
    #expect(cluster.meetings[1].router.publication(PublicationID(rawValue: "t_2")) != nil)
    let stream = try #require(clients[0].streams[5_000])
    #expect((stream.ordered.last?.at ?? .zero) > cluster.now - .milliseconds(100))
    #expect(wire.output.counters.messagesDropped == 0)
  }

  @Test("records that must arrive wait for room in order, and media doesn't overtake them")
  func waitingRecords() {
    let output = RelayOutput(ring: RelayRing(capacity: 4_096))
    for number in 0..<200 {
      output.send(
        RelayRecord.make(.withdraw, channel: 1, publication: UInt32(number)) { $0 += [UInt8](repeating: 0, count: 80) })
    }
    #expect(!output.sendMedia(length: 40) { $0[0] = RelayRecord.Kind.media.rawValue })
    var numbers: [UInt32] = []
    while numbers.count < 200 {
      let some = output.ring.read { numbers.append(RelayBytes.uint32($0, at: 8)) }
      if !some {
        guard output.isBlocked else { break }
        output.flush()
      }
    }
    #expect(numbers == (0..<200).map { UInt32($0) })
  }

  @Test("over a gateway media crosses machines once, and reaches every worker behind it")
  func gateways() throws {
    // 0 – 1 | 2 – 3, 2 – 4: routers 1 and 2 are the gateways of two machines.
    let cluster = try VirtualCluster(routers: 5)
    cluster.connect(0, 1)
    cluster.connect(1, 2, reach: .network, delay: .milliseconds(5))
    cluster.connect(2, 3)
    cluster.connect(2, 4)
    cluster.connect(3, 4)
    let ann = try cluster.meetings[0].join("ann")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    cluster.run(for: .milliseconds(100))
    var clients: [VirtualClient] = []
    for router in [3, 4, 3, 4, 2] {
      let client = try cluster.meetings[router].join("r\(clients.count)")
      let slot = client.slot("7", .video, ssrc: 5_000)
      #expect(cluster.attach("t_1", to: slot, on: router))
      clients.append(client)
    }
    camera.start()
    cluster.run(for: .seconds(2))
    let sent = camera.packetsSent
    for (from, to) in [(0, 1), (1, 2), (2, 3), (2, 4)] {
      let crossed = cluster.wire(from, to).count(.media)
      #expect(crossed <= sent && crossed > sent - 40, "\(crossed) of \(sent) packets from \(from) to \(to)")
    }
    #expect(cluster.wire(3, 4).count(.media) == 0 && cluster.wire(4, 3).count(.media) == 0)
    for client in clients {
      #expect((client.streams[5_000]?.packets.count ?? 0) > sent - 50)
      #expect(client.streams[5_000]?.missing == 0)
    }
    // When the last receiver of a machine stops, so does the link to it.
    for (client, router) in zip(clients, [3, 4, 3, 4, 2]) {
      if let slot = client.slots["7"] { cluster.meetings[router].router.detach(slot) }
    }
    cluster.run(for: .milliseconds(50))
    cluster.wires.forEach { $0.resetCounts() }
    cluster.run(for: .seconds(1))
    #expect(cluster.wires.allSatisfy { $0.count(.media) == 0 })
  }

  @Test("receivers behind a relay can synchronise audio and video (RFC 3550 6.4.1)")
  func lipSync() throws {
    let cluster = try VirtualCluster(routers: 2)
    cluster.connectAll()
    let ann = try cluster.meetings[0].join("ann")
    let microphone = ann.publish("a", mid: "0", .audio, ssrc: 1_000)
    let camera = ann.publish("v", mid: "1", .video, ssrc: 2_000)
    cluster.settle()
    let ben = try cluster.meetings[1].join("ben")
    cluster.attach("a", to: ben.slot("7", .audio, ssrc: 5_000), on: 1)
    cluster.attach("v", to: ben.slot("8", .video, ssrc: 6_000), on: 1)
    microphone.start()
    camera.start()
    cluster.run(for: .seconds(4))
    for source in [(UInt32(5_000), microphone), (6_000, camera)] {
      let (info, at) = try #require(ben.senderReports[source.0]?.last)
      // The report says which RTP time the present has; the stream's own last packet agrees within its age.
      let packet = try #require(ben.streams[source.0]?.ordered.last)
      let rate = Int64(source.1.clockRate)
      let ticks = Int64(Int32(bitPattern: packet.timestamp &- info.rtpTimestamp.rawValue))
      let elapsed = (packet.at - at).microseconds * rate / 1_000_000
      #expect(abs(ticks - elapsed) < rate / 20, "\(source.0): \(ticks) ticks in \(elapsed)")
    }
  }

  @Test("everything a packet's header says crosses the relay")
  func packetFields() throws {
    var random = SeededGenerator(TestSeed.of(5))
    for _ in 0..<200 {
      var packet = StoredPacket()
      packet.sequence = Int64.random(in: 0...Int64.max / 2, using: &random)
      packet.timestamp = RTPTimestamp(rawValue: UInt32.random(in: 0...(.max), using: &random))
      packet.playoutDelay = UInt32.random(in: 0...(.max), using: &random)
      packet.payloadType = PayloadType(rawValue: UInt8.random(in: 0...127, using: &random))
      packet.marker = Bool.random(using: &random)
      packet.isRecovered = Bool.random(using: &random)
      packet.audioLevel = UInt8.random(in: 0...255, using: &random)
      packet.orientation = UInt8.random(in: 0...255, using: &random)
      let stream = SourceStream(
        ssrc: SSRC(rawValue: 77), layer: nil, kind: .video, clockRate: 90_000, usesNack: false)
      let descriptor = (0..<Int.random(in: 0...40, using: &random)).map { UInt8($0) }
      let payload = (0..<Int.random(in: 1...1_200, using: &random)).map { UInt8(truncatingIfNeeded: $0 &* 3) }
      #expect(stream.accept(packet, descriptor: descriptor.span, payload: payload.span) == nil)
      let output = RelayOutput(ring: RelayRing())
      let relay = Relay(channel: 9, reach: .machine, output: output, session: 1)
      #expect(relay.forward(stream.store[stream.pending[0]], of: stream, layer: 2, publication: 0x1_0003))
      var read: RelayedPacket?
      var bytes: [UInt8] = []
      _ = output.ring.read { record in
        read = RelayedPacket(record, now: .milliseconds(3))
        for index in 0..<record.count { bytes.append(record[index]) }
      }
      let other = try #require(read)
      #expect(other.channel == 9 && other.publication == 0x1_0003 && other.layer == 2 && other.ssrc.rawValue == 77)
      #expect(other.packet.sequence == packet.sequence && other.packet.timestamp == packet.timestamp)
      #expect(other.packet.playoutDelay == packet.playoutDelay && other.packet.payloadType == packet.payloadType)
      #expect(other.packet.marker == packet.marker && other.packet.isRecovered == packet.isRecovered)
      #expect(other.packet.audioLevel == packet.audioLevel && other.packet.orientation == packet.orientation)
      #expect(Array(bytes[other.descriptor]) == descriptor)
      #expect(Array(bytes[other.descriptor.upperBound...]) == payload)
    }
  }

  @Test(
    "cut, changed or invented records change only what they name, and stop nothing",
    arguments: 1...4)
  func hostile(seed: UInt64) throws {
    let (cluster, _, camera, clients) = try meeting(receivers: 1, seed: seed)
    camera.start()
    cluster.run(for: .seconds(1))
    var random = SeededGenerator(TestSeed.of(seed))
    let router = cluster.meetings[1].router
    let relay = try #require(router.relays.first)
    let samples = cluster.wire(0, 1).last.filter { $0.key != .hello }.map(\.value)
    for _ in 0..<5_000 {
      var record = samples.randomElement(using: &random) ?? []
      switch Int.random(in: 0...2, using: &random) {
      case 0: record = Array(record.prefix(Int.random(in: 0...record.count, using: &random)))
      case 1:
        // Any byte but those of the kind and the number, so that the stream under test goes on.
        for _ in 0..<4 where record.count > 12 {
          record[Int.random(in: 12..<record.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        RelayBytes.overwrite(&record, publication: UInt32.random(in: 0x2_0000...(.max), using: &random))
      default:
        record = (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 2...11, using: &random) }
      }
      router.receive(record.span, from: relay, now: cluster.now)
      while router.pollEvent() != nil {}
    }
    cluster.run(for: .seconds(1))
    let before = clients[0].streams[5_000]?.packets.count ?? 0
    cluster.run(for: .seconds(1))
    #expect((clients[0].streams[5_000]?.packets.count ?? 0) > before + 60)
  }

  @Test("each router knows who speaks, wherever the speakers are")
  func speakers() throws {
    let cluster = try VirtualCluster(routers: 3)
    cluster.connectAll()
    var microphones: [VirtualSource] = []
    for router in 0..<3 {
      let client = try cluster.meetings[router].join("p\(router)")
      let microphone = client.publish("a\(router)", mid: "0", .audio, ssrc: 1_000)
      microphone.level = 127
      microphone.start()
      microphones.append(microphone)
    }
    cluster.run(for: .seconds(1))
    for router in 0..<3 { _ = cluster.events(of: router) }
    microphones[1].level = 20
    cluster.run(for: .milliseconds(600))
    for router in 0..<3 {
      let reports = cluster.events(of: router).compactMap { event -> [String]? in
        if case .speakers(let list) = event { list.map(\.participant.rawValue) } else { nil }
      }
      #expect(reports.last == ["p1"], "router \(router) says \(reports)")
    }
    microphones[1].level = 127
    microphones[2].level = 30
    cluster.run(for: .seconds(2))
    for router in 0..<3 {
      let last = cluster.events(of: router).compactMap { event -> [String]? in
        if case .speakers(let list) = event { list.map(\.participant.rawValue) } else { nil }
      }.last
      #expect(last == ["p2"], "router \(router) says \(last ?? [])")
    }
    #expect(cluster.wires.allSatisfy { $0.count(.media) == 0 }, "nobody receives the sound")
  }
}

extension RelayBytes {
  /// Puts another publication's number into a record, if it is long enough.
  fileprivate static func overwrite(_ record: inout [UInt8], publication: UInt32) {
    guard record.count >= 12 else { return }
    for index in 0..<4 { record[8 + index] = UInt8(truncatingIfNeeded: publication >> UInt32(index * 8)) }
  }
}
