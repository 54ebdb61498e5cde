import Basics
import NetworkEmulator
import TestSeeds
import Testing

@testable import SFU

@Suite("Bandwidth of each subscriber, in virtual time", .tellsSeeds)
struct SubscriberBandwidthTests {
  private func way(_ kilobits: Int64? = nil, loss: LossModel = .none) -> LinkConditions {
    LinkConditions(
      loss: loss, delay: .milliseconds(25), capacity: kilobits.map { .kilobits($0) }, queue: .time(.milliseconds(400)))
  }

  @Test("of two receivers, one on a bad network, the good one notices nothing")
  func twoReceivers() throws {
    let meeting = QualityMeeting(seed: 5)
    let publisher = try meeting.addPublisher()
    let good = try meeting.addReceiver(link: meeting.addLink(way()), back: way())
    let bad = try meeting.addReceiver(link: meeting.addLink(way(300, loss: .random(0.05))), back: way())
    meeting.run(for: .seconds(30))
    let video = try #require(good.video())
    #expect(video.frozen(from: 2, to: 30) == 0)
    #expect(video.layer(from: 6, to: 30) == 2)
    #expect(good.sound().map { $0.concealed(from: 3, to: 29) } == 0)
    #expect((bad.video()?.layer(from: 10, to: 30) ?? 2) < 1)
    // Keyframes that the bad one needs are those of its own layer.
    #expect(publisher.layers[2].keyframes <= 3)
  }

  @Test("video that doesn't fit is paused and reported, by rank, and returns by itself")
  func pausesAndReturns() throws {
    let meeting = QualityMeeting(seed: 6)
    for _ in 0..<3 { _ = try meeting.addPublisher([400]) }
    let link = meeting.addLink(way(3_000))
    let receiver = try meeting.addReceiver(link: link, back: way())
    meeting.router.setPinned(true, receiver.subscriptions[2])
    meeting.run(for: .seconds(8))
    #expect(receiver.subscriptions.allSatisfy { $0.target != nil })
    meeting.links[link].change(way(900), now: meeting.now)
    meeting.run(for: .seconds(15))
    #expect(receiver.subscriptions[2].target != nil)
    #expect(receiver.subscriptions.contains { $0.target == nil })
    let paused = meeting.events.contains {
      if case .paused(let id, _) = $0.event { id == receiver.member.id } else { false }
    }
    #expect(paused)
    #expect(meeting.router.bandwidth(of: receiver.member).paused > 0)
    #expect((receiver.sound().map { $0.concealed(from: 10, to: 22) } ?? 1) < 0.03)
    meeting.links[link].change(way(3_000), now: meeting.now)
    meeting.run(for: .seconds(10))
    #expect(receiver.subscriptions.allSatisfy { $0.target != nil })
    let told = meeting.events.last { if case .paused = $0.event { true } else { false } }
    guard case .paused(receiver.member.id, let left)? = told?.event else {
      Issue.record("nothing was told of pauses")
      return
    }
    #expect(left.isEmpty)
  }

  @Test("of two large layers that each fit alone, only what fits together comes back")
  func oneComesBack() throws {
    let meeting = QualityMeeting(seed: 21)
    let publishers = try [meeting.addPublisher([400, 900]), meeting.addPublisher([400, 900])]
    let receiver = try meeting.addReceiver(link: meeting.addLink(way(1_900)), back: way())
    func large() -> [Bool] {
      receiver.subscriptions.filter { $0.media.kind == .video }.map { $0.target?.spatial ?? 0 > 0 }
    }
    for (index, isLarge) in [[true, false], [false, true]].enumerated() {
      for (publisher, isLarge) in zip(publishers, isLarge) { publisher.setActive(isLarge, layer: 1) }
      meeting.run(for: .seconds(15))
      #expect(large() == isLarge, "round \(index): \(meeting.router.bandwidth(of: receiver.member))")
    }
    for publisher in publishers { publisher.setActive(false, layer: 1) }
    meeting.run(for: .seconds(3))
    #expect(large().count { $0 } == 1, "\(meeting.router.bandwidth(of: receiver.member))")
  }

  @Test("a picture comes back within 10 s after a path that took next to nothing", arguments: [20, 40], [false, true])
  func backFromNothing(kilobits: Int64, hasSound: Bool) throws {
    let meeting = QualityMeeting(seed: 17)
    _ = try meeting.addPublisher([400], audio: hasSound)
    let link = meeting.addLink(way())
    let receiver = try meeting.addReceiver(link: link, back: way())
    meeting.run(for: .seconds(8))
    meeting.links[link].change(way(loss: .random(0.25)), now: meeting.now)
    meeting.run(for: .seconds(15))
    meeting.links[link].change(way(kilobits), now: meeting.now)
    meeting.run(for: .seconds(45))
    #expect(receiver.subscriptions[0].target == nil, "nothing fits")
    meeting.links[link].change(way(), now: meeting.now)
    meeting.run(for: .seconds(10))
    #expect(receiver.subscriptions[0].target != nil, "\(meeting.router.bandwidth(of: receiver.member))")
  }

