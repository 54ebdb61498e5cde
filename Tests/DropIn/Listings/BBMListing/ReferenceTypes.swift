// Apps unwrap by force, as the SDKs' samples do.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals

import BBMEnterprise
import Foundation

/// The types that the SDK's reference pages give. Only compiled: a property of another type, or one that is optional
/// and isn't unwrapped by itself, is an error here.
@MainActor enum ReferenceTypes {
  private static func same<Value>(_ type: Value.Type, _ values: Value...) {}

  static func chat(_ chat: BBMChat) {
    same(String.self, chat.chatId, chat.mailboxId, chat.subject, chat.flags, chat.primaryKey)
    same(UInt64.self, chat.numMessages, chat.lastMessage, chat.numUnread, chat.lastActivity, chat.restorePoint)
    same([AnyHashable: Any].self, chat.data, chat.localData, chat.privateData)
    same(Bool.self, chat.isAdminFlagSet, chat.isHiddenFlagSet, chat.isOneToOneFlagSet, chat.isMissingChatKeyFlagSet)
    same(BBMElementState.self, chat.bbmState)
    same(BBMChatState.self, chat.state, BBMChat.value(forStateString: "Ready"))
    same(BBMChatKeyState.self, chat.keyState)
    same(BBMChatInvitePolicy.self, chat.invitePolicy)
    same(String.self, BBMChat.string(forStateValue: chat.state))
  }

  static func message(_ message: BBMChatMessage) {
    same(String.self, message.chatId, message.content, message.externalId, message.file, message.flags)
    same(String.self, message.senderUri, message.tag, message.thumb, message.primaryKey)
    same(UInt64.self, message.messageId, message.timestamp)
    same(NSNumber.self, message.fileSize)
    same([AnyHashable: Any].self, message.rawData, message.localData)
    same([Any].self, message.ref, message.refBy)
    same(Bool.self, message.stateIsPartial, message.isControlFlagSet, message.isDeletedFlagSet)
    same(Bool.self, message.isIncomingFlagSet, message.isNeverCountUnreadFlagSet, message.isUnverifiedFlagSet)
    same(Bool.self, BBMChatMessage.tagIsDefined("Text"))
    same(BBMChatMessageState.self, message.state)
    same(BBMChatMessageFileState.self, message.fileState)
    same(BBMChatMessageRecall.self, message.recall)
    same(BBMChat.self, message.resolvedChatId)
    same(BBMUser.self, message.resolvedSenderUri)
  }

  static func references(_ ref: BBMChatMessage_Ref, _ refBy: BBMChatMessage_RefBy) {
    same(String.self, ref.tag, refBy.tag)
    same(UInt64.self, ref.messageId, refBy.count, refBy.newestRef)
  }

  static func model(_ model: BBMDSGeneratedModel, _ regId: NSNumber) {
    same(BBMLiveList.self, model.appMessage, model.chat, model.stat, model.typing)
    same(BBMLiveMap.self, model.chatMessage, model.chatMessageFileProgress, model.chatParticipant, model.global)
    same(BBMLiveMap.self, model.user)
    same(BBMLiveList.self, model.chat(with: BBMChatCriteria()), model.chatMessage(with: BBMChatMessageCriteria()))
    same(BBMLiveList.self, model.chatParticipant(with: BBMChatParticipantCriteria()))
    same(BBMLiveList.self, model.user(with: BBMUserCriteria()))
    same(BBMUser.self, model.user(withRegId: regId))
    same(NSNumber.self, model.globalSyncing, model.globalChatMessageFileAutoDownload)
    same(String.self, model.globalRegistrationToken, model.globalLocalPin, model.globalSetupStateProgressMessage)
    same(String.self, model.globalSetupStateState, model.globalProfileKeysState, model.globalEndpointId)
    same(String.self, model.globalAuthTokenState, model.globalLocalUri, model.globalSetupAccount)
    same(String.self, model.globalSyncPasscodeState)
    same([AnyHashable: Any].self, model.data)
    same(BBMConnection.self, model.connection)
  }

  static func map(_ map: BBMLiveMap, _ key: BBMChatMessageKey!) {
    same(BBMElementState.self, map.state)
    same([Any].self, map.allKeys, map.allValues, map.values(forKeys: [key as Any]))
    same(BBMChatMessage.self, map[key] as! BBMChatMessage, map.value(forKey: key) as! BBMChatMessage)
  }

  /// Initialisers without annotations give what may be nil, and is unwrapped by itself.
  static func messages(_ chatId: String, _ passcode: String) {
    let service: BBMEnterpriseService = BBMEnterpriseService.shared()
    let monitor = ObservableMonitor(activatedWithName: "state") { () -> Void in _ = service.serviceState }
    monitor?.deActivate()
    let chained = BBMChatMessageSendMessage(chatId: chatId, tag: "Call_Event")
    chained?.rawData = ["callDuration": 5]
    service.sendMessage(toService: chained)
    let forced = BBMChatMessageSendMessage(chatId: chatId, tag: kBBMChatMessageSendMessage_TagText)!
    forced.content = "Hello"
    forced.filePolicy = kBBMChatMessageSendMessage_FilePolicyCopy
    forced.isControl = false
    forced.neverCountUnread = true
    service.sendMessage(toService: forced)
    let typed: BBMChatStartMessage = BBMChatStartMessage(invitees: [])
    typed.invitePolicy = kBBMChatStartMessage_InvitePolicyAdminsOnly
    service.sendMessage(toService: typed)
    let start = BBMSyncStartMessage(passcode: passcode)!
    start.action = kBBMSyncStartMessage_ActionNew
    service.sendMessage(toService: start)
    let destroy = BBMChatMessageDestroyMessage(chatId: chatId)
    destroy?.messageId = 4
    service.sendMessage(toService: destroy)
  }
}
