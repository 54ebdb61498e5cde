import Signaling
import Testing

@Suite("Messages of encrypted meetings")
struct EncryptionMessageTests {
  private func client(_ text: String) throws(SignalingError) -> ClientMessage {
    try SignalingDecoder().clientMessage(from: Array(text.utf8))
  }

  private func server(_ text: String) throws(SignalingError) -> ServerMessage {
    try SignalingDecoder().serverMessage(from: Array(text.utf8))
  }

  private func encoded(_ bytes: Int) -> String {
    String(repeating: "A", count: EncryptionLimits.textLength(bytes: bytes))
  }

  @Test("an encoded message decodes to the same")
  func roundTrip() throws {
    let announcements = [ParticipantAnnouncement(participant: "p_1", announcement: "AQ-_")]
    let messages: [ClientMessage] = [
      .announce("AQ-_"), .keyEnvelopes([.init(to: "p_2", envelope: "AQ")]), .keyEnvelopes([]),
      .join(.init(token: "t", name: "Ann", offer: "v=0", tracks: [], e2ee: true)),
    ]
    for message in messages {
      #expect(try client(try SignalingEncoder().encode(message)) == message)
    }
    let answers: [ServerMessage] = [
      .announcement(announcements[0]), .keyEnvelopes([.init(from: "p_1", envelope: "AQ")]),
      .resumed(participants: [], slots: [], chat: [], announcements: announcements),
      .welcome(
        .init(
          participant: "p_2", resumeToken: "r", resumeWindow: 30,
          meeting: .init(id: "m", name: "d", url: "http://h/d", subject: "d", e2ee: true), answer: "v=0",
          participants: [], slots: [], chat: [], announcements: announcements)),
      .error(code: .encryptionRequired, message: "m", fatal: true, id: nil),
      .error(code: .notEncrypted, message: "m", fatal: false, id: 4),
    ]
    for message in answers {
      #expect(try server(try SignalingEncoder().encode(message)) == message)
    }
  }

  @Test("the keys are the protocol's, and a plain meeting has none of them")
  func keys() throws {
    #expect(
      try client(#"{"type":"keyEnvelopes","envelopes":[{"to":"p_2","envelope":"AQ"}]}"#)
        == .keyEnvelopes([.init(to: "p_2", envelope: "AQ")]))
    #expect(try client(#"{"type":"announce","announcement":"AQ"}"#) == .announce("AQ"))
    #expect(
      try server(#"{"type":"keyEnvelopes","envelopes":[{"from":"p_1","envelope":"AQ"},{"from":7}]}"#)
        == .keyEnvelopes([.init(from: "p_1", envelope: "AQ")]))
    #expect(
      try server(#"{"type":"announcement","participant":"p_1","announcement":"AQ"}"#)
        == .announcement(.init(participant: "p_1", announcement: "AQ")))
    let meeting = MeetingInfo(id: "m", name: "d", url: "http://h/d", subject: "d")
    #expect(try !SignalingEncoder().encode(meeting).contains("e2ee"))
    let resumed = ServerMessage.resumed(participants: [], slots: [], chat: [])
    #expect(try !SignalingEncoder().encode(resumed).contains("announcements"))
  }

  @Test("a join whose e2ee isn't a boolean is refused, not taken for a plain one")
  func oddJoin() throws {
    func join(_ e2ee: String) throws -> ClientMessage {
      try client(#"{"type":"join","token":"t","name":"Ann","offer":"v=0","tracks":[]\#(e2ee)}"#)
    }
    for odd in [#","e2ee":"true""#, #","e2ee":1"#, #","e2ee":{}"#] {
      #expect(throws: SignalingError.self) { try join(odd) }
    }
    for plain in ["", #","e2ee":null"#, #","e2ee":false"#] {
      guard case .join(let content) = try join(plain) else {
        Issue.record("no join")
        continue
      }
      #expect(content.e2ee != true)
    }
  }

  @Test(
    "threat 44: announcements and envelopes out of form or bounds are refused first")
  func limits() throws {
    #expect(try client(#"{"type":"announce","announcement":"\#(encoded(1_024))"}"#) == .announce(encoded(1_024)))
    let odd = [encoded(1_025), "", "A", "AAAAA", "AQ==", "A+==", "A/AA", "AA AA", "\u{212a}Q", "ÀQ"]
    for text in odd {
      #expect { try client(#"{"type":"announce","announcement":"\#(text)"}"#) } throws: {
        ($0 as? SignalingError)?.code == .badMessage
      }
      #expect { try client(#"{"type":"keyEnvelopes","envelopes":[{"to":"p","envelope":"\#(text)"}]}"#) } throws: {
        ($0 as? SignalingError)?.code == .badMessage
      }
    }
    func many(_ count: Int) -> String {
      let envelopes = (0..<count).map { #"{"to":"p_\#($0)","envelope":"AQ"}"# }.joined(separator: ",")
      return #"{"type":"keyEnvelopes","envelopes":[\#(envelopes)]}"#
    }
    guard case .keyEnvelopes(let envelopes) = try client(many(256)) else {
      Issue.record("256 envelopes are taken")
      return
    }
    #expect(envelopes.count == 256)
    #expect(throws: SignalingError.badMessage("\"envelopes\" has 257 entries, at most 256 are taken")) {
      try client(many(257))
    }
  }

  @Test("limits of sealed text hold the longest text that can be written in clear")
  func sealedText() {
    #expect(EncryptionLimits.textLength(bytes: 0) == 0 && EncryptionLimits.textLength(bytes: 1) == 2)
    #expect(EncryptionLimits.textLength(bytes: 2) == 3 && EncryptionLimits.textLength(bytes: 3) == 4)
    #expect(SignalingLimits.sealedChatBytes == 21_419 && Signal.maximumSealedData == 11_008)
    let longest = Signal(type: "t", data: String(repeating: "A", count: Signal.maximumSealedData))
    #expect(longest.problem(isSealed: true) == nil && longest.problem == .dataTooLong)
    #expect(Signal(data: longest.data + "A").problem(isSealed: true) == .dataTooLong)
  }
}
