// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the support library's headers without annotations are imported.

import Foundation

/// Short ways to the data model, and to messages that apps often send.
@preconcurrency @MainActor public enum BBMAccess {
  /// The service that it goes to; tests have another.
  static var service: BBMEnterpriseService = .shared()

  public static func model() -> BBMDSGeneratedModel! { service.model() }

  /// The local user; pending until the setup has come so far.
  public static func currentUser() -> BBMUser! { model().localUser }

  /// A user by its address in the data model.
  public static func getUserForUserUri(_ userUri: String!) -> BBMUser! { model().user(uri: userUri) }

  /// All chats; a monitor that reads it runs when chats come or go.
  public static func getChats() -> [Any]! { model().chat.observableArray }

  /// A chat by its id.
  public static func getChat(forId chatId: String!) -> BBMChat! { model().chat(id: chatId) }

  /// The participants of a chat, without the local user.
  public static func participants(for chat: BBMChat!) -> BBMLiveList! {
    let criteria = BBMChatParticipantCriteria()
    criteria.chatId = chat?.chatId
    return model().chatParticipant(with: criteria)
  }

  public static func leave(_ chat: BBMChat!) {
    guard let id = chat?.chatId as String? else { return }
    service.sendMessage(toService: BBMChatLeaveMessage(chatIds: [id]))
  }

  /// Marks the newest of these messages as read in each chat, and with it those before it.
  public static func markMessagesRead(_ messages: [Any]!) {
    var newest: [String: UInt64] = [:]
    for case let message as BBMChatMessage in messages ?? [] {
      guard let chat = message.chatId as String? else { continue }
      newest[chat] = max(newest[chat] ?? 0, message.messageId)
    }
    for (chat, message) in newest.sorted(by: { $0.key < $1.key }) {
      service.sendMessage(toService: BBMChatMessageReadMessage(chatId: chat, messageId: message))
    }
  }

  /// Changes the subject of a chat, for everybody.
  public static func updateChatSubject(_ subject: String!, for chat: BBMChat!) {
    guard let id = chat?.chatId as String?, let subject = subject as String? else { return }
    service.sendMessage(
      toService: BBMRequestListChangeMessage(elements: [["chatId": id, "subject": subject]], type: "chat"))
  }

  /// The newest message of a chat; nil while there is none.
  public static func resolvedLastMessage(for chat: BBMChat!) -> BBMChatMessage! {
    guard let chat, let id = chat.chatId as String?, chat.numMessages > 0 else { return nil }
    return model().chatMessage[BBMChatMessageKey(chatId: id, messageId: chat.lastMessage)] as? BBMChatMessage
  }

  /// Goes on with a setup that was `Full` or waits for the switch of the device.
  public static func sendSetupRetry() { service.sendMessage(toService: BBMSetupRetryMessage()) }
}

/// Texts about users for apps to show.
@preconcurrency @MainActor public enum BBMUIUtilities {
  /// Finds the app's users; set by apps that have a ``BBMUserManager`` of their own.
  public static var userManager: BBMUserManager?

  /// The user's name; nil when the app does not know it. One that others have too, or that looks like theirs, is
  /// followed by the user's PIN, or by the number.
  public static func displayName(for user: BBMUser!) -> String! {
    guard let regId = user?.regId as NSNumber?, let name = userManager?.user(forRegId: regId)?.name else { return nil }
    guard userManager?.isShared(name, by: regId) == true else { return name }
    return "\(name) (\(user?.pin ?? regId.stringValue))"
  }
}
