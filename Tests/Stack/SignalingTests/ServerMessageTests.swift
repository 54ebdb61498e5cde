import FoundationEssentials
import Signaling
import Testing

@Suite("Messages from the server")
struct ServerMessageTests {
  private let time = Date(timeIntervalSince1970: 1_795_251_600)

  @Test("an encoded message decodes to the same")
  func roundTrip() throws {
    let publication = PublicationInfo(
      id: "t_91", kind: .video, source: .camera, muted: false, created: Date(timeIntervalSince1970: 1_795_251_600.0625))
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
      .answer(id: 2, answer: "v=0", slots: slots),
      .answer(id: 3, answer: "v=0", slots: slots, publications: [publication]), .participantJoined(participant),
      .participantUpdated(participant), .participantLeft(id: "p_1", reason: .timeout),
      .published(participant: "p_1", publication: publication),
      .publicationUpdated(participant: "p_1", publication: publication),
      .unpublished(participant: "p_1", publication: "t_91"),
      .unpublished(participant: "p_1", publication: "t_91", reason: .removed), .slots(slots),
      .paused(slots: ["4"], reason: .bandwidth),
      .needSlots(audio: 3, video: 4),
      .speakers([.init(participant: "p_1", level: 0.5)]), .quality(["p_1": .poor]), .chat(chat[0]),
      .codec(
        .undecodable([
          .init(publication: "t_91", participant: "p_1", codec: .init(name: "VP9", parameters: "profile-id=0"))
        ])),
      .codec(.undecodable([])),
      .codec(
        .undecodableFor(.init(publication: "t_91", codec: .init(name: "AV1"), participants: ["p_2"], count: 1))),
      .codec(.sendCodec(mid: "1", codec: .init(name: "H264", parameters: "profile-level-id=42e01f", payloadType: 103))),
      .codec(.sendCodec(mid: "1", codec: nil)),
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

  @Test("a publication says its time to the millisecond; without one it is read, too")
  func whenPublished() throws {
    let (encoder, decoder) = (SignalingEncoder(), SignalingDecoder())
    for (milliseconds, text) in [
      (1_795_251_600_000, "2026-11-21T09:00:00.000Z"), (1_795_251_600_007, "2026-11-21T09:00:00.007Z"),
      (1_795_251_600_123, "2026-11-21T09:00:00.123Z"), (1_795_251_659_999, "2026-11-21T09:00:59.999Z"),
      (-1, "1970-01-01T00:00:00.000Z"), (.max, "9999-12-31T23:59:59.000Z"),
    ] as [(Int64, String)] {
      let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
      let publication = PublicationInfo(id: "t_91", kind: .video, source: .camera, muted: false, created: date)
      let written = try encoder.encode(publication)
      #expect(written.contains(#""created":"\#(text)""#), "\(written)")
      let read = try decoder.decode(PublicationInfo.self, from: Array(written.utf8))
      #expect(read == publication && read.created == publication.created)
    }
    func created(_ value: String) throws -> Date? {
      let text = #"{"id":"t","kind":"video","source":"camera","muted":false\#(value)}"#
      return try decoder.decode(PublicationInfo.self, from: Array(text.utf8)).created
    }
    #expect(try created("") == nil && created(#","created":null"#) == nil)
    #expect(try created(#","created":"2026-11-21T09:00:00Z""#) == time)
    #expect(try created(#","created":"yesterday""#) == nil, "an optional part of an odd value counts as absent")
    let answer = #"{"type":"answer","id":4,"answer":"v=0","slots":[]}"#
    #expect(try decoder.serverMessage(from: Array(answer.utf8)) == .answer(id: 4, answer: "v=0", slots: []))
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
