import Basics
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

/// Ann sends a camera in three sizes and sound, Ben a camera; Ann receives Ben, Ben and Cem receive Ann. All that is
/// wrong is said by each test.
private final class QualityRig {
  let meeting: VirtualMeeting
  let ann: VirtualClient
  let ben: VirtualClient
  let cem: VirtualClient
  let camera: [VirtualSource]
  let microphone: VirtualSource
  let other: VirtualSource
  private var worst: [String: ConnectionQuality] = [:]

  init(seed: UInt64) throws {
    meeting = try VirtualMeeting(seed: seed)
    ann = try meeting.join("ann")
    ben = try meeting.join("ben")
    cem = try meeting.join("cem")
    camera = ann.publishSimulcast("t_a", mid: "0", rids: ["q", "h", "f"], ssrc: 1_000)
    microphone = ann.publish("t_m", mid: "1", .audio, ssrc: 1_500)
    other = ben.publish("t_b", mid: "0", .video, ssrc: 2_000)
    for (index, source) in camera.enumerated() {
      source.shape = LayeredShape(.vp8, source: UInt8(index), width: 320 << index, height: 180 << index)
    }
    meeting.router.attach(other.publication, to: ann.slot("7", .video, ssrc: 4_000))
    for (number, client) in [ben, cem].enumerated() {
      let ssrc = UInt32(5_000 + number * 1_000)
      meeting.router.attach(camera[0].publication, to: client.slot("7", .video, ssrc: ssrc))
      meeting.router.attach(microphone.publication, to: client.slot("8", .audio, ssrc: ssrc + 10))
    }
    for source in camera + [microphone, other] { source.start() }
    run(8)
    #expect(worst == ["ann": .excellent, "ben": .excellent, "cem": .excellent], "nothing is wrong yet")
  }

  func quality(_ client: VirtualClient) -> ConnectionQuality { client.member.quality.quality }

  /// Lets time pass, and notes the worst quality of each from the beginning of that time.
  func run(_ seconds: Int) {
    worst = [:]
    for _ in 0..<(seconds * 4) {
      meeting.run(for: .milliseconds(250))
      for client in [ann, ben, cem] {
        let (name, now) = (client.member.id.rawValue, quality(client))
        let order: [ConnectionQuality] = [.excellent, .good, .poor, .lost]
        let before = worst[name].flatMap { order.firstIndex(of: $0) } ?? 0
        worst[name] = order[max(before, order.firstIndex(of: now) ?? 0)]
      }
    }
  }

  /// `client` comes to be judged so, and nobody else is judged worse than excellent; with everything well again it
  /// comes back.
  func expect(
    _ expected: ConnectionQuality, of client: VirtualClient, within seconds: Int,
    location: SourceLocation = #_sourceLocation, _ condition: () -> Void, restore: () -> Void = {}
  ) {
    condition()
    run(seconds)
    #expect(quality(client) == expected, "after \(seconds) s", sourceLocation: location)
    for each in [ann, ben, cem] where each !== client {
      let name = each.member.id.rawValue
      #expect(worst[name] == .excellent, "\(name) has nothing to do with it", sourceLocation: location)
    }
    meeting.upOf = [:]
    meeting.downOf = [:]
    meeting.blockedMediaOf = []
    restore()
    run(25)
    #expect(quality(client) == .excellent, "it comes back", sourceLocation: location)
  }
}

@Suite("Reasons for a bad connection, each alone", .tellsSeeds)
struct ConnectionReasonsTests {
  private typealias Link = SFUTests.LinkConditions

  @Test(
    "packets lost on the way from a publisher",
    arguments: [(0.05, .good), (0.2, .poor)] as [(Double, ConnectionQuality)])
  func lossUp(loss: Double, expected: ConnectionQuality) throws {
    let rig = try QualityRig(seed: 41)
    rig.expect(expected, of: rig.ann, within: 8) { rig.meeting.upOf[rig.ann.member.index] = Link(loss: loss) }
  }

  @Test(
    "packets lost on the way to a receiver", arguments: [(0.05, .good), (0.2, .poor)] as [(Double, ConnectionQuality)])
  func lossDown(loss: Double, expected: ConnectionQuality) throws {
    let rig = try QualityRig(seed: 42)
    rig.expect(expected, of: rig.cem, within: 8) { rig.meeting.downOf[rig.cem.member.index] = Link(loss: loss) }
  }

  @Test(
    "a long way, of who sends and of who only receives",
    arguments: [(170, .good, true), (170, .good, false), (350, .poor, true), (350, .poor, false)]
      as [(Int64, ConnectionQuality, Bool)])
  func delay(milliseconds: Int64, expected: ConnectionQuality, isPublisher: Bool) throws {
    let rig = try QualityRig(seed: 43)
    let client = isPublisher ? rig.ann : rig.cem
    rig.expect(expected, of: client, within: 20) {
      let link = Link(delay: .milliseconds(milliseconds))
      rig.meeting.upOf[client.member.index] = link
      rig.meeting.downOf[client.member.index] = link
    }
  }

