import Basics
import Foundation
import Meetings
import Signaling
import TestTenants
import Testing

@testable import MeetingServer

@Suite("Parts of a room")
struct RoomPartTests {
  private let start = Instant.milliseconds(1_000)

  private func member(_ id: String, order: Int = 0, role: Role = .publisher) throws -> RoomMember {
    let tenant = try TestTenants.make(name: "t", policy: TenantPolicy(signIn: .token), now: Date())
    let record = MeetingRecord(tenant: tenant.id, room: try RoomName("r"), kind: .named, subject: "", created: Date())
    let grant = JoinGrant(
      form: .signed, tenant: tenant.id, id: .random(), target: .anyRoom, role: role, expires: .distantFuture)
    return RoomMember(
      id: id, resumeToken: "", admission: Admission(meeting: record, tenant: tenant, grant: grant), origin: nil,
      order: order, name: id, channel: RoomChannel(channel: SignalingChannel(socket: NoSocket()), output: RoomOutput()),
      created: Date())
  }

  private func request(_ id: String, offer: String = "") throws -> JoinRequest {
    var request = JoinRequest(
      admission: try member(id).admission, name: id, join: .init(token: "", name: id, offer: offer, tracks: []),
      channel: SignalingChannel(socket: NoSocket()))
    request.session = .init(participant: id, resumeToken: id)
    return request
  }

  private struct NoSocket: SignalingSocket {
    func next() async -> SignalingFrame? { nil }
    func send(_ text: String) {}
    func close(code: UInt16, reason: String) {}
  }

  @Test("a roster counts reserved sessions and keeps the order of join requests")
  func roster() throws {
    var roster = Roster()
    #expect(roster.isEmpty && roster.vacancies(of: 2) == 2)
    roster.reserve()
    #expect(!roster.isEmpty && roster.vacancies(of: 2) == 1)
    let (first, second) = (try member("a", order: 0), try member("b", order: 1, role: .moderator))
    roster.insert(second)
    roster.release()
    roster.insert(first)
    #expect(roster.vacancies(of: 2) == 0 && roster.vacancies(of: 1) == 0)
    #expect(roster.inOrder.map(\.id) == ["a", "b"])
    #expect(roster.hasHost)
    roster.remove(second)
    #expect(!roster.hasHost && roster["b"] == nil && roster.contains(first) && !roster.contains(second))
  }

  @Test("a roster knows when the first of its members' deadlines is due")
  func deadlines() throws {
    var roster = Roster()
    let member = try member("a")
    roster.insert(member)
    #expect(roster.deadline == .distantFuture)
    member.expiry = start + .seconds(30)
    roster.schedule(start + .seconds(30))
    member.chatting.typing = .init(to: nil)
    member.chatting.typingEnd = start + .seconds(6)
    roster.schedule(start + .seconds(6))
    #expect(roster.deadline == start + .seconds(6))
    member.chatting.typing = nil
    roster.reschedule()
    #expect(roster.deadline == start + .seconds(30))
  }

  @Test("a lobby sends people away after the longest wait, and hosts hear in batches")
  func lobby() throws {
    var lobby = Lobby()
    for (number, id) in ["a", "b"].enumerated() {
      lobby.add(.init(request: try request(id), reason: .lobby, end: start + .seconds(Int64(number + 1) * 10)))
    }
    #expect(lobby.deadline == start + .seconds(10))
    let early = lobby.removeExpired(now: start + .seconds(9))
    let expired = lobby.removeExpired(now: start + .seconds(10))
    #expect(early.isEmpty && expired.map(\.id) == ["a"])
    #expect(lobby.info.waiting.map(\.id) == ["b"])
    let told = (0..<100).count { _ in lobby.mayNotifyHosts(now: start) }
    #expect(told == 20)
    #expect(lobby.deadline == start + .milliseconds(250))
    let owed = [0, 250, 250].map { lobby.owesHosts(now: start + .milliseconds($0)) }
    #expect(owed == [false, true, false])
  }

