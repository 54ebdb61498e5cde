import Basics
import Foundation
import MeetingServer
import TestSupport
import Testing
import Transport

@testable import Parley
@testable import ParleyCLI

/// Waiting and letting in, as apps see it.
@Suite(.serialized) @MainActor struct LobbyTests {
  /// A meeting that its organiser lets people into: its address, and the organiser's token.
  private func closedMeeting(_ live: LiveServer) async throws -> (url: String, token: Secret<String>) {
    let answer = try await HTTPClient.request(
      "POST", live.url + "/GetAdhocMeetingJob", body: Array("Subject=Board&AccessLevel=Locked".utf8))
    let values = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: String])
    return (try #require(values["JoinUrl"]), Secret(try #require(values["OrganizerToken"])))
  }

  private func host(_ meeting: (url: String, token: Secret<String>)) async throws -> Meeting {
    let host = try Meeting(meeting.url, token: meeting.token, name: "Ann")
    try await host.join()
    return host
  }

  /// The outcome of joining: nil when it works.
  private func outcome(_ meeting: Meeting) -> Task<JoinError?, Never> {
    Task { () async -> JoinError? in
      do throws(JoinError) {
        try await meeting.join()
        return nil
      } catch { return error }
    }
  }

  @Test(
    "waiting is reported, shows nothing of the meeting, and is no part of the timeout"
  )
  func admitted() async throws {
    try await LiveServer.run { live in
      let address = try await closedMeeting(live)
      let ann = try await host(address)
      let host = Witness(ann)
      let bob = try Meeting(address.url, name: "Bob")
      let witness = Witness(bob)
      let microphone = try await bob.local.publish(LocalAudioTrack(ToneSource()))
      let joining = outcome(bob)
      try await wait(for: "Bob to wait: \(bob.state)") { bob.state == .waiting }
      #expect(bob.waitingReason == .lobby && bob.participants.isEmpty && bob.info == nil && bob.local.id.isEmpty)
      #expect(bob.joinDeadline?.isCancelled == true)
      // Said while nobody listens, and true afterwards.
      microphone.setMuted(true)
      try bob.send(chat: "hello")
      try await wait(for: "the knock: \(host.events)") { ann.lobby.map(\.name) == ["Bob"] }
      try await ann.admit(#require(ann.lobby.first))
      #expect(await joining.value == nil)
      #expect(bob.state == .connected && bob.waitingReason == nil && bob.participants.map(\.name) == ["Ann"])
      try await wait(for: "Ann to know all: \(host.events)") {
        host.saw("chat Bob: hello") && host.saw("announced Bob joined")
          && ann.participants.first?.publications.first?.isMuted == true
      }
      #expect(host.saw("knocked Bob") && host.saw("knockEnded Bob") && ann.lobby.isEmpty)
      #expect(host.events.count { $0 == "chat Bob: hello" } == 1)
      #expect(witness.events.first == "waiting lobby" && !witness.saw("announced Ann joined"), "\(witness.events)")
      await bob.leave()
      try await wait(for: "the farewell: \(host.events)") { host.saw("announced Bob left") }
      await ann.leave()
    }
  }

  @Test("a denied or leaving person in the lobby gets the reason, and doesn't ask again")
  func denied() async throws {
    try await LiveServer.run { live in
      let address = try await closedMeeting(live)
      let ann = try await host(address)
      let bob = try Meeting(address.url, name: "Bob")
      let joining = outcome(bob)
      try await wait(for: "the knock") { ann.lobby.count == 1 }
      try await ann.deny(#require(ann.lobby.first))
      let error = await joining.value
      #expect(error?.code == "entryDenied" && error?.isFinal == true)
      #expect(bob.state == .ended && bob.endReason == .failed && bob.waitingReason == nil)

      let cem = try Meeting(address.url, name: "Cem")
      let leaving = outcome(cem)
      try await wait(for: "the second knock") { ann.lobby.map(\.name) == ["Cem"] }
      await cem.leave()
      #expect(await leaving.value == .cancelled)
      #expect(cem.state == .ended && cem.endReason == .left)
      try await wait(for: "nobody to wait") { ann.lobby.isEmpty }
      await ann.leave()
    }
  }

  @Test("a locked meeting tells joiners that it is locked, and only hosts have its lobby")
  func locked() async throws {
    try await LiveServer.run { live in
      let url = live.url + "/daily"
      let bob = try await Meeting.join(url, name: "Bob")
      let witness = Witness(bob)
      /// Whether Bob's request is refused, with an error for him.
      @MainActor func refused(_ ask: @MainActor () async throws -> Void) async -> Bool {
        do { try await ask() } catch { return (error as? JoinError)?.code == "notAllowed" }
        return false
      }
      #expect(await refused { try await bob.lock() })
      #expect(await refused { try await bob.unlock() })
      #expect(await refused { try await bob.admitAll() })
      let nobody = WaitingParticipant(id: "p_1", name: "Nobody")
      #expect(await refused { try await bob.admit(nobody) })
      #expect(await refused { try await bob.deny(nobody) })
      #expect(!bob.isLocked && !witness.events.contains { $0.hasPrefix("problem") }, "\(witness.events)")

      let address = try await closedMeeting(live)
      let ann = try await host(address)
      #expect(!ann.isLocked)
      try await ann.lock()
      #expect(ann.isLocked)
      let cem = try Meeting(address.url, name: "Cem")
      #expect(await outcome(cem).value?.code == "meetingLocked")
      try await ann.unlock()
      #expect(!ann.isLocked)
      try await ann.admit(nobody)
      let dan = try Meeting(address.url, name: "Dan")
      let joining = outcome(dan)
      try await wait(for: "the knock") { ann.lobby.count == 1 }
      try await ann.admitAll()
      #expect(await joining.value == nil)
      #expect(dan.lobby.isEmpty && bob.lobby.isEmpty)
      for meeting in [ann, bob, dan] { await meeting.leave() }
    }
  }

  @Test("a passcode is asked for by its code, and the right one joins the meeting")
  func passcode() async throws {
    try await LiveServer.run { live in
      #expect(
        await MeetingCommand.group.run(
          ["create", "board", "--passcode", "1234", "--wait-for-host", "yes", "--data", live.folder + "/data"]) == 0)
      for (passcode, code) in [(nil, "passcodeRequired"), ("4321", "wrongPasscode")] as [(String?, String)] {
        var options = JoinOptions(name: "Bob")
        options.passcode = passcode.map { Secret($0) }
        let error = await outcome(try Meeting(live.url + "/board", options: options)).value
        #expect(error?.code == code && error?.isFinal == true)
      }
      var options = JoinOptions(name: "Bob")
      options.passcode = Secret("1234")
      let bob = try Meeting(live.url + "/board", options: options)
      let joining = outcome(bob)
      try await wait(for: "Bob to wait for a host: \(bob.state)") { bob.waitingReason == .host }
      await bob.leave()
      #expect(await joining.value == .cancelled)
      #expect(!"\(options)".contains("1234"))
    }
  }
}
