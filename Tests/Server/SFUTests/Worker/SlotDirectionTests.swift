import Basics
import Foundation
import TestSeeds
import Testing

@testable import RTC
@testable import SFU

/// Slots of sections that stop to receive, and receive again.
@Suite("Slots and directions", .tellsSeeds)
struct SlotDirectionTests {
  @Test(
    "a slot whose section stops receiving sends nothing, and resumes its old numbers",
    arguments: ["inactive", "sendonly", "sendrecv"])
  func stops(direction: String) throws {
    let meeting = try VirtualMeeting()
    let ann = try meeting.join("ann")
    let camera = ann.publish("t_1", mid: "0", .video, ssrc: 1_000, announce: true)
    let ben = try meeting.join("ben")
    let dtls = try DTLSContext(certificate: .selfSigned(unixTime: Int64(Date().timeIntervalSince1970)))
    let client = PeerConnection(
      .client, configuration: PeerConnectionConfiguration(dtls: dtls, sockets: [], codecs: [.opus, .vp8]))
    let mid = client.addSlot(.video)
    let offer = try client.createOffer()
    let server = PeerConnection(.server, configuration: PeerConnectionConfiguration(dtls: dtls))
    let connection = Connection(
      id: ben.member.id, index: 0, peer: server, member: ben.member,
      meeting: MediaCore.Meeting(id: MeetingID(rawValue: "m"), index: 0, router: meeting.router),
      data: ConnectionData(DataChannelSettings(), isSmall: false), isEncrypted: false)

    _ = try server.setRemoteOffer(offer, now: meeting.now)
    _ = connection.apply([])
    let slot = try #require(connection.slots[mid])
    meeting.router.attach(camera.publication, to: slot)
    camera.start()
    meeting.run(for: .seconds(1))
    let sent = slot.packetCount
    #expect(sent > 50)
    let highest = slot.rewriter.highestOut

    #expect(offer.contains("a=recvonly"))
    let changed = offer.replacingOccurrences(of: "a=recvonly", with: "a=\(direction)")
    _ = try server.setRemoteOffer(changed, now: meeting.now)
    _ = connection.apply([])
    #expect(connection.slots.isEmpty, "nothing can be given to it")
    #expect(camera.publication.subscriptions.isEmpty)
    meeting.run(for: .seconds(1))
    #expect(slot.packetCount == sent)

    _ = try server.setRemoteOffer(offer, now: meeting.now)
    _ = connection.apply([])
    #expect(connection.slots[mid] === slot)
    meeting.router.attach(camera.publication, to: slot)
    meeting.run(for: .seconds(1))
    #expect(slot.packetCount > sent + 50)
    #expect(slot.rewriter.highestOut > highest, "no number is used twice with one key")
    #expect(ben.member.egress.subscriptions.count == 1)
  }
}
