// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the support library's headers without annotations are imported.

public import Foundation

/// Starts chats, and says which chat it is or why there is none.
///
/// ```swift
/// creator.startChat(withRegId: regId, subject: "Lunch") { chatId, reason in
///   if let chatId { show(chatId) }
/// }
/// ```
///
/// It has to be held until its callbacks have been called.
@preconcurrency @MainActor public final class BBMChatCreator {
  /// Gets the chat's id, empty where there is none; of a one-to-one chat that was there before, both are given.
  public typealias Callback = @MainActor (String?, BBMChatStartFailedMessageReason) -> Void

  private let service: BBMEnterpriseService
  private var listener: MessageListener?
  private var waiting: [String: Callback] = [:]

  /// A creator for the shared service.
  public convenience init() { self.init(service: .shared()) }

  init(service: BBMEnterpriseService) {
    self.service = service
    let listener = MessageListener { [weak self] in self?.receive($0) }
    self.listener = listener
    service.add(listener, forMessageNames: ["listAdd", "chatStartFailed"])
  }

  /// Starts the one-to-one chat with an identity.
  public func startChat(withRegId regId: NSNumber!, subject: String!, callback: Callback!) {
    start([regId], subject, isOneToOne: true, callback)
  }

  /// Starts a chat with several identities.
  public func startConference(withRegIds regIds: [Any]!, subject: String!, callback: Callback!) {
    start((regIds ?? []).compactMap { FieldValue.number($0) }, subject, isOneToOne: false, callback)
  }

  private func start(_ regIds: [NSNumber?], _ subject: String?, isOneToOne: Bool, _ callback: Callback?) {
    let invitees = regIds.compactMap(\.self).map { regId in
      let invitee = BBMChatStartMessage_Invitees()
      invitee.regId = regId
      return invitee
    }
    guard let message = BBMChatStartMessage(invitees: invitees, subject: subject ?? "") else { return }
    let cookie = UUID().uuidString
    message.cookie = cookie
    message.isOneToOne = isOneToOne
    if let callback { waiting[cookie] = callback }
    service.sendMessage(toService: message)
  }

  private func receive(_ message: BBMJSONMessage) {
    guard let cookie = message.fields["cookie"] as? String else { return }
    if let failure = message as? BBMChatStartFailedMessage {
      waiting.removeValue(forKey: cookie)?(failure.chatId ?? "", failure.reason)
    } else if message.fields["type"] as? String == "chat" {
      let chat = (message.fields["elements"] as? [[String: Any]])?.first
      waiting.removeValue(forKey: cookie)?(
        chat?["chatId"] as? String ?? "", kBBMChatStartFailedMessage_Reason_Unspecified)
    }
  }
}