  @Test("a participant who is let in and leaves before the media answers isn't in")
  func departed() throws {
    var lobby = Lobby()
    lobby.enter("a")
    #expect(!lobby.isEmpty && lobby.isEntering("a"))
    lobby.depart("a")
    let (hasLeft, again) = (lobby.arrive("a"), lobby.arrive("a"))
    #expect(hasLeft && !again && lobby.isEmpty)
  }

  @Test("votes and connection quality that change within the pause are reported once")
  func coalesced() {
    var changes = CoalescedChanges<Int>(pause: .milliseconds(300))
    changes.insert([], now: start)
    #expect(changes.deadline == nil)
    changes.insert([1], now: start)
    changes.insert([2, 1], now: start + .milliseconds(200))
    let drained = [299, 300, 1_000].map { changes.drain(now: start + .milliseconds($0)) }
    #expect(drained == [nil, [1, 2], nil])
    #expect(changes.deadline == nil)
  }

  @Test("chat messages go out in their order, each once its write is on the disk")
  func delivery() {
    func entry(_ id: Int) -> ChatEntry { ChatEntry(id: id, from: "a", name: "a", text: "t", time: Date()) }
    var delivery = ChatDelivery()
    delivery.append(.message(entry(1), id: nil), after: 3)
    delivery.append(.changed(entry(2)), after: 3)
    delivery.append(.message(entry(3), id: 7), after: 5)
    #expect(delivery.lastWrite == 5)
    let counts = [2, 4, 9].map { delivery.drain(through: $0).count }
    #expect(counts == [0, 2, 1] && delivery.lastWrite == nil)
  }

  @Test("muting all spares hosts where others may not unmute, and whom it names")
  func muting() throws {
    var moderation = Moderation()
    let (guest, host) = (try member("g"), try member("h", role: .moderator))
    #expect(moderation.mayUnmute(.microphone, guest) && !moderation.startsMuted(.microphone, guest))
    moderation.muteAll = MuteAll(sources: [.microphone], except: [], mayUnmute: false)
    #expect(!moderation.mayUnmute(.microphone, guest) && moderation.mayUnmute(.microphone, host))
    #expect(moderation.startsMuted(.microphone, guest) && !moderation.startsMuted(.microphone, host))
    #expect(moderation.mayUnmute(.camera, guest))
    moderation.muteAll?.except.insert("g")
    #expect(moderation.mayUnmute(.microphone, guest))
  }

  @Test("a ban holds for the token and for the user's other tokens")
  func bans() throws {
    var moderation = Moderation()
    var grant = try member("a").admission.grant
    grant.user = "u"
    let meeting = MeetingID.random()
    moderation.ban(grant, in: meeting, address: nil)
    var other = grant
    other.id = .random()
    #expect(moderation.isBanned(grant, in: meeting) && moderation.isBanned(other, in: meeting))
    other.user = "v"
    #expect(!moderation.isBanned(other, in: meeting))
  }

  @Test("raised hands keep the order in which they went up")
  func hands() throws {
    var hands = RaisedHands()
    let (first, second) = (try member("a"), try member("b"))
    let changes = [hands.set(true, second), hands.set(true, first), hands.set(true, second), hands.set(false, first)]
    #expect(changes == [true, true, false, true])
    #expect(second.hand == 1 && first.hand == nil)
  }

  @Test("a journal that gave something up is mended once")
  func mending() {
    var journal = RoomJournal()
    let early = journal.mend()
    #expect(!early && journal.state == RoomSnapshot())
    journal.lost = 4
    let (first, second) = (journal.mend(), journal.mend())
    #expect(first && !second && journal.state == nil)
    let write = journal.nextWrite()
    #expect(write == 1 && journal.hasContent && journal.isWritable)
    journal.isRestored = true
    #expect(!journal.isWritable)
  }
}
