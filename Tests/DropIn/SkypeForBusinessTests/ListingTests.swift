import Parley
import ParleyViews
import TestSupport
import Testing

@testable import SkypeForBusiness
@testable import SkypeListing

/// Apps' code of language mode 5, as it is, against a live server.
@MainActor @Suite(.serialized) struct ListingTests {
  // They see and talk.
  @Test("a plain controller and a plain object join by the meeting's address")
  func agent() async throws {
    try await Office.run { office in
      let application: SfBApplication = SfBApplication.shared()
      application.devicesManager.usesTestDevices = true
      defer { application.devicesManager.usesTestDevices = false }
      let invitation = try await office.invitation()
      let agent = try await office.agent(invitation, publishes: true)
      let controller = AgentViewController()
      controller.meetingUrl = invitation.join.absoluteString
      let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
      window.rootViewController = controller
      window.makeKeyAndVisible()
      defer { window.close() }
      try await wait(for: "the agent's picture: \(controller.log)") { controller.log.contains("picture") }
      #expect(controller.log.contains("established") && controller.endCallButton.isEnabled)
      try await wait(for: "the own picture at the agent's") {
        agent.participants.first { $0.name == "Jake" }?.publication(.camera) != nil
      }
      controller.toggleMute(controller.muteButton)
      try await wait(for: "the microphone") { controller.muteButton.currentTitle == "Mute" }

      #expect(controller.changes == [NSKeyValueChange.setting, .insertion])
      await agent.leave()
      try await wait(for: "the agent's end: \(controller.changes)") { controller.changes.last == .removal }

      // Joining again leaves the earlier meeting.
      let manager = MeetingManager()
      try manager.join(invitation.join.absoluteString, name: "Ann")
      #expect(controller.log.last == "idle")
      #expect(controller.observed == [.establishing, .established, .idle])
      // An app that does not check canLeave gets the error.
      controller.endCall(controller.endCallButton)
      #expect(controller.log.last == "Could Not Leave Meeting")
      controller.stopObserving()
      try await wait(for: "the meeting: \(manager.states)") { manager.states.last == .established }
      let label = UILabel(frame: .zero)
      manager.status = label
      #expect(manager.say("Good morning") == nil)
      let second = try await office.agent(invitation, name: "Second")
      try await wait(for: "the message at the agent's") { second.chat.map(\.text) == ["Good morning"] }
      try second.send(chat: "How can I help?")
      try await wait(for: "the answer") { label.text == "How can I help?" }
      try manager.leave()
      #expect(manager.states.last == .idle)
      await application.everythingIsLeft()
    }
  }

  @Test("an app's lists observe people through history, and a cell draws by a link")
  func lists() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      let conversation = try office.join(invitation)
      try await wait(for: "the meeting") { conversation.state == .established }
      let screen = HistoryViewController()
      let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
      window.rootViewController = screen
      window.makeKeyAndVisible()
      defer { window.close() }
      screen.history = conversation.historyService
      @MainActor func cells<Cell>(_ type: Cell.Type) -> [Cell] {
        window.layoutIfNeeded()
        return screen.tableView.visibleCells.compactMap { $0 as? Cell }
      }
      let agent = try await office.agent(invitation, publishes: true)
      try await wait(for: "who came: \(screen.kinds)") {
        cells(ActivityCell.self).map(\.textLabel?.text) == ["Agent joined"]
      }
      try conversation.chatService.sendMessage("hello")
      #expect(cells(MessageCell.self).map(\.status.text) == ["sending"])
      try await wait(for: "the message") { cells(MessageCell.self).map(\.status.text) == ["sent"] }
      try agent.send(chat: "welcome")
      try await wait(for: "the answer") { cells(MessageCell.self).map(\.author.text) == ["Jake", "Agent"] }
      agent.local.rename("Clerk")
      try await wait(for: "the new name in both rows") {
        cells(MessageCell.self).last?.author.text == "Clerk"
          && cells(ActivityCell.self).first?.textLabel?.text == "Clerk joined"
      }
      #expect(screen.kinds == [.setting, .insertion, .insertion, .insertion])

      let cell = ParticipantCell(style: .default, reuseIdentifier: nil)
      window.addSubview(cell)
      cell.participant = conversation.remoteParticipants.first
      #expect(cell.textLabel?.text == "Clerk" && !cell.typing.isAnimating)
      let layer = try #require(cell.videoView.layer as? CAEAGLLayer)
      try await wait(for: "the picture, drawn: \(cell.values)") { layer.surface.frameCount > 2 }
      try await wait(for: "the sound: \(cell.audioLabel.text ?? "")") { cell.audioLabel.text == "Audio" }
      let link = try #require(cell.displayLink)
      agent.setTyping(true)
      try await wait(for: "the notice") { cell.typing.isAnimating }
      await agent.leave()
      try await wait(for: "the end of the picture") { cell.stream == nil && link.isPaused }
      #expect(cell.values.last == false && cell.audioLabel.text == "Muted")
      try await wait(for: "who left") { cells(ActivityCell.self).last?.textLabel?.text == "Clerk left" }
      cell.removeFromSuperview()
      #expect(cell.displayLink == nil && cell.participant == nil)
      screen.history = nil
      try conversation.leave()
    }
  }
}
