import Parley
import ParleyViews
import Testing

@testable import SkypeForBusiness
@testable import SkypeListing

/// Apps' code of language mode 5, as it is, against a live server.
@MainActor @Suite(.serialized) struct ListingTests {
  @Test("a plain controller and a plain object that is no screen join by the meeting's address, and see and talk")
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
}
