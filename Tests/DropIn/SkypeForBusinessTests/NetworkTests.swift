import Basics
import Foundation
import NetworkGate
import ParleyViews
import TestSupport
import Testing

@testable import Parley
@testable import SkypeForBusiness

/// Networks that are cut, with real media: the guest's reports, and the media that resumes by itself.
@MainActor @Suite(.serialized) struct NetworkTests {
  private let noServer = 0x2203_0014

  /// A guest whose network can be cut, and the guest's reports.
  @MainActor private struct Guest {
    let conversation: SfBConversation
    /// Of the conversation, and of the application.
    let inside = Alarm()
    let outside = Alarm()
    let states: States

    let invitation: Invitation

    init(_ office: Office, _ invitation: Invitation, _ gate: Gate) throws {
      self.invitation = invitation
      conversation = try office.join(invitation, through: gate)
      conversation.alertDelegate = inside
      office.application.alertDelegate = outside
      states = States(conversation)
    }

    var told: String { "\(states.all), \(inside.alerts.map(\.error)), \(outside.alerts.map(\.error))" }
  }

  /// The states of a conversation, in the order in which they were observed.
  @MainActor private final class States {
    private(set) var all: [SfBConversationState] = []
    private var observation: NSKeyValueObservation?

    init(_ conversation: SfBConversation) {
      observation = conversation.observe(\.state, options: [.initial, .new]) { [weak self] _, change in
        self?.all += [change.newValue].compactMap { $0 }
      }
    }
  }

  /// A guest in the meeting with somebody who can be seen and heard.
  private func meet(
    _ office: Office, _ gate: Gate, _ form: String = "Subject=Loan&AccessLevel="
  ) async throws -> (guest: Guest, agent: Meeting) {
    let invitation = try await office.invitation(form)
    let agent = try await office.agent(invitation, publishes: true)
    let guest = try Guest(office, invitation, gate)
    if form.contains("Locked") {
      try await wait(for: "the knock: \(guest.told)") { agent.lobby.count == 1 }
      try await agent.admitAll()
    }
    try await wait(for: "the meeting: \(guest.told)") {
      guest.conversation.remoteParticipants.first?.video.canSubscribe == true && agent.participants.count == 1
    }
    return (guest, agent)
  }