  @Test("a long path without media is measured all the same, and a receiver isn't asked")
  func delayOfPublisher() throws {
    let rig = try QualityRig(seed: 51)
    let dan = try rig.meeting.join("dan")
    dan.publish("t_d", mid: "0", .audio, ssrc: 3_000).start()
    let before = rig.ann.questions
    rig.run(8)
    let near = try #require(dan.member.egress.roundTrip)
    #expect((19...22).contains(near.milliseconds), "\(near.milliseconds) ms")
    #expect(dan.member.quality.quality == .excellent)
    #expect(dan.questions > 5 && rig.ann.questions == before)
    let link = Link(delay: .milliseconds(350))
    rig.meeting.upOf[dan.member.index] = link
    rig.meeting.downOf[dan.member.index] = link
    rig.run(20)
    #expect(dan.member.quality.quality == .poor)
    #expect(rig.quality(rig.ann) == .excellent)
  }

  @Test(
    "packets of a publisher that are delayed unevenly",
    arguments: [(150, .good), (500, .poor)] as [(Int64, ConnectionQuality)])
  func jitterUp(milliseconds: Int64, expected: ConnectionQuality) throws {
    let rig = try QualityRig(seed: 44)
    rig.expect(expected, of: rig.ann, within: 10) {
      rig.meeting.upOf[rig.ann.member.index] = Link(jitter: .milliseconds(milliseconds))
    }
  }

  @Test(
    "packets to a receiver that are delayed unevenly",
    arguments: [(150, .good), (500, .poor)] as [(Int64, ConnectionQuality)])
  func jitterDown(milliseconds: Int64, expected: ConnectionQuality) throws {
    let rig = try QualityRig(seed: 45)
    rig.expect(expected, of: rig.cem, within: 10) {
      rig.meeting.downOf[rig.cem.member.index] = Link(jitter: .milliseconds(milliseconds))
    }
  }

  @Test("watched layers a publisher doesn't send are its own lack, not its receivers'")
  func missingLayers() throws {
    let rig = try QualityRig(seed: 46)
    rig.camera[2].stop()
    rig.run(4)
    #expect(rig.quality(rig.ann) == .excellent, "a size that comes and goes is no bad connection")
    rig.run(8)
    #expect(rig.quality(rig.ann) == .good, "one of three is missing")
    rig.expect(.poor, of: rig.ann, within: 12) {
      rig.camera[1].stop()
    } restore: {
      for source in rig.camera.dropFirst() {
        source.wantsKeyframe = true
        source.start()
      }
    }
  }

  @Test("sizes that nobody watches, or that a camera does not have, are not missing")
  func unwantedLayers() throws {
    let rig = try QualityRig(seed: 47)
    for client in [rig.ben, rig.cem] {
      rig.meeting.router.setWanted(width: 320, height: 180, client.slots["7"]!, now: rig.meeting.now)
    }
    rig.run(2)
    rig.camera[1].stop()
    rig.camera[2].stop()
    rig.run(20)
    #expect(rig.quality(rig.ann) == .excellent)
    // A smaller camera: two sizes are all that it has.
    for client in [rig.ben, rig.cem] {
      rig.meeting.router.setWanted(width: 1_280, height: 720, client.slots["7"]!, now: rig.meeting.now)
    }
    for source in rig.camera.prefix(2) {
      source.shape?.width /= 2
      source.shape?.height /= 2
      source.wantsKeyframe = true
    }
    rig.camera[1].start()
    rig.run(20)
    #expect(rig.quality(rig.ann) == .excellent)
  }

  @Test("video that is sent and doesn't come is bad; a sender that stopped is not")
  func nothingComes() throws {
    let rig = try QualityRig(seed: 48)
    for source in rig.camera { source.stop() }
    rig.run(15)
    #expect(rig.quality(rig.ann) == .excellent, "a picture that stands still")
    for source in rig.camera { source.start() }
    rig.run(8)
    rig.expect(.poor, of: rig.ann, within: 12) { rig.meeting.blockedMediaOf = [rig.ann.member.index] }
  }

  @Test("four seconds without a publisher's packets are a loss, ended by the next one")
  func lost() throws {
    let rig = try QualityRig(seed: 49)
    rig.expect(.lost, of: rig.ann, within: 7) { rig.meeting.upOf[rig.ann.member.index] = Link(loss: 1) }
  }

  @Test(
    "a relay passes on a publisher's loss and delay, so its receivers aren't blamed")
  func relayed() throws {
    let cluster = try VirtualCluster(routers: 2, seed: 50)
    cluster.connectAll()
    let ann = try cluster.meetings[0].join("ann")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000)
    let microphone = ann.publish("t_2", mid: "1", .audio, ssrc: 1_500)
    cluster.settle()
    let ben = try cluster.meetings[1].join("ben")
    #expect(cluster.attach("t_1", to: ben.slot("7", .video, ssrc: 5_000), on: 1))
    #expect(cluster.attach("t_2", to: ben.slot("8", .audio, ssrc: 5_010), on: 1))
    camera.start()
    microphone.start()
    cluster.run(for: .seconds(5))
    #expect(ben.member.quality.quality == .excellent)
    cluster.meetings[0].upOf[ann.member.index] = Link(loss: 0.2, jitter: .milliseconds(300))
    for second in 1...15 {
      cluster.run(for: .seconds(1))
      #expect(ben.member.quality.quality == .excellent, "after \(second) s")
    }
    #expect(ann.member.quality.quality == .poor)
    // His own path counts as before.
    cluster.meetings[0].upOf = [:]
    cluster.meetings[1].down.loss = 0.2
    cluster.run(for: .seconds(8))
    #expect(ben.member.quality.quality == .poor)
  }
}
