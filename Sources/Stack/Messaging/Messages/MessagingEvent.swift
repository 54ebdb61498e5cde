/// An event in the mailbox of an identity. Numbered, kept on the disk until every endpoint has acknowledged it or 30
/// days have passed, and sent again after a reconnect.
public enum MessagingEvent: Codable, Hashable, Sendable {
  /// The identity is in a chat now, or another endpoint of it made one.
  case chatAdded(chat: ChatInfo, by: RegID)
  /// Subject, data, participants or their rights changed: the chat as it is now.
  case chatChanged(chat: ChatInfo, by: RegID)
  /// A participant is active from now on. Large chats would be too much for each who joins.
  case chatJoined(chatId: ChatID, regId: RegID)
  /// The identity is no longer in the chat. Own endpoints keep what they have.
  case chatRemoved(chatId: ChatID, by: RegID)
  /// A new envelope with the chat's key.
  case chatKey(chatId: ChatID, key: Sealed, by: RegID)
  /// A message, own ones of other endpoints included.
  case message(chatId: ChatID, message: StoredMessage)
  case messageRecalled(chatId: ChatID, number: MessageNumber, by: RegID)
  /// Another endpoint of the identity deleted it.
  case messageDeleted(chatId: ChatID, number: MessageNumber)
  /// How far a participant is.
  case marks(chatId: ChatID, regId: RegID, delivered: MessageNumber, read: MessageNumber)
  /// Someone with a common chat has published other public keys.
  case keysChanged(regId: RegID, keys: PublicKeys)
  /// Events were dropped, as they were older than 30 days: read chats and history again.
  case gap
}

/// Something that only connected endpoints get, once and without a number.
public enum PassingEvent: Codable, Hashable, Sendable {
  case typing(chatId: ChatID, from: RegID, sealed: Sealed? = nil)
  case chatEvent(chatId: ChatID, from: RegID, sealed: Sealed)
  /// A call rings. An endpoint that connects while it rings gets it, too.
  case callOffer(callId: CallID, from: RegID, endpoint: EndpointID, medium: CallMedium, sealed: Sealed)
  case callStep(callId: CallID, from: RegID, endpoint: EndpointID, step: CallStep, sealed: Sealed? = nil)
  case callEnded(callId: CallID, end: CallEnd)
  /// The identity provider's token has ended or is about to: send `authToken`.
  case tokenNeeded
  /// All events that waited at the time of `welcome` are sent.
  case caughtUp(number: EventNumber)
  /// The list of endpoints changed.
  case endpointsChanged
}