  /// Waits for the report of the loss, and checks it.
  private func expectLoss(_ guest: Guest, _ location: SourceLocation = #_sourceLocation) async throws {
    try await wait(for: "the connectivity alert: \(guest.told)") { !guest.inside.alerts.isEmpty }
    let alert = guest.inside.alerts[0]
    #expect(alert.type == .connectivity && alert.level == .warning, sourceLocation: location)
    #expect(alert.problem.domain == SfBErrorDomain && alert.problem.code == noServer, sourceLocation: location)
    #expect(
      alert.problem.userInfo[SfBErrorSeverityKey] as? String == SfBErrorSeverityWarning, sourceLocation: location)
  }

  /// Waits for the guest's test picture and tone at the other end.
  private func expectPictureAndSound(of guest: Guest, at agent: Meeting) async throws {
    let (eye, ear) = (Eye(), Ear())
    try await wait(for: "the guest's tracks: \(guest.told)") {
      let tracks = agent.participants.first
      guard let video = tracks?.publication(.camera)?.subscription?.video,
        let audio = tracks?.publication(.microphone)?.subscription?.audio
      else { return false }
      video.add(eye)
      audio.add(ear)
      return true
    }
    try await wait(for: "the guest's picture: \(eye.sources)") { eye.sources == [1] }
    try await wait(for: "the guest's tone: \(ear.frequency)") { abs(ear.frequency - 550) < 15 }
  }

  // A warning. Afterwards audio, video and the messages of the time between arrive.
  @Test("a dropped network is one connectivity alert without a change of state")
  func droppedNetwork() async throws {
    try await Office.runBehindAGate { office, gate in
      let (guest, agent) = try await meet(office, gate)
      let conversation = guest.conversation
      let remote = try #require(conversation.remoteParticipants.first)
      let layer = try #require(VideoTarget(frame: CGRect(x: 0, y: 0, width: 160, height: 90)).layer as? CAEAGLLayer)
      let stream = try remote.video.subscribe(layer)
      try conversation.audioService.toggleMute()
      try conversation.videoService.start()
      try await expectPictureAndSound(of: guest, at: agent)

      try await gate.cut()
      try await expectLoss(guest)
      #expect(conversation.canLeave && conversation.remoteParticipants == [remote])
      #expect(conversation.audioService.muted == .unmuted && conversation.videoService.canStop)
      let sent = try conversation.chatService.sendMessage("still here")
      #expect(sent.status == .pending && agent.chat.isEmpty)
      let frames = layer.surface.frameCount

      try await gate.restore()
      try await wait(for: "the message: \(guest.told)") { sent.status == .succeeded }
      #expect(agent.chat.map(\.text) == ["still here"])
      try await wait(for: "the agent's picture: \(layer.surface.frameCount)") {
        try? stream.render()
        return layer.surface.frameCount > frames + 3
      }
      try await expectPictureAndSound(of: guest, at: agent)
      #expect(guest.states.all == [.establishing, .established], "\(guest.told)")
      #expect(guest.inside.alerts.count == 1 && guest.outside.alerts.isEmpty, "\(guest.told)")
      #expect(conversation.remoteParticipants == [remote] && remote.video.canSubscribe)
      let lines = conversation.historyService.activityItems
      #expect(lines == [sent], "\(lines.map(\.type))")

      // The next loss is reported again.
      try await gate.cut()
      try await wait(for: "the second alert: \(guest.told)") { guest.inside.alerts.count == 2 }
      try await gate.restore()
      try await expectPictureAndSound(of: guest, at: agent)
    }
  }

  // conferenceUnexpectedDisconnect E2-3-20 after the warning. The state is idle, undelivered messages have failed, and
  // joining again works.
  @Test("a network that doesn't come back is one unexpected-disconnect alert")
  func lostForGood() async throws {
    try await Office.runBehindAGate { office, gate in
      office.application.options.reconnectTimeout = .seconds(12)
      let invitation = try await office.invitation()
      _ = try await office.agent(invitation)
      let guest = try Guest(office, invitation, gate)
      let conversation = guest.conversation
      try await wait(for: "the meeting: \(guest.told)") {
        conversation.remoteParticipants.count == 1 && conversation.videoService.canStart
      }
      try conversation.videoService.start()
      try conversation.audioService.toggleMute()
      try await wait(for: "both: \(guest.told)") {
        conversation.audioService.muted == .unmuted && conversation.selfParticipant.video.state == .connected
      }
      try await gate.cut()
      let sent = try conversation.chatService.sendMessage("to nobody")
      try await expectLoss(guest)
      try await wait(for: "the end: \(guest.told)") { conversation.state == .idle }

      #expect(guest.inside.alerts.map(\.type) == [.connectivity, .conferenceUnexpectedDisconnect], "\(guest.told)")
      let alert = try #require(guest.inside.alerts.last)
      #expect(alert.level == .error && alert.problem.code == noServer && alert.problem.domain == SfBErrorDomain)
      #expect(alert.error.localizedDescription.contains("(E2-3-20)"), "\(alert.error)")
      #expect(guest.outside.alerts.isEmpty && guest.states.all == [.establishing, .established, .idle])
      #expect(sent.status == .failed && conversation.remoteParticipants.isEmpty && conversation.subject == "Loan")
      let (audio, video) = (conversation.audioService, conversation.videoService)
      #expect(!audio.canToggleMute && !video.canStart && !video.canStop && !conversation.chatService.canSendMessage)
      #expect(audio.muted == .muted && video.activeCamera == nil)
      #expect(code { try conversation.leave() } == SfBError.actionNotAvailable.rawValue)

      try await gate.restore()
      let again = try office.join(invitation, through: gate)
      try await wait(for: "the second meeting") { again.videoService.canStart && again.remoteParticipants.count == 1 }
      let second = try again.chatService.sendMessage("back")
      try await wait(for: "the second message") { second.status == .succeeded }
    }
  }

  // Reported once, and seen again.
  @Test("a guest whose session ended during a loss joins again with another address")
  func anotherPlace() async throws {
    try await Office.runBehindAGate({ $0.resumeWindow = .seconds(1) }) { office, gate in
      let (guest, agent) = try await meet(office, gate)
      let conversation = guest.conversation
      try conversation.audioService.toggleMute()
      try conversation.videoService.start()
      try await expectPictureAndSound(of: guest, at: agent)
      let (myself, old) = (conversation.selfParticipant, conversation.selfParticipant.person.sipUri)
      try await gate.cut()
      try await expectLoss(guest)
      try await wait(for: "the server to give up") { agent.participants.isEmpty }
      try await gate.restore()
      try await expectPictureAndSound(of: guest, at: agent)
      try await wait(for: "the new address: \(guest.told)") { myself.person.sipUri != old }
      #expect(guest.states.all == [.establishing, .established], "\(guest.told)")
      #expect(guest.inside.alerts.count == 1 && guest.outside.alerts.isEmpty, "\(guest.told)")
      try await wait(for: "the agent's picture") { conversation.remoteParticipants.first?.video.canSubscribe == true }
      let sent = try conversation.chatService.sendMessage("me again")
      try await wait(for: "the message") { sent.status == .succeeded }
    }
  }

  // The history of the next session has it once.
  @Test("a message whose echo was lost has succeeded once the history has it")
  func lostEcho() async throws {
    try await Office.runBehindAGate({ $0.resumeWindow = .seconds(1) }) { office, gate in
      let (guest, agent) = try await meet(office, gate)
      gate.holdAnswers()
      let sent = try guest.conversation.chatService.sendMessage("is it there?")
      try await wait(for: "it at the agent's") { agent.chat.count == 1 }
      #expect(sent.status == .pending)
      try await gate.cut()
      try await wait(for: "the server to give up") { agent.participants.isEmpty }
      gate.releaseAnswers()
      try await gate.restore()
      try await wait(for: "the history: \(guest.told)") { sent.status != .pending }
      try await wait(for: "the meeting: \(guest.told)") { agent.participants.count == 1 }
      #expect(sent.status == .succeeded && guest.conversation.historyService.activityItems == [sent])
      #expect(agent.chat.count == 1)
    }
  }

  @Test("a guest back in the lobby after a loss reads inLobby until admitted")
  func lobbyAfterALoss() async throws {
    try await Office.runBehindAGate({ $0.resumeWindow = .seconds(1) }) { office, gate in
      let (guest, agent) = try await meet(office, gate, "Subject=Board&AccessLevel=Locked")
      try await gate.cut()
      try await wait(for: "the server to give up") { agent.participants.isEmpty }
      try await gate.restore()
      try await wait(for: "the second knock: \(guest.told)") { agent.lobby.count == 1 }
      try await wait(for: "the lobby: \(guest.told)") { guest.conversation.state == .inLobby }
      #expect(guest.conversation.selfParticipant.state == .inLobby && !guest.conversation.chatService.canSendMessage)
      try await agent.admitAll()
      try await wait(for: "the meeting: \(guest.told)") { guest.conversation.chatService.canSendMessage }
      #expect(guest.states.all == [.establishing, .inLobby, .established, .inLobby, .established], "\(guest.told)")
      #expect(guest.conversation.selfParticipant.state == .connected)
      let sent = try guest.conversation.chatService.sendMessage("me again")
      try await wait(for: "the message") { sent.status == .succeeded }
    }
  }

  @Test("a network lost in the lobby changes nothing: the guest knocks again")
  func lostInTheLobby() async throws {
    try await Office.runBehindAGate({ $0.resumeWindow = .seconds(1) }) { office, gate in
      let invitation = try await office.invitation("Subject=Board&AccessLevel=Locked")
      let agent = try await office.agent(invitation)
      let guest = try Guest(office, invitation, gate)
      try await wait(for: "the knock: \(guest.told)") { agent.lobby.count == 1 && guest.conversation.state == .inLobby }
      try await gate.cut()
      try await wait(for: "the knock to be taken back: \(agent.lobby.count)") {
        agent.lobby.isEmpty
      }
      try await gate.restore()
      try await wait(for: "the second knock: \(guest.told)") { agent.lobby.count == 1 }
      try await agent.admitAll()
      try await wait(for: "the meeting: \(guest.told)") { guest.conversation.state == .established }
      #expect(guest.states.all == [.establishing, .inLobby, .established])
      #expect(guest.inside.alerts.isEmpty && guest.outside.alerts.isEmpty, "\(guest.told)")
    }
  }

  @Test("a loss of the signalling alone is silent, and messages arrive afterwards")
  func signalingAlone() async throws {
    try await Office.runBehindAGate { office, gate in
      let (guest, agent) = try await meet(office, gate)
      gate.dropConnections()
      let isLost = await spin { guest.conversation.isServerLost }
      #expect(isLost)
      let sent = try guest.conversation.chatService.sendMessage("still here")
      try await wait(for: "the message: \(guest.told)") { sent.status == .succeeded }
      try await wait(for: "the server to be back") { !guest.conversation.isServerLost }
      #expect(agent.chat.map(\.text) == ["still here"])
      #expect(guest.inside.alerts.isEmpty && guest.outside.alerts.isEmpty, "\(guest.told)")
      #expect(guest.states.all == [.establishing, .established])
    }
  }

  @Test(
    "a guest reads unmuting until the server told others, also over a loss and a hold")
  func unmuting() async throws {
    try await Office.runBehindAGate { office, gate in
      let (guest, agent) = try await meet(office, gate)
      let audio = guest.conversation.audioService
      @MainActor func isOpen() -> Bool { agent.participants.first?.publication(.microphone)?.isMuted == false }
      try audio.toggleMute()
      try await wait(for: "the microphone: \(guest.told)") { isOpen() && audio.muted == .unmuted }
      try audio.toggleMute()
      #expect(audio.muted == .muted)
      try await wait(for: "the mute") { !isOpen() }

      // The others hear of it, and the answer is on its way.
      gate.holdAnswers()
      try audio.toggleMute()
      try await wait(for: "the microphone at the agent's") { isOpen() }
      #expect(audio.muted == .unmuting && guest.conversation.selfParticipant.audio.isMuted)
      // Undone and wished again in between: the first answer isn't the one to the second wish.
      try audio.toggleMute()
      try await wait(for: "the mute at the agent's") { !isOpen() }
      #expect(audio.muted == .muted)
      gate.releaseAnswers()
      try audio.toggleMute()
      #expect(audio.muted == .unmuting)
      try await wait(for: "the answer: \(guest.told)") { audio.muted == .unmuted }
      try await wait(for: "the microphone at the agent's") { isOpen() }
      try audio.toggleMute()

      // The answer is lost with the connection.
      gate.holdAnswers()
      try audio.toggleMute()
      gate.dropConnections()
      let isLost = await spin { guest.conversation.isServerLost }
      #expect(isLost && audio.muted == .unmuting)
      gate.releaseAnswers()
      try await wait(for: "the second answer: \(guest.told)") { audio.muted == .unmuted && isOpen() }
      try audio.toggleMute()

      // On hold there is nothing to answer.
      try audio.setHold(true)
      try audio.toggleMute()
      #expect(audio.muted == .unmuting)
      try await wait(for: "the mute at the agent's") { !isOpen() }
      #expect(audio.muted == .unmuting)
      try audio.setHold(false)
      try await wait(for: "the third answer: \(guest.told)") { audio.muted == .unmuted && isOpen() }
      #expect(guest.inside.alerts.isEmpty, "\(guest.told)")
    }
  }

  // However long that takes, also over a loss and a hold.
  @Test("a guest reads paused, or not, once the server has notified the others")
  func pausing() async throws {
    try await Office.runBehindAGate { office, gate in
      let (guest, agent) = try await meet(office, gate)
      let (video, myself) = (guest.conversation.videoService, guest.conversation.selfParticipant.video)
      @MainActor func isSeen() -> Bool { agent.participants.first?.publication(.camera)?.isMuted == false }
      var told: [Bool] = []
      let observation = myself.observe(\.isPaused, options: .new) { _, change in
        told += [change.newValue].compactMap { $0 }
      }
      defer { observation.invalidate() }
      try video.start()
      try await wait(for: "the camera: \(guest.told)") { isSeen() && myself.state == .connected }

      // The others hear of it, and the answer is on its way.
      gate.holdAnswers()
      try video.setPaused(true)
      try await wait(for: "the pause at the agent's") { !isSeen() }
      #expect(!myself.isPaused)
      gate.releaseAnswers()
      try await wait(for: "the answer: \(guest.told)") { myself.isPaused }
      // The same for its end. Undone and wished again in between: the first answer isn't the one to the second wish.
      gate.holdAnswers()
      try video.setPaused(false)
      try await wait(for: "the picture at the agent's") { isSeen() }
      #expect(myself.isPaused)
      try video.setPaused(true)
      try await wait(for: "the second pause at the agent's") { !isSeen() }
      gate.releaseAnswers()
      try video.setPaused(false)
      try await wait(for: "the second answer: \(guest.told)") { !myself.isPaused && isSeen() }
      #expect(told == [true, false])

      // The answer is lost with the connection.
      gate.holdAnswers()
      try video.setPaused(true)
      gate.dropConnections()
      let isLost = await spin { guest.conversation.isServerLost }
      #expect(isLost && !myself.isPaused)
      gate.releaseAnswers()
      try await wait(for: "the third answer: \(guest.told)") { myself.isPaused && !isSeen() }

      // Undone before it was asked, and on hold: the others are notified when the hold is over.
      try video.setPaused(false)
      try video.setPaused(true)
      try guest.conversation.audioService.setHold(true)
      try video.setPaused(false)
      let sent = try guest.conversation.chatService.sendMessage("still here")
      try await wait(for: "what was said after it") { sent.status == .succeeded }
      #expect(myself.isPaused && !isSeen())
      try guest.conversation.audioService.setHold(false)
      try await wait(for: "the fourth answer: \(guest.told)") { !myself.isPaused && isSeen() }
      #expect(told == [true, false, true, false] && guest.inside.alerts.isEmpty, "\(guest.told)")
    }
  }

  // Also if the server's reason comes long after media was closed.
  @Test("a removed guest hears of no loss and doesn't come back")
  func slowReason() async throws {
    try await Office.runBehindAGate { office, gate in
      let (guest, agent) = try await meet(office, gate)
      let host = try await office.agent(guest.invitation, name: "Host", role: .organizer)
      try await wait(for: "the host") { guest.conversation.remoteParticipants.count == 2 }
      gate.holdAnswers()
      try await host.participants.first { $0.name == "Jake" }?.remove()
      try await wait(for: "media to be closed: \(guest.told)") { guest.conversation.meeting.lastError != nil }
      // Longer than a second and a half, after which a loss was reported once, and the meeting joined again.
      for _ in 0..<200 where guest.inside.alerts.isEmpty { try await Task.sleep(nanoseconds: 10_000_000) }
      #expect(guest.inside.alerts.isEmpty && guest.conversation.state == .established, "\(guest.told)")
      #expect(agent.participants.map(\.name) == ["Host"])
      gate.releaseAnswers()
      try await wait(for: "the end: \(guest.told)") { guest.conversation.state == .idle }
      #expect(guest.inside.alerts.map(\.type) == [.conferenceUnexpectedDisconnect], "\(guest.told)")
      #expect(guest.states.all == [.establishing, .established, .idle])
    }
  }

  @Test(
    "media that the server closes unasked is told as a loss, and a rejoin restores it")
  func closedMedia() async throws {
    try await Office.runBehindAGate { office, gate in
      let (guest, agent) = try await meet(office, gate)
      let old = guest.conversation.selfParticipant.person.sipUri
      guest.conversation.meeting.take(SessionEvent.failed("DTLS was closed"))
      try await expectLoss(guest)
      try await wait(for: "the new place: \(guest.told)") {
        guest.conversation.selfParticipant.person.sipUri != old && guest.conversation.canLeave
          && guest.conversation.remoteParticipants.first?.video.canSubscribe == true
      }
      try await wait(for: "one guest at the agent's") { agent.participants.count == 1 }
      #expect(guest.states.all == [.establishing, .established] && guest.inside.alerts.count == 1, "\(guest.told)")
    }
  }

  // The server may not have heard of it.
  @Test("leaving while the network is cut gives a signOut alert")
  func signOut() async throws {
    try await Office.runBehindAGate { office, gate in
      let (guest, _) = try await meet(office, gate)
      try await gate.cut()
      try guest.conversation.leave()
      #expect(guest.conversation.state == .idle)
      try await wait(for: "the alert: \(guest.told)") { !guest.outside.alerts.isEmpty }
      let alert = guest.outside.alerts[0]
      #expect(alert.type == .signOut && alert.level == .warning && alert.problem.code == noServer, "\(alert.error)")
      #expect(alert.problem.userInfo[SfBErrorSeverityKey] as? String == SfBErrorSeverityWarning)
      // The next goodbye is heard.
      try await gate.restore()
      let (next, _) = try await meet(office, gate)
      try next.conversation.leave()
      await office.application.everythingIsLeft()
      #expect(guest.outside.alerts.count == 1 && next.outside.alerts.isEmpty && guest.inside.alerts.isEmpty)
    }
  }

  @Test("joining while the network is cut is a signIn alert E2-3-20 of the application")
  func joiningWithoutNetwork() async throws {
    try await Office.runBehindAGate { office, gate in
      let invitation = try await office.invitation()
      try await gate.cut()
      let guest = try Guest(office, invitation, gate)
      try await wait(for: "the end: \(guest.told)") { guest.conversation.state == .idle }
      #expect(guest.inside.alerts.isEmpty && guest.outside.alerts.map(\.type) == [.signIn])
      #expect(guest.outside.alerts.first?.level == .error && guest.outside.alerts.first?.problem.code == noServer)
    }
  }
}
