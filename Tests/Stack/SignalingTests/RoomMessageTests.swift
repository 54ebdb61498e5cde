import Testing

@testable import Signaling

@Suite struct RoomMessageTests {
  private func requests() -> [RoomRequest] {
    [
      .muteParticipant("p_1", sources: [.microphone, .screen]), .stopTracks("p_1", sources: [.camera, .microphone]),
      .muteAll(sources: [.microphone], except: ["p_1"], includingLater: true, mayUnmute: false), .liftMuteAll,
      .muteAll(
        sources: [.microphone, .screenAudio], except: [],
        exceptTracks: [.init(participant: "p_1", source: .screenAudio)],
        includingLater: false, includingSelf: true, mayUnmute: true),
      .askToUnmute("p_1", sources: [.camera]), .removeParticipant("p_1", ban: true),
      .setRole("p_1", role: "moderator"), .setPermissions("p_1", permissions: ["chat"]), .spotlight("p_1"),
      .changePermissions("p_1", adding: ["chat"], removing: ["data", "publishAudio"]),
      .spotlight(nil), .endMeeting, .raiseHand(true, participant: nil), .raiseHand(false, participant: "p_1"),
      .lowerHands, .react(.heart), .createPoll(.init(question: "?", options: ["a", "b"], results: .whenClosed)),
      .setPoll(3, isOpen: false), .removePoll(3), .vote(poll: 3, options: [0, 1]),
    ]
  }

  @Test("every request comes through the wire as it was, with its number and without")
  func requestsRoundTrip() throws {
    for request in requests() {
      for id in [7, nil] {
        let text = try SignalingEncoder().encode(ClientMessage.room(request, id: id))
        let read = try SignalingDecoder().clientMessage(from: Array(text.utf8))
        #expect(read == .room(request, id: id), "\(text)")
      }
    }
  }

  @Test("every notice comes through the wire as it was")
  func noticesRoundTrip() throws {
    let poll = PollInfo(
      id: 1, question: "?", options: [.init(text: "a", votes: 2), .init(text: "b")], multiple: true, results: .always,
      isOpen: true, voters: 2, mine: [0])
    let order = MuteAllInfo(sources: [.microphone], mayUnmute: false)
    let notices: [RoomNotice] = [
      .done(id: 4), .permissions(role: "guest", permissions: ["chat"]),
      .unmuteRequested(sources: [.microphone], by: nil), .unmuteRequested(sources: [.camera], by: "p_1"),
      .spotlight("p_1"), .spotlight(nil), .muteAll(order), .muteAll(nil), .reaction(participant: "p_1", .clap),
      .poll(poll), .pollRemoved(1),
      .meeting(MeetingInfo(id: "m_1", name: "daily", url: "http://localhost/daily", subject: "Crew")),
      .state(RoomState(spotlight: "p_1", muteAll: order, polls: [poll])),
    ]
    for notice in notices {
      let text = try SignalingEncoder().encode(ServerMessage.room(notice))
      let read = try SignalingDecoder().serverMessage(from: Array(text.utf8))
      #expect(read == .room(notice), "\(text)")
    }
  }

  @Test(
    "threat 27: long or empty lists, unknown sources and missing keys are refused",
    arguments: [
      #"{"type":"muteParticipant","participant":"p","sources":[]}"#,
      #"{"type":"muteParticipant","participant":"p","sources":["smell"]}"#,
      #"{"type":"muteParticipant","sources":["camera"]}"#, #"{"type":"stopTracks","participant":"p","sources":[]}"#,
      #"{"type":"muteAll","sources":["camera","camera","camera","camera","camera"]}"#,
      #"{"type":"muteAll","sources":["microphone"],"exceptTracks":[{"participant":"p","source":"smell"}]}"#,
      #"{"type":"react","reaction":"sneeze"}"#, #"{"type":"vote","poll":1,"options":[0,1,2,3,4,5,6,7,8,9,10]}"#,
      #"{"type":"setPoll","poll":1}"#, #"{"type":"createPoll","poll":{"question":"?"}}"#,
      #"{"type":"raiseHand"}"#, #"{"type":"setRole","participant":7,"role":"guest"}"#,
    ])
  func refused(_ text: String) {
    do throws(SignalingError) {
      let read = try SignalingDecoder().clientMessage(from: Array(text.utf8))
      Issue.record("\(read)")
    } catch { #expect(error.code == .badMessage) }
  }

  @Test("absent values mean the least: no later tracks, unmuting allowed, no ban")
  func defaults() throws {
    func read(_ text: String) throws -> ClientMessage { try SignalingDecoder().clientMessage(from: Array(text.utf8)) }
    #expect(
      try read(#"{"type":"muteAll","sources":["microphone"]}"#)
        == .room(.muteAll(sources: [.microphone], except: [], includingLater: false, mayUnmute: true)))
    #expect(
      try read(#"{"type":"removeParticipant","participant":"p"}"#) == .room(.removeParticipant("p", ban: false)))
    let many = (0..<501).map { "\"p\($0)\"" }.joined(separator: ",")
    #expect(throws: SignalingError.self) {
      _ = try read(#"{"type":"muteAll","sources":["microphone"],"except":[\#(many)]}"#)
    }
  }
}
