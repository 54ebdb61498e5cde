import Messaging

/// A call of the app that waits for its reply.
enum MessengerCommand: Sendable {
  case request(MessagingRequest)
  case identities(appUserIds: [String], regIds: [RegID])
  case acceptKeys(RegID)
  case changePasscode(Passcode)
  case exportProfileKeys
  case importProfileKeys(ProfileKeys)

  case startChat(ChatDraft)
  case invite(ChatID, [RegID])
  case updateChat(ChatID, subject: String?, data: String?)
  case leaveChat(ChatID)
  case removeParticipant(ChatID, RegID)
  case send(MessageContent, ChatID, cookie: String)
  case addFailed(MessageContent, ChatID, cookie: String)
  case discard(ChatID, cookie: String)
  case markRead(ChatID, MessageNumber)
  case deleteMessage(ChatID, MessageNumber)
  case history(ChatID, from: MessageNumber, through: MessageNumber)
  case typing(ChatID, tag: String?)
  case chatEvent(ChatID, tag: String, data: String?)

  case startCall(RegID, CallMedium, metadata: String?)
  case answerCall(CallID)
  case callStep(CallID, CallStep, update: String?)
}

/// The outcome of a command.
enum MessengerReply: Sendable {
  case done
  case answer(MessagingAnswer)
  case identities([IdentityInfo])
  case chat(Chat)
  case message(Message)
  case messages([Message])
  case profileKeys(ProfileKeys)
  case call(Call)
}
