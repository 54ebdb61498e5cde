import Foundation
import RTC
import Signaling
import Testing

@testable import Parley

/// The values that hold the state of a meeting as the server reports it.
@MainActor @Suite struct MeetingStateTests {
  private func message(_ id: Int, _ text: String = "") -> ChatMessage {
    ChatMessage(id: id, from: "p_1", name: "Ann", text: text, time: Date(timeIntervalSince1970: 0))
  }

  @Test("messages lie in the server's order, and the newest are kept")
  func chat() {
    var chat = ChatMessages(limit: 3)
    for id in [2, 5, 3] { chat.insert(message(id)) }
    #expect(chat.all.map(\.id) == [2, 3, 5] && chat.contains(3) && !chat.contains(4))
    chat.insert(message(4))
    #expect(chat.all.map(\.id) == [3, 4, 5])
    #expect(!chat.differs(from: message(4)) && !chat.differs(from: message(9, "new")))
    #expect(chat.differs(from: message(4, "new")))
    chat.replace(message(4, "new"))
    chat.replace(message(9, "new"))
    #expect(chat.all.map(\.text) == ["", "new", ""])
  }

  @Test("a lobby reports who knocks, whose knock ended, and the lock")
  func lobby() {
    var lobby = Lobby()
    let (ann, ben) = (WaitingParticipant(id: "w_1", name: "Ann"), WaitingParticipant(id: "w_2", name: "Ben"))
    func words(_ info: LobbyInfo) -> [String] {
      lobby.apply(info, isHost: true).map { event in
        switch event {
        case .knocked(let participant): "knocked \(participant.name)"
        case .knockEnded(let participant): "ended \(participant.name)"
        case .lockChanged(let isLocked): "locked \(isLocked)"
        default: "another"
        }
      }
    }
    #expect(words(LobbyInfo(waiting: [ann], locked: true)) == ["knocked Ann", "locked true"])
    #expect(words(LobbyInfo(waiting: [ann], locked: true)).isEmpty)
    #expect(words(LobbyInfo(waiting: [ben], locked: false)) == ["ended Ann", "knocked Ben", "locked false"])
  }

  @Test("a pause and an undecodable codec may come before the publication they are about")
  func slots() {
    var slots = Slots()
    slots.all = [SlotInfo(mid: "1", publication: "t_1"), SlotInfo(mid: "2")]
    #expect(slots.carried == ["t_1": MID(rawValue: "1")])
    slots.pause(["1", "2"], for: .bandwidth)
    slots.setUndecodable([
      UndecodablePublication(publication: "t_1", participant: "p_1", codec: CodecInfo(name: "VP9"))
    ])
    let info = ParticipantInfo(id: "p_1", name: "Ann", role: "guest")
    let participant = RemoteParticipant(info)
    func publication(_ kind: TrackKind) -> RemotePublication {
      RemotePublication(
        PublicationInfo(id: "t_1", kind: kind, source: kind == .audio ? .microphone : .camera, muted: false),
        participant: participant)
    }
    #expect(slots.pauseReason(of: publication(.video)) == .bandwidth)
    #expect(slots.pauseReason(of: publication(.audio)) == nil)
    #expect(slots.undecodableCodec(of: "t_1")?.name == "VP9" && slots.undecodableCodec(of: "t_2") == nil)
    slots.removeAll()
    #expect(slots.carried.isEmpty && slots.pauseReason(of: publication(.video)) == nil)
  }

  @Test("the newest four servers that cannot be used are named, and the newest relay")
  func serverProblems() {
    var problems = ServerProblems()
    #expect(problems.text == nil && problems.relay == nil && !problems.isWithoutRelay)
    for number in 0..<6 {
      let scheme = number == 4 ? "TURNS" : "stun"
      problems.add(ServerProblem(url: "\(scheme):\(number)", error: .noAnswer, isLast: number == 5))
    }
    #expect(problems.all.map(\.url) == ["stun:2", "stun:3", "TURNS:4", "stun:5"])
    #expect(problems.relay?.url == "TURNS:4" && problems.isWithoutRelay && problems.text?.contains("stun:2") == true)
  }
}
