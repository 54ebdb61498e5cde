import Parley
import Testing

@testable import ParleyCLI

@Suite("The people that lobby commands mean")
struct LobbyChoiceTests {
  private let ann = WaitingParticipant(id: "p_1", name: "Ann")
  private let other = WaitingParticipant(id: "p_2", name: "Ann")
  private let ben = WaitingParticipant(id: "p_3", name: "Ben")
  private let imposter = WaitingParticipant(id: "p_4", name: "p_1")

  @Test("an id is clear, and a name only where nobody else bears it")
  func choice() {
    let waiting = [ann, other, ben, imposter]
    #expect(LobbyChoice("p_2", among: waiting) == .one(other))
    #expect(LobbyChoice("Ben", among: waiting) == .one(ben))
    #expect(LobbyChoice("Ann", among: waiting) == .several([ann, other]))
    #expect(LobbyChoice("Ann", among: [ann, ben]) == .one(ann))
    #expect(LobbyChoice("p_1", among: waiting) == .one(ann))
    #expect(LobbyChoice("", among: waiting) == .nobody)
    #expect(LobbyChoice("Cem", among: waiting) == .nobody)
  }
}
