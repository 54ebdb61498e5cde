import Foundation
import ParleyViews
import Testing

@testable import BBMEnterprise

/// Every property says what the service's message has said, and every message has the fields that the app sets.
@MainActor @Suite struct PropertyTests {
  /// A model whose lists are these.
  private func model(_ lists: [String: [[String: Any]]]) -> BBMDSGeneratedModel {
    let (service, feed) = Feed.service()
    let model: BBMDSGeneratedModel = service.model()
    for (type, elements) in lists { feed.give("listAdd", ["type": type, "elements": elements]) }
    return model
  }

  @Test("a chat has what the service says of it")
  func chat() throws {
    let fields: [String: Any] = [
      "chatId": "1", "mailboxId": "m", "subject": "s", "state": "Defunct", "keyState": "Import",
      "invitePolicy": "AdminsOnly", "numMessages": 2, "lastMessage": "3", "numUnread": 1, "lastActivity": "4",
      "restorePoint": 5, "data": ["a": 1], "localData": ["b": 2], "privateData": ["c": 3], "flags": "AHOK",
    ]
    let chat = try #require(model(["chat": [fields]]).chat(id: "1"))
    #expect([chat.chatId, chat.mailboxId, chat.subject, chat.flags] == ["1", "m", "s", "AHOK"])
    #expect(
      [chat.numMessages, chat.lastMessage, chat.numUnread, chat.lastActivity, chat.restorePoint] == [2, 3, 1, 4, 5])
    #expect([chat.data, chat.localData, chat.privateData].map { $0?.keys.first as? String } == ["a", "b", "c"])
    #expect(chat.isAdminFlagSet && chat.isHiddenFlagSet && chat.isOneToOneFlagSet && chat.isMissingChatKeyFlagSet)
    #expect(chat.state == kBBMChat_StateDefunct && chat.keyState == kBBMChat_KeyStateImport)
    #expect(chat.invitePolicy == kBBMChat_InvitePolicyAdminsOnly && chat.value(forKey: "subject") as? String == "s")
  }

  @Test("a message has what the service says of it")
  func message() throws {
    let fields: [String: Any] = [
      "chatId": "1", "messageId": "2", "tag": "File", "content": "c", "data": ["File": ["contentType": "text"]],
      "file": "/f", "fileSize": "9", "fileState": "Done", "thumb": "/t", "timestamp": 7, "senderUri": "u",
      "state": "Read", "stateIsPartial": true, "recall": "Recalled", "externalId": "e", "flags": "IDUCN",
      "ref": [["tag": "r", "messageId": "1"]], "refBy": [["tag": "b", "count": 3, "newestRef": 8]],
      "localData": ["x": 1],
    ]
    let model = model([
      "chatMessage": [fields],
      "chatMessageFileProgress": [
        ["chatId": "1", "messageId": "2", "bytes": "5", "total": 9]
      ],
    ])
    let key = BBMChatMessageKey(chatId: "1", messageId: 2)
    let message = try #require(model.chatMessage[key] as? BBMChatMessage)
    #expect([message.file, message.thumb, message.senderUri, message.externalId] == ["/f", "/t", "u", "e"])
    #expect(message.fileSize == 9 && [message.timestamp, message.messageId] == [7, 2] && message.flags == "IDUCN")
    #expect(message.rawData?["File"] != nil && message.localData?["x"] as? Int == 1 && message.stateIsPartial)
    #expect(message.isDeletedFlagSet && message.isControlFlagSet && message.isNeverCountUnreadFlagSet)
    let refBy = try #require(message.refBy?.first as? BBMChatMessage_RefBy)
    #expect(refBy.tag == "b" && refBy.count == 3 && refBy.newestRef == 8)
    #expect(message.state == kBBMChatMessage_StateRead && message.fileState == kBBMChatMessage_FileStateDone)
    #expect(message.recall == kBBMChatMessage_RecallRecalled)
    let progress = try #require(model.chatMessageFileProgress[key] as? BBMChatMessageFileProgress)
    #expect(progress.bytes == 5 && progress.total == 9 && model.chatMessage.allKeys.count == 1)
    #expect(model.chatMessage.allValues.first as? BBMChatMessage === message)
  }

  @Test("states have the names of messages, and what isn't known is unspecified")
  func states() {
    func check<State: NamedState & Equatable>(_ states: [State], _ unspecified: State) {
      #expect(
        State.names.map { State($0) } == states && State("none of these") == unspecified && State(nil) == unspecified)
      #expect(states.map(\.name) == State.names && unspecified.name == nil)
    }
    check(
      [kBBMChat_StateDefunct, kBBMChat_StateReady, kBBMChat_StateRestore, kBBMChat_StateWaiting],
      kBBMChat_State_Unspecified)
    check([kBBMChat_KeyStateExport, kBBMChat_KeyStateImport, kBBMChat_KeyStateSynced], kBBMChat_KeyState_Unspecified)
    check([kBBMChat_InvitePolicyAdminsOnly, kBBMChat_InvitePolicyParticipantsOnly], kBBMChat_InvitePolicy_Unspecified)
    check(
      [kBBMChatParticipant_StateActive, kBBMChatParticipant_StateLeft, kBBMChatParticipant_StatePending],
      kBBMChatParticipant_State_Unspecified)
    check(
      [
        kBBMChatMessage_StateDelivered, kBBMChatMessage_StateFailed, kBBMChatMessage_StateRead,
        kBBMChatMessage_StateSending, kBBMChatMessage_StateSent,
      ], kBBMChatMessage_State_Unspecified)
    check(
      [
        kBBMChatMessage_FileStateDone, kBBMChatMessage_FileStateFailed, kBBMChatMessage_FileStatePending,
        kBBMChatMessage_FileStateTransferring,
      ], kBBMChatMessage_FileState_Unspecified)
    check(
      [
        kBBMChatMessage_RecallFailed, kBBMChatMessage_RecallNone, kBBMChatMessage_RecallRecalled,
        kBBMChatMessage_RecallRecalling,
      ], kBBMChatMessage_Recall_Unspecified)
    check(
      [
        kBBMChatStartFailedMessage_ReasonAlreadyExists, kBBMChatStartFailedMessage_ReasonInvalidInvitees,
        kBBMChatStartFailedMessage_ReasonTemporaryFailure,
      ], kBBMChatStartFailedMessage_Reason_Unspecified)
    check(
      [
        kBBMChatMessageSendMessage_FilePolicyCopy, kBBMChatMessageSendMessage_FilePolicyDelete,
        kBBMChatMessageSendMessage_FilePolicyMove,
      ], kBBMChatMessageSendMessage_FilePolicy_Unspecified)
    check(
      [
        kBBMChatMessageSendMessage_ThumbPolicyCopy, kBBMChatMessageSendMessage_ThumbPolicyDelete,
        kBBMChatMessageSendMessage_ThumbPolicyMove,
      ], kBBMChatMessageSendMessage_ThumbPolicy_Unspecified)
    check(
      [kBBMChatStartMessage_InvitePolicyAdminsOnly, kBBMChatStartMessage_InvitePolicyParticipantsOnly],
      kBBMChatStartMessage_InvitePolicy_Unspecified)
    check(
      [kBBMSyncStartMessage_ActionExisting, kBBMSyncStartMessage_ActionNew], kBBMSyncStartMessage_Action_Unspecified)
    #expect(kBBMSetupStateDeviceSwitch == "DeviceSwitchRequired" && kBBMSetupStateFull == "Full")
    let service = [kBBMCoreServiceStatePlatformError, kBBMCoreServiceStateFatalError]
    #expect(service.map(\.rawValue) == [5, 7])
  }

  @Test("states have texts, elements keys, and tags are the SDK's or an app's own")
  func names() throws {
    let chats = [
      BBMChat.string(forStateValue: BBMChat.value(forStateString: "Ready")),
      BBMChat.string(forKeyStateValue: BBMChat.value(forKeyStateString: "Export")),
      BBMChat.string(forInvitePolicyValue: BBMChat.value(forInvitePolicyString: "AdminsOnly")),
    ]
    #expect(chats == ["Ready", "Export", "AdminsOnly"])
    let messages = [
      BBMChatMessage.string(forStateValue: BBMChatMessage.value(forStateString: "Failed")),
      BBMChatMessage.string(forFileStateValue: BBMChatMessage.value(forFileStateString: "Done")),
      BBMChatMessage.string(forRecallValue: BBMChatMessage.value(forRecallString: "Recalled")),
    ]
    #expect(messages == ["Failed", "Done", "Recalled"])
    #expect(BBMChat.value(forStateString: nil) == kBBMChat_State_Unspecified)
    #expect((BBMChat.string(forStateValue: kBBMChat_State_Unspecified) as String?) == nil)
    #expect(BBMChatMessage.tagIsDefined("Text") && !BBMChatMessage.tagIsDefined("Vote"))
    #expect(kBBMChatMessageSendMessage_TagText == "Text" && !BBMChatMessage.tagIsDefined(nil))
    let numbers = [kBBMChat_StateDefunct, kBBMChat_StateReady, kBBMChat_StateRestore, kBBMChat_StateWaiting]
    #expect(numbers.map(\.rawValue) == [1, 2, 3, 4])
    let model = model(["chatMessage": [["chatId": "1", "messageId": "2"]]])
    let message = try #require(model.chatMessage["1|2"] as? BBMChatMessage)
    #expect(message.primaryKey == "1|2" && model.chat(id: "3")?.primaryKey == "3")
    let send: BBMChatMessageSendMessage = BBMChatMessageSendMessage(chatId: "1", tag: "Text")
    (send.isControl, send.neverCountUnread) = (true, true)
    #expect(send.isControl && send.neverCountUnread)
  }

  @Test("globals are texts, numbers and states, and follow changes")
  func globals() throws {
    let (service, feed) = Feed.service()
    let model: BBMDSGeneratedModel = service.model()
    #expect(model.globalAuthTokenState == kBBMAuthStateNeeded && model.globalLocalPin == nil)
    let values: [(String, Any)] = [
      ("syncPasscodeState", "New"), ("profileKeysState", kBBMKeyStateNotSynced), ("setupAccount", "Existing"),
      ("localUri", "bbmpim://user/id/0"), ("localPin", "0a0b0c0d"), ("endpointId", "e"), ("registrationToken", "t"),
      ("syncing", true), ("chatMessageFileAutoDownload", false),
      ("setupState", ["state": kBBMSetupStateOngoing, "progressMessage": "Restoring"]),
    ]
    feed.give("listAdd", ["type": "global", "elements": values.map { ["name": $0, "value": $1] }])
    let texts = [
      model.globalSyncPasscodeState, model.globalProfileKeysState, model.globalSetupAccount, model.globalLocalUri,
      model.globalLocalPin, model.globalEndpointId, model.globalRegistrationToken,
      model.globalSetupStateProgressMessage,
    ]
    #expect(
      texts.map { $0 ?? "" } == [
        "New", "NotSynced", "Existing", "bbmpim://user/id/0", "0a0b0c0d", "e", "t", "Restoring",
      ])
    #expect(model.globalSyncing?.boolValue == true && model.globalChatMessageFileAutoDownload?.boolValue == false)
    #expect((model.global["endpointId"] as? BBMGlobal)?.value as? String == "e")
    #expect(model.connection.readWriteLock === service.readWriteLock && model.data?["global"] != nil)
    #expect(model.appMessage.count == 0 && model.stat.count == 0 && BBMChatCriteria().fields.isEmpty)
    #expect((model.user(with: BBMUserCriteria()) as BBMLiveList).count == 0)
    #expect(model.value(forKey: "chat") as? BBMLiveMap != nil && model.value(forKey: "none") == nil)
    // A list that nobody has read yet asks for its elements when it is read.
    #expect(model.typing.count == 0)
    feed.give("listAdd", ["type": "typing", "elements": [["chatId": "1", "userUri": "u", "tag": "Text"]]])
    let typing = try #require(model.typing.array.first as? BBMTyping)
    #expect(typing.userUri == "u" && typing.resolvedUserUri?.keyState == nil)
    #expect(
      [BBMStat.self, BBMAppMessage.self].map { $0.init([:], model: model).bbmState }.allSatisfy {
        $0 == kBBMStatePending
      })
  }

  @Test("messages of the app have the fields that it sets")
  func outgoing() throws {
    let detach: BBMChatMessageDetachMessage = BBMChatMessageDetachMessage(chatId: "1", messageId: 2)
    (detach.detachFile, detach.detachThumb) = (true, true)
    let send: BBMChatMessageSendMessage = BBMChatMessageSendMessage(chatId: "1", tag: "File")
    (send.file, send.thumb) = ("/f", "/t")
    send.filePolicy = kBBMChatMessageSendMessage_FilePolicyMove
    send.thumbPolicy = kBBMChatMessageSendMessage_ThumbPolicyDelete
    let start: BBMChatStartMessage = BBMChatStartMessage(invitees: [])
    (start.localData, start.privateData) = (["a": 1], ["b": 2])
    let search: BBMSearchMessage = BBMSearchMessage(text: "x", cookie: "c")
    search.suggestedMaxResults = 5
    let identities = BBMIdentitiesGetMessage()
    identities.appUserIds = ["ann"]
    let keys: BBMProfileKeysImportMessage = BBMProfileKeysImportMessage(
      privateKeys: ["signing": "a"], publicKeys: ["signing": "b"])
    #expect(detach.detachFile && detach.detachThumb && [send.file, send.thumb] == ["/f", "/t"])
    #expect(send.filePolicy == kBBMChatMessageSendMessage_FilePolicyMove && search.suggestedMaxResults == 5)
    #expect(["filePolicy", "thumbPolicy"].map { send.fields[$0] as? String } == ["Move", "Delete"])
    #expect(send.thumbPolicy == kBBMChatMessageSendMessage_ThumbPolicyDelete)
    start.invitePolicy = kBBMChatStartMessage_InvitePolicyAdminsOnly
    #expect(start.fields["invitePolicy"] as? String == "AdminsOnly")
    start.invitePolicy = kBBMChatStartMessage_InvitePolicy_Unspecified
    #expect(start.fields["invitePolicy"] == nil && start.invitePolicy.rawValue == 0)
    #expect(start.localData?["a"] as? Int == 1 && start.privateData?["b"] as? Int == 2)
    #expect(keys.privateKeys?["signing"] as? String == "a" && keys.publicKeys?["signing"] as? String == "b")
    #expect(identities.appUserIds == ["ann"])
    let messages: [BBMJSONMessage] = [
      detach, send, start, search, identities, keys, BBMAuthTokenMessage(authToken: "t", userId: "u"),
      BBMChatHideMessage(chatIds: ["1"]), BBMChatLeaveMessage(chatIds: ["1"]), BBMProfileKeysExportMessage(),
      BBMParticipantPromoteMessage(chatId: "1", userUri: "u"), BBMParticipantDemoteMessage(chatId: "1", userUri: "u"),
      BBMParticipantRemoveMessage(chatId: "1", userUri: "u"), BBMRetryServerRequestsMessage(), BBMWipeMessage(),
      BBMEndpointDeregisterMessage(cookie: "c", endpointId: "e"),
      BBMChatParticipantTimesGetMessage(chatId: "1", userUri: "u"),
    ]
    #expect(messages.allSatisfy { $0.requestDict()[$0.messageName] != nil && $0.requestData() != nil })
    #expect(messages.map(\.messageName).suffix(11).first == "authToken")
  }

  @Test("messages of the service have their fields by name")
  func incoming() throws {
    let body: [String: Any] = [
      "cookie": "c", "result": "Success", "maxEndpoints": 3, "registeredEndpoints": [["endpointId": "e"]],
      "info": [["regId": "1"]], "pins": [["pin": "0"]], "userUri": "u", "lastDelivered": "1", "lastRead": 2,
      "privateKeys": ["signing": "a"], "publicKeys": ["signing": "b"], "mailboxIds": ["m"], "tag": "t",
    ]
    func message<Message: BBMJSONMessage>(_ name: String, _ type: Message.Type = Message.self) throws -> Message {
      try #require(BBMJSONMessage.message(name, body) as? Message)
    }
    let endpoints: BBMEndpointsMessage = try message("endpoints")
    #expect(endpoints.result == "Success" && endpoints.maxEndpoints == 3 && endpoints.registeredEndpoints.count == 1)
    let results = try [
      message("identities", BBMIdentitiesMessage.self).result,
      message("endpointUpdateResult", BBMEndpointUpdateResultMessage.self).result,
      message("endpointDeregisterResult", BBMEndpointDeregisterResultMessage.self).result,
      message("syncPasscodeChangeResult", BBMSyncPasscodeChangeResultMessage.self).result,
    ]
    #expect(results.allSatisfy { $0 == "Success" })
    let times: BBMChatParticipantTimesMessage = try message("chatParticipantTimes")
    #expect(times.userUri == "u" && times.lastDelivered == 1 && times.lastRead == 2)
    let keys: BBMProfileKeysMessage = try message("profileKeys")
    #expect(keys.privateKeys.count == 1 && keys.publicKeys.count == 1)
    #expect(try message("pinResult", BBMPinResultMessage.self).pins.count == 1)
    #expect(try message("chatKeysImportFailure", BBMChatKeysImportFailureMessage.self).mailboxIds == ["m"])
    #expect(try message("chatEvent", BBMChatEventMessage.self).userUri == "u")
    _ = try message("endpointDeregistered", BBMEndpointDeregisteredMessage.self)
    _ = try message("profileKeysImportFailure", BBMProfileKeysImportFailureMessage.self)
  }
}
