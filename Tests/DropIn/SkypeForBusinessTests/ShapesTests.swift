import Foundation
import Testing

@testable import SkypeForBusiness
@testable import SkypeShapes

/// The shapes of apps' code that did not compile once do what they say.
@MainActor @Suite struct ShapesTests {
  @Test("objects are NSObjects, doubles count, and a session of no meeting is over")
  func doubles() throws {
    let session = SessionDouble(title: "test")
    let conversation = session.conversation
    #expect(conversation === session.conversation && conversation.state == .idle && session.title == "test")
    #expect(!conversation.canLeave && ObjectsOfFoundation.areObjects(conversation))
    let double = ServiceDouble()
    try double.start()
    #expect(double.starts == 1 && double.canStart && !SfBConversationService().canStart)
    #expect(PartDouble().state == .connected && SfBParticipantService().state == .disconnected)
    #expect(KeyPathTypes.paths.count == 3 && CallsAsValues.calls(conversation) == 5)
    #expect(KindsOfServices.startable(conversation).isEmpty && KindsOfServices.texts(conversation.historyService) == [])
    #expect(KindsOfServices.states(conversation.selfParticipant) == [.disconnected, .disconnected, .disconnected])
    #expect(Set(SharedApplications.all.map { $0.map(ObjectIdentifier.init) }).count == 1)
  }

  @Test("a screen knows whether it observes, and quiet delegates are no hindrance")
  func observers() throws {
    let conversation = SfBAnonymousSession().conversation
    let screen = WatchingScreen()
    screen.conversation = conversation
    screen.watch()
    #expect(screen.names == ["canLeave"] && conversation.observationInfo != nil)
    screen.stop()
    #expect(screen.names == ["canLeave"] && conversation.observationInfo == nil)
    let (quiet, messages) = (QuietDelegate(), MessagesAlone())
    let helper = CountingHelper(
      conversation: conversation, delegate: quiet, devicesManager: SfBApplication.shared().devicesManager,
      outgoingVideoView: nil, incomingVideoLayer: nil, userInfo: nil)
    helper.changeSpeakerEndpoint()
    helper.changeSpeakerEndpoint()
    #expect(helper.changes == 2 && NamedHandler("canLeave", conversation, messages).name == "canLeave")
    #expect(messages.texts.isEmpty)
  }

  @Test("errors, states and settings are those of an app's switches and protocols")
  func words() {
    let conversation = SfBAnonymousSession().conversation
    #expect(throws: (any Error).self) { try conversation.chatService.sendMessage("Hello") }
    let thrown = ErrorCode(.videoLicenseNotAccepted).error("Why.")
    #expect(ErrorCodes.word(thrown) == "licence" && ErrorCodes.word(NSError(domain: "app", code: 1)) == "other")
    #expect(
      CompleteSwitches.word(conversation.state) == "idle" && CompleteSwitches.word(.failed, .outgoing) == "failed")
    #expect(NumbersOfStates.states == [3, 2] && NumbersOfStates.level(1) == .warning)
    let settings: any VideoSettings = SfBApplication.shared().configurationManager
    #expect(settings.maxVideoChannels > 0 && (conversation as any Conversing).dominantSpeaker == nil)
  }
}
