import Basics
import Signaling
import Testing

@testable import MeetingServer

@Suite("Publications that change without end")
struct PublicationFloodTests {
  private func room() throws -> (room: EncryptedRoom, ann: EncryptedRoom.Client, ben: EncryptedRoom.Client) {
    let room = try EncryptedRoom(isEncrypted: false)
    let (ann, ben) = (try room.join("ann", e2ee: false), try room.join("ben", e2ee: false))
    let member = try #require(room.machine.roster["ann"])
    member.publications = [
      .init(mid: "0", info: PublicationInfo(id: "mic", kind: .audio, source: .microphone, muted: false))
    ]
    _ = (ann.drain(), ben.drain())
    return (room, ann, ben)
  }

  private func states(_ messages: [ServerMessage]) -> [PublicationInfo] {
    messages.compactMap { if case .publicationUpdated("ann", let info) = $0 { info } else { nil } }
  }

  @Test("threat 41: muting always works, and others hear its state a few times a second")
  func muting() throws {
    let (room, ann, ben) = try self.room()
    // Fifty a second, as many as a socket may send.
    for step in 0..<50 * 20 {
      room.send(.mute(mid: "0", muted: step.isMultiple(of: 2), id: step), from: ann, id: step)
      room.pass(.milliseconds(20))
    }
    let done = ann.drain().count { if case .room(.done) = $0 { true } else { false } }
    #expect(done == 1_000)
    let heard = states(ben.drain())
    #expect((40...24 + 20 * 6 + 1).contains(heard.count), "\(heard.count)")
    room.pass(.seconds(1))
    // The last state reaches them, whichever came between.
    let state = room.machine.roster["ann"]?.publications.first?.info
    #expect(state?.muted == false && (states(ben.drain()).last ?? heard.last) == state)
    // A person's click goes out at once again.
    room.pass(.seconds(5))
    room.send(.mute(mid: "0", muted: true, id: 9_000), from: ann, id: 9_000)
    #expect(states(ben.drain()).map(\.muted) == [true])
  }

  @Test("threat 41: unmuting against an order is refused, and others hear of the first")
  func forbidden() throws {
    let (room, ann, ben) = try self.room()
    room.machine.moderation.muteAll = MuteAll(sources: [.microphone], except: [], mayUnmute: false)
    room.machine.roster["ann"]?.publications[0].info.muted = true
    for id in 0..<20 { room.send(.mute(mid: "0", muted: false, id: id), from: ann, id: id) }
    let refused = ann.drain().count { if case .error(.notAllowed, _, false, _) = $0 { true } else { false } }
    #expect(refused == 20)
    #expect(states(ben.drain()).map(\.mutedByHost) == [true])
  }

  @Test("threat 41: offers beyond any client's need are refused for a moment")
  func offers() throws {
    let (room, ann, _) = try self.room()
    func refusals(_ ids: ClosedRange<Int>) -> Int {
      for id in ids { room.send(.offer(.init(id: id, offer: "o", tracks: [])), from: ann, id: id) }
      return ann.drain().count { if case .error(.tooFast, _, false, .some) = $0 { true } else { false } }
    }
    #expect(refusals(1...60) == 0)
    #expect(refusals(61...80) == 20)
    room.pass(.seconds(1))
    #expect(refusals(81...83) == 0)
  }
}