  @Test("a path that fits one video gets the shared screen, and sound before it")
  func screenFirst() throws {
    let meeting = QualityMeeting(seed: 16)
    for _ in 0..<3 { _ = try meeting.addPublisher([400]) }
    _ = try meeting.addPublisher([400], audio: false, isScreenShare: true)
    let link = meeting.addLink(way(4_000))
    let receiver = try meeting.addReceiver(link: link, back: way())
    // A pinned camera comes after the screen.
    meeting.router.setPinned(true, receiver.subscriptions[0])
    meeting.run(for: .seconds(8))
    #expect(receiver.subscriptions.allSatisfy { $0.target != nil })
    meeting.links[link].change(way(800), now: meeting.now)
    meeting.run(for: .seconds(20))
    #expect(receiver.subscriptions[3].target != nil)
    #expect(receiver.subscriptions[1...2].contains { $0.target == nil })
    let screen = try #require(receiver.video(3))
    #expect(screen.frozen(from: 16, to: 28) < 0.02)
    for voice in 0..<3 { #expect((receiver.sound(voice)?.concealed(from: 12, to: 27) ?? 1) < 0.01) }
  }

  @Test("video above the first guess is probed for before it could be paused")
  func probesBeforePausing() throws {
    let meeting = QualityMeeting(seed: 8)
    _ = try meeting.addPublisher([2_500])
    let link = meeting.addLink(way(6_000))
    let receiver = try meeting.addReceiver(link: link, back: way())
    meeting.run(for: .seconds(20))
    #expect(meeting.events.allSatisfy { if case .paused = $0.event { false } else { true } })
    #expect(receiver.subscriptions.allSatisfy { $0.target == .highest })
  }

  @Test(
    "a probe repeats recent packets whole under their numbers, not padding (RFC 4588)"
  )
  func probesAreRetransmissions() throws {
    let meeting = QualityMeeting(seed: 18)
    _ = try meeting.addPublisher()
    let link = meeting.addLink(way(900))
    let receiver = try meeting.addReceiver(link: link, back: way())
    receiver.keepsPackets = true
    meeting.run(for: .seconds(10))
    #expect(receiver.subscriptions[0].target?.spatial == 1)
    let before = (meeting.router.counters, receiver.repeats.count, receiver.paddings)
    meeting.links[link].change(way(), now: meeting.now)
    meeting.run(for: .seconds(10))
    #expect(receiver.subscriptions[0].target == .highest)
    let padded = Int(meeting.router.counters.paddings - before.0.paddings)
    let repeats = receiver.repeats.dropFirst(before.1)
    #expect(padded > 20, "only \(padded) packets were padding, so nothing is shown")
    #expect(receiver.changed == 0, "a retransmission has another content than its packet")
    #expect(Double(repeats.count) > 0.9 * Double(padded), "\(repeats.count) of \(padded) are packets sent again")
    #expect(receiver.paddings - before.2 < padded / 20)
    #expect(repeats.allSatisfy { (0..<80).contains($0) }, "recent ones: \(repeats.max() ?? 0) packets back")
  }

  @Test("nothing is probed, held back or padded while everything is forwarded at its best")
  func quietWhenSatisfied() throws {
    let meeting = QualityMeeting(seed: 7)
    _ = try meeting.addPublisher()
    let receiver = try meeting.addReceiver(link: meeting.addLink(way()), back: way())
    meeting.run(for: .seconds(6))
    let before = meeting.router.counters
    meeting.run(for: .seconds(20))
    let snapshot = meeting.router.bandwidth(of: receiver.member)
    #expect(meeting.router.counters.paddings == before.paddings)
    #expect(meeting.router.counters.packetsPaced == before.packetsPaced)
    #expect(snapshot.allocated == snapshot.wanted)
    #expect(receiver.video()?.layer(from: 6, to: 26) == 2)
  }

  @Test("a receiver that agrees on feedback and sends none isn't limited, nor one without")
  func silentReceivers() throws {
    let meeting = QualityMeeting(seed: 8)
    _ = try meeting.addPublisher([2_000])
    let none = try meeting.addReceiver(link: meeting.addLink(way()), back: way(), feedback: .none)
    let mute = try meeting.addReceiver(link: meeting.addLink(way()), back: way(loss: .random(1)))
    meeting.run(for: .seconds(10))
    for receiver in [none, mute] {
      #expect((receiver.video()?.frozen(from: 1, to: 10) ?? 1) == 0)
      #expect(meeting.router.bandwidth(of: receiver.member).estimate == nil)
    }
    #expect(meeting.router.counters.paddings == 0)
  }

  @Test("audio that Firefox doesn't report on isn't lost: nothing is given up for it")
  func picturesReportedOnly() throws {
    let meeting = QualityMeeting(seed: 13)
    _ = try meeting.addPublisher()
    let both = try meeting.addReceiver(link: meeting.addLink(way(4_000)), back: way())
    let pictures = try meeting.addReceiver(
      link: meeting.addLink(way(4_000)), back: way(), feedback: .transportWideForVideo)
    meeting.run(for: .seconds(20))
    let egress = pictures.member.egress
    #expect(egress.writer.bandwidth.estimator.lossShare == 0)
    #expect((pictures.sound()?.concealed(from: 2, to: 19) ?? 1) < 0.01)
    #expect((pictures.video()?.layer(from: 10, to: 20) ?? 0) == 2)
    #expect((both.video()?.layer(from: 10, to: 20) ?? 0) == 2)
    #expect(egress.writer.bandwidth.isPacing == both.member.egress.writer.bandwidth.isPacing)
  }

  @Test("a receiver that knows only REMB gets what its estimate allows")
  func receiverEstimate() throws {
    let meeting = QualityMeeting(seed: 9)
    _ = try meeting.addPublisher()
    let receiver = try meeting.addReceiver(
      link: meeting.addLink(way()), back: way(), feedback: .estimate(.kilobits(800)))
    meeting.run(for: .seconds(10))
    #expect(receiver.subscriptions[0].target?.spatial == 1)
    receiver.feedback = .estimate(.kilobits(4_000))
    meeting.run(for: .seconds(10))
    #expect((receiver.video()?.layer(from: 17, to: 20) ?? 0) == 2)
  }

  @Test(
    "on a narrow path without loss, doubled audio is sent once and video has the room"
  )
  func redundancyMakesRoom() throws {
    let meeting = QualityMeeting(seed: 11)
    _ = try meeting.addPublisher([160, 1_000], addsRedundancy: true)
    let narrow = try meeting.addReceiver(link: meeting.addLink(way(300)), back: way())
    let wide = try meeting.addReceiver(link: meeting.addLink(way()), back: way())
    let lossy = try meeting.addReceiver(link: meeting.addLink(way(300, loss: .random(0.08))), back: way())
    meeting.run(for: .seconds(12))
    func redundant() -> [Int] { [narrow, wide, lossy].map { $0.sound()?.redundantPackets ?? 0 } }
    let before = redundant()
    meeting.run(for: .seconds(20))
    let added = zip(redundant(), before).map { $0 - $1 }
    #expect(added[0] == 0)
    #expect(added[1] > 950, "a wide path has what the publisher sends")
    #expect(added[2] > 800, "a path that loses sound needs it twice")
    #expect((narrow.video()?.frameRate(from: 12, to: 32) ?? 0) > 24)
    #expect((narrow.sound()?.concealed(from: 2, to: 31) ?? 1) < 0.01)
  }

  @Test("redundant audio is added for a receiver that loses audio, and ends with the loss")
  func redundancy() throws {
    let meeting = QualityMeeting(seed: 10)
    _ = try meeting.addPublisher()
    let link = meeting.addLink(way(loss: .random(0.1)))
    let receiver = try meeting.addReceiver(link: link, back: way())
    let plain = try meeting.addReceiver(link: meeting.addLink(way(loss: .random(0.1))), back: way(), redundancy: false)
    meeting.run(for: .seconds(30))
    #expect((receiver.sound().map { $0.concealed(from: 5, to: 29) } ?? 1) < 0.02)
    #expect((plain.sound().map { $0.concealed(from: 5, to: 29) } ?? 0) > 0.05)
    #expect(plain.sound()?.redundantPackets == 0)
    meeting.links[link].change(way(), now: meeting.now)
    meeting.run(for: .seconds(40))
    let before = receiver.sound()?.redundantPackets
    meeting.run(for: .seconds(2))
    #expect(receiver.sound()?.redundantPackets == before)
  }

  @Test(
    "audio resent over RTX replaces RED: under 3 % concealed at 10 % loss (RFC 4588)",
    arguments: [10, 11, 12] as [UInt64])
  func repairedSound(seed: UInt64) throws {
    let meeting = QualityMeeting(seed: seed)
    _ = try meeting.addPublisher()
    let lossy = way(loss: .random(0.1))
    let receiver = try meeting.addReceiver(
      link: meeting.addLink(lossy), back: lossy, redundancy: false, repairsSound: true)
    meeting.run(for: .seconds(30))
    let concealed = try #require(receiver.sound()).concealed(from: 5, to: 29)
    #expect(concealed < 0.03, "\(concealed)")
    #expect(receiver.sound()?.redundantPackets == 0)
  }
}
