import FoundationEssentials
import Signaling
import Testing

@Suite("Messages from the server")
struct ServerMessageTests {
  private let time = Date(timeIntervalSince1970: 1_795_251_600)

  @Test("what is encoded decodes to the same")
  func roundTrip() throws {
    let publication = PublicationInfo(id: "t_91", kind: .video, source: .camera, muted: false)
    let participant = ParticipantInfo(id: "p_1", name: "Ann", role: "guest", publications: [publication])
    let slots = [SlotInfo(mid: "4", publication: "t_91", participant: "p_1"), SlotInfo(mid: "5")]
    let chat = [ChatEntry(id: 7, from: "p_1", name: "Ann", text: "hello", time: time)]
    let messages: [ServerMessage] = [
      .welcome(
        .init(
          participant: "p_1", resumeToken: "r", resumeWindow: 30,
          meeting: .init(id: "m_1", name: "daily", url: "http://h/daily", subject: "daily"), answer: "v=0",
          participants: [participant], slots: slots, chat: chat)),
      .waiting(reason: .host, seconds: 60), .lobby(.init(waiting: [.init(id: "p_2", name: "Bo")], locked: true)),
      .resumed(participants: [participant], slots: slots, chat: chat),
      .answer(id: 2, answer: "v=0", slots: slots), .participantJoined(participant),
      .participantUpdated(participant), .participantLeft(id: "p_1", reason: .timeout),
      .published(participant: "p_1", publication: publication),
      .publicationUpdated(participant: "p_1", publication: publication),
      .unpublished(participant: "p_1", publication: "t_91"), .slots(slots), .paused(slots: ["4"], reason: .bandwidth),
      .needSlots(audio: 3, video: 4),
      .speakers([.init(participant: "p_1", level: 0.5)]), .quality(["p_1": .poor]), .chat(chat[0]),
      .token(.expiring(seconds: 60, leaves: true)),
      .token(.refreshed(token: "psat=t", expires: Date(timeIntervalSince1970: 1_795_251_600))),
      .ended(reason: .tokenExpired, message: "over"), .ended(reason: .tokenRevoked, message: "out"), .pong(time: nil),
      .pong(time: 4),
      .error(code: .internalError, message: "m", fatal: true, id: nil),
      .error(code: .badOffer, message: "m", fatal: false, id: 4), .ended(reason: .shutdown, message: "bye"),
    ]
    for message in messages {
      let text = try SignalingEncoder().encode(message)
      #expect(try SignalingDecoder().serverMessage(from: Array(text.utf8)) == message)
    }
  }

  @Test("keys that the protocol shows as null are written as null, and times as ISO 8601")
  func nulls() throws {
    let encoder = SignalingEncoder()
    #expect(try encoder.encode(SlotInfo(mid: "5")).contains(#""publication":null"#))
    let entry = try encoder.encode(ChatEntry(id: 7, from: "p", name: "n", text: "t", time: time))
    #expect(entry.contains(#""to":null"#))
    #expect(entry.contains(#""time":"2026-11-21T"#))
    #expect(
      try encoder.encode(MeetingInfo(id: "m", name: "d", url: "http://h/d", subject: "s")).contains(#""expires":null"#))
    let error = ServerMessage.error(code: .internalError, message: "", fatal: true, id: nil)
    #expect(try encoder.encode(error).contains(#""code":"internal""#))
  }
}
