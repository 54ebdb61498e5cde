import Foundation
import ParleyViews
import Testing

@testable import BBMEnterprise

@MainActor @Suite struct ServiceTests {
  @Test("a monitor of the service's state outlasts its start, its stop and a reset")
  func monitorOfTheState() {
    let (service, feed) = Feed.service(isStarted: false)
    var states: [BBMCoreServiceState] = []
    let monitor: ObservableMonitor = ObservableMonitor(activatedWithName: "state") { () -> Void in
      states.append(service.serviceState)
    }
    var results: [Bool] = []
    feed.canStart = false
    service.start("domain", environment: kBBMConfig_Sandbox) { results.append($0) }
    feed.finishStart()
    feed.canStart = true
    service.start("domain", environment: kBBMConfig_Sandbox) { results.append($0) }
    service.start("domain", environment: kBBMConfig_Sandbox) { results.append($0) }
    #expect(results == [false] && feed.starts == 2)
    feed.finishStart()
    // Started already: at once.
    service.start("domain", environment: kBBMConfig_Sandbox) { results.append($0) }
    service.resetService()
    service.stop()
    service.start("", environment: kBBMConfig_Production) { results.append($0) }
    #expect(results == [false, true, true, true, false] && feed.wipes == 1)
    #expect(
      states == [
        kBBMCoreServiceStateNotStarted, kBBMCoreServiceStateError, kBBMCoreServiceStateStarted,
        kBBMCoreServiceStateRestarting, kBBMCoreServiceStateStarted, kBBMCoreServiceStateStopping,
        kBBMCoreServiceStateStopped, kBBMCoreServiceStateError,
      ])
    monitor.deActivate()
  }

  @Test("opening a domain's folder removes what killed downloads have left there")
  func unfinishedFiles() throws {
    let earlier = ParleyServer.dataFolder
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bbm-" + UUID().uuidString)
    defer {
      ParleyServer.dataFolder = earlier
      try? FileManager.default.removeItem(at: folder)
    }
    ParleyServer.dataFolder = folder
    let files = folder.appendingPathComponent("domain/files")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    for name in ["chat-1.jpg", "chat-2.jpg.part_"] {
      try Data([1]).write(to: files.appendingPathComponent(name))
    }
    let core = MessagingCore()
    core.start(domain: "domain", environment: kBBMConfig_Sandbox) { _ in }
    #expect(core.folder != nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: files.path) == ["chat-1.jpg"])
  }

  @Test("a token waits for the start, and the block hears of every change until a reset")
  func tokens() {
    let (service, feed) = Feed.service(isStarted: false)
    var calls: [String] = []
    service.start("domain", environment: kBBMConfig_Sandbox, completionBlock: nil)
    service.sendAuthToken("first", forUserName: "ann") { calls.append("\($0) \($1) \($2)") }
    #expect(feed.sent.isEmpty)
    feed.finishStart()
    #expect(feed.sent("authToken").first?["authToken"] as? String == "first")
    feed.setGlobal("authTokenState", "Ok")
    feed.setup("Ongoing")
    feed.setGlobal("setupState", ["state": "Ongoing", "progressMessage": "Restoring"])
    feed.pump()
    feed.setup("Success")
    #expect(calls == ["Ok NotRequested 0", "Ok Ongoing 0", "Ok Ongoing 0", "Ok Ongoing 7", "Ok Success 7"])
    // A token that is over does not change the setup.
    feed.setGlobal("authTokenState", "Needed")
    service.sendAuthToken("second", userIdentifier: "ann") { calls.append("second \($0) \($1) \($2)") }
    feed.setGlobal("authTokenState", "Ok")
    #expect(
      calls.suffix(3) == ["Needed Success 7", "second Needed Success 7", "second Ok Success 7"]
        && feed.sent("authToken").count == 2)
    service.resetService()
    feed.setup("Ongoing")
    #expect(calls.last == "second Ok Success 7")
  }

  @Test("messages go to listeners of their name or list, in their class or as JSON")
  func listening() {
    final class Ear: BBMIncomingMessageListener, BBMConnectivityListener {
      var heard: [String] = []
      func receivedIncomingMessage(_ incomingMessage: BBMJSONMessage!) {
        heard.append("\(type(of: incomingMessage!)) \(incomingMessage.messageName)")
      }
      func receivedJSONIncomingMessage(_ message: [String: Any]!) { heard.append(message.keys.joined()) }
      func connectivityStateChange(_ connected: Bool, strict connectedStrict: Bool) {
        heard.append("\(connected) \(connectedStrict)")
        // A listener may take itself away when it is called.
        if connectedStrict { service?.remove(self as (any BBMConnectivityListener)) }
      }
      var service: BBMEnterpriseService?
    }
    let (service, feed) = Feed.service()
    let ear = Ear()
    ear.service = service
    service.add(ear as (any BBMConnectivityListener))
    service.add(ear, forMessageNames: ["syncError", "somethingNew"])
    service.add(ear, forMessageTypes: ["chat"])
    feed.give("syncError", ["error": "Timeout"])
    feed.give("somethingNew", [:])
    feed.give("listAdd", ["type": "chat", "elements": []])
    feed.give("listAdd", ["type": "user", "elements": []])
    service.remove(ear, forMessageNames: ["syncError", "somethingNew"])
    feed.give("syncError", ["error": "Timeout"])
    #expect(
      ear.heard == [
        "BBMSyncErrorMessage syncError", "syncError", "BBMJSONMessage somethingNew", "somethingNew",
        "BBMJSONMessage listAdd", "listAdd",
      ])
    service.remove(ear, forMessageTypes: ["chat"])
    ear.heard = []
    for (connected, strict) in [(true, false), (true, false), (true, true), (false, false)] {
      feed.connectivityChanged?(connected, strict)
    }
    #expect(ear.heard == ["true false", "true true"])
  }

  @Test("the service is stopping until its goodbye is sent, or it is started again")
  func stopping() {
    let (service, feed) = Feed.service()
    feed.stopsAtOnce = false
    service.stop()
    service.stop()
    #expect(service.serviceState == kBBMCoreServiceStateStopping)
    feed.finishStop()
    #expect(service.serviceState == kBBMCoreServiceStateStopped)
    service.start("domain", environment: kBBMConfig_Sandbox, completionBlock: nil)
    feed.finishStart()
    service.stop()
    service.start("domain", environment: kBBMConfig_Sandbox, completionBlock: nil)
    feed.finishStart()
    feed.finishStop()
    #expect(service.serviceState == kBBMCoreServiceStateStarted)
  }

  @Test("an endpoint that was removed by another one has lost its data, and starts again")
  func deregistered() {
    let (service, feed) = Feed.service()
    var calls = 0
    let block: SetupStateBlock = { _, _, _ in calls += 1 }
    service.sendAuthToken("token", forUserName: "ann", setupStateBlock: block)
    feed.setup("Success")
    feed.give("listAdd", ["type": "chat", "elements": [["chatId": "1"]]])
    feed.give("endpointDeregistered", [:])
    #expect(service.serviceState == kBBMCoreServiceStateStopped)
    #expect(service.model().globalSetupStateState == kBBMSetupStateNotRequested && calls == 1)
    service.sendMessage(toService: BBMSetupRetryMessage())
    #expect(feed.sent("setupRetry").isEmpty)
    service.start("domain", environment: kBBMConfig_Sandbox, completionBlock: nil)
    feed.finishStart()
    #expect(service.serviceState == kBBMCoreServiceStateStarted && feed.starts == 2)
  }

  @Test("the log has names of messages alone, and only at the verbose level")
  func logging() {
    let (service, feed) = Feed.service()
    var lines: [String] = []
    service.writeLog = { lines.append($0) }
    func talk() {
      service.sendMessage(toService: BBMSyncStartMessage(passcode: "violet anchors"))
      feed.give("syncError", ["error": "Timeout"])
    }
    for (mode, level) in [
      (kBBMLogModeFile, kLogLevelInfo), (kBBMLogModeFile, kLogLevelVerbose), (kBBMLogModeFileAndConsole, kLogLevelInfo),
    ] {
      service.setLoggingMode(mode)
      service.setLogLevel(level)
      talk()
    }
    #expect(lines.isEmpty)
    service.setLogLevel(kLogLevelVerbose)
    talk()
    #expect(lines == ["BBMEnterprise sends syncStart", "BBMEnterprise receives syncError"])
    #expect(Set([kBBMLogModeFile, kBBMLogModeFileAndConsole].map(\.rawValue)).count == 2)
    #expect(kLogLevelInfo != kLogLevelVerbose && BBMLogLevel(rawValue: kLogLevelVerbose.rawValue) == kLogLevelVerbose)
  }

  @Test("the speaker's switch is kept and observed, with and without a call")
  func speaker() {
    let (service, _) = Feed.service()
    let media: BBMMediaManager = service.mediaManager()
    #expect(service.mediaManager() === media && media.currentCallInfo == nil)
    var seen: [Bool] = []
    let monitor: ObservableMonitor = ObservableMonitor(activatedWithName: "speaker") { () -> Void in
      seen.append(media.isOnSpeakerPhone)
    }
    for isOn in [true, true, false, true] { media.setSpeakerPhoneEnabled(isOn) }
    #expect(seen == [false, true, false, true])
    // It is the app's, so a stop leaves it.
    service.stop()
    #expect(media.isOnSpeakerPhone)
    monitor.deActivate()
  }

  @Test("a file to be moved goes only once its message is sent; the reserved tags hold")
  func filesAndTags() {
    for policy in ["Move", "Delete"] {
      #expect(MessagingCore.removesFile(policy, isSent: true) && !MessagingCore.removesFile(policy, isSent: false))
    }
    for policy in ["Copy", nil] { #expect(!MessagingCore.removesFile(policy, isSent: true)) }
    #expect(
      MessagingCore.reservedTags.sorted() == [
        "Admin", "Clear", "Gap", "Join", "Leave", "Remove", "Shred", "Subject",
      ])
  }

  @Test("messages have the fields of their classes, ids as texts, and go as JSON")
  func messages() throws {
    let send: BBMChatMessageSendMessage = BBMChatMessageSendMessage(chatId: "1", tag: "Text")
    send.content = "hello"
    send.data = ["priority": "High"]
    let vote: BBMChatMessageSendMessage_Ref = BBMChatMessageSendMessage_Ref(messageId: UInt64.max, tag: "Vote")
    send.ref = [vote]
    let invitee = BBMChatStartMessage_Invitees()
    invitee.regId = NSNumber(value: UInt64.max)
    let start: BBMChatStartMessage = BBMChatStartMessage(invitees: [invitee], subject: "Lunch")
    start.isOneToOne = true
    let identities = BBMIdentitiesGetMessage()
    identities.regIds = [NSNumber(value: 5)]
    let sync: BBMSyncStartMessage = BBMSyncStartMessage(passcode: "p")
    sync.action = kBBMSyncStartMessage_ActionNew
    let destroy: BBMChatMessageDestroyMessage = BBMChatMessageDestroyMessage(chatId: "1")
    let destroyAll: BBMChatMessageDestroyMessage = BBMChatMessageDestroyMessage(chatId: "1")
    destroy.messageId = NSNumber(value: UInt64.max)
    let messages: [BBMJSONMessage] = [
      send, start, BBMChatMessageReadMessage(chatId: "1", messageId: 3), identities, sync,
      BBMEndpointUpdateMessage(
        cookie: "c", endpointDescription: "d", nickname: "n"), BBMJSONMessage(name: "own", fields: ["a": 1]), destroy,
      destroyAll,
    ]
    let texts = messages.map { $0.requestData() ?? "" }
    #expect(
      texts == [
        #"{"chatMessageSend":{"chatId":"1","content":"hello","data":{"priority":"High"},"#
          + #""ref":[{"messageId":"18446744073709551615","tag":"Vote"}],"tag":"Text"}}"#,
        #"{"chatStart":{"invitees":[{"regId":"18446744073709551615"}],"isOneToOne":true,"subject":"Lunch"}}"#,
        #"{"chatMessageRead":{"chatId":"1","messageId":"3"}}"#, #"{"identitiesGet":{"regIds":["5"]}}"#,
        #"{"syncStart":{"action":"New","passcode":"p"}}"#,
        #"{"endpointUpdate":{"cookie":"c","description":"d","nickname":"n"}}"#, #"{"own":{"a":1}}"#,
        #"{"chatMessageDestroy":{"chatId":"1","messageId":"18446744073709551615"}}"#,
        #"{"chatMessageDestroy":{"chatId":"1"}}"#,
      ])
    // Dates are none of JSON's.
    #expect((BBMJSONMessage(name: "odd", fields: ["a": Date()]).requestData() as String?) == nil)
    // An app's own message.
    final class Own: BBMJSONMessage {
      override func requestDict() -> [AnyHashable: Any]! { ["own": ["a": 1]] }
    }
    let (service, feed) = Feed.service()
    service.sendMessage(toService: Own())
    #expect(feed.sent("own").first?["a"] as? Int == 1)
    let failure = BBMJSONMessage.message("chatStartFailed", ["cookie": "c", "reason": "AlreadyExists", "chatId": "4"])
    let typed = try #require(failure as? BBMChatStartFailedMessage)
    #expect(typed.reason == kBBMChatStartFailedMessage_ReasonAlreadyExists && typed.chatId == "4")
  }
}
