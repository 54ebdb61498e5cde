import Basics
import NetworkEmulator
import TestSeeds
import Testing

@testable import SFU

/// A receiver's estimate and its feedback on each packet decide how its connection is judged, and that of everybody
/// else.
@Suite("Connection quality of receivers, in virtual time", .tellsSeeds)
struct ReceivingQualityTests {
  private func way(_ kilobits: Int64? = nil, loss: LossModel = .none) -> LinkConditions {
    LinkConditions(
      loss: loss, delay: .milliseconds(25), capacity: kilobits.map { .kilobits($0) }, queue: .time(.milliseconds(400)))
  }

  /// The worst that each member was judged in `span`, in the order of `members`.
  private func worst(_ meeting: QualityMeeting, _ members: [Member], in span: Int) -> [ConnectionQuality] {
    let order: [ConnectionQuality] = [.excellent, .good, .poor, .lost]
    var worst = members.map { _ in 0 }
    for _ in 0..<span * 2 {
      meeting.run(for: .milliseconds(500))
      for (index, member) in members.enumerated() {
        worst[index] = max(worst[index], order.firstIndex(of: member.quality.quality) ?? 0)
      }
    }
    return worst.map { order[$0] }
  }

  @Test(
    "only the receiver with room for the smallest layer is poor, until it has room"
  )
  func limited() throws {
    let meeting = QualityMeeting(seed: 61)
    let publisher = try meeting.addPublisher()
    let good = try meeting.addReceiver(link: meeting.addLink(way()), back: way())
    let link = meeting.addLink(way(300))
    let limited = try meeting.addReceiver(link: link, back: way())
    let others = worst(meeting, [publisher.member, good.member], in: 25)
    #expect(others == [.excellent, .excellent])
    #expect(limited.member.quality.quality == .poor)
    #expect(
      limited.subscriptions[0].current?.spatial == 0, "it gets the smallest, \(limited.subscriptions[0].current as Any)"
    )
    meeting.links[link].change(way(), now: meeting.now)
    meeting.run(for: .seconds(30))
    #expect(limited.member.quality.quality == .excellent)
  }

  @Test("a receiver that wants no more than fits has an excellent connection")
  func small() throws {
    let meeting = QualityMeeting(seed: 62)
    let publisher = try meeting.addPublisher([120])
    let receiver = try meeting.addReceiver(link: meeting.addLink(way(300)), back: way())
    #expect(worst(meeting, [publisher.member, receiver.member], in: 25) == [.excellent, .excellent])
  }

  @Test("a layer its publisher has no room for worsens only the publisher's connection")
  func publisherLacks() throws {
    let meeting = QualityMeeting(seed: 63)
    let publisher = try meeting.addPublisher()
    let receivers = try (0..<2).map { _ in try meeting.addReceiver(link: meeting.addLink(way()), back: way()) }
    let members = [publisher.member] + receivers.map(\.member)
    #expect(worst(meeting, members, in: 15) == [.excellent, .excellent, .excellent])
    publisher.setActive(false, layer: 1)
    publisher.setActive(false, layer: 2)
    #expect(worst(meeting, members, in: 20) == [.poor, .excellent, .excellent])
    publisher.setActive(true, layer: 1)
    publisher.setActive(true, layer: 2)
    meeting.run(for: .seconds(20))
    #expect(publisher.member.quality.quality == .excellent)
  }

  @Test("losses that feedback tells of make the connection worse of who has them")
  func loss() throws {
    let meeting = QualityMeeting(seed: 64)
    let publisher = try meeting.addPublisher([120])
    let good = try meeting.addReceiver(link: meeting.addLink(way()), back: way())
    let bad = try meeting.addReceiver(link: meeting.addLink(way(loss: .random(0.2))), back: way())
    #expect(worst(meeting, [publisher.member, good.member], in: 15) == [.excellent, .excellent])
    #expect(bad.member.quality.quality == .poor)
  }

  @Test("a receiver that nothing reaches has lost the connection though it is still heard")
  func nothingAcknowledged() throws {
    let meeting = QualityMeeting(seed: 65)
    let publisher = try meeting.addPublisher()
    let good = try meeting.addReceiver(link: meeting.addLink(way()), back: way())
    let link = meeting.addLink(way())
    let cut = try meeting.addReceiver(link: link, back: way())
    let members = [publisher.member, good.member]
    #expect(worst(meeting, members + [cut.member], in: 12) == [.excellent, .excellent, .excellent])
    meeting.links[link].change(way(loss: .random(1)), now: meeting.now)
    #expect(worst(meeting, members, in: 7) == [.excellent, .excellent])
    #expect(cut.member.quality.quality == .lost)
    meeting.run(for: .seconds(10))
    #expect(cut.member.quality.quality == .lost, "it stays so")
    meeting.links[link].change(way(), now: meeting.now)
    meeting.run(for: .seconds(20))
    #expect(cut.member.quality.quality == .excellent)
  }
}
