/// A request of an endpoint. JSON: the case's name as a key, its labels as the keys of the object below it.
public enum MessagingRequest: Codable, Hashable, Sendable {
  // Setup and endpoints. While the identity is full, only endpointsGet, endpointDeregister and setupRetry are answered.

  /// Another token of the identity provider, before or after the present one ends. Answer: `done`.
  case authToken(token: String, userId: String)
  /// Registers again, after `full`. Answer: `done`, and `welcome` or `full` follows.
  case setupRetry
  /// Answer: `endpoints`.
  case endpointsGet
  /// Changes the asking endpoint; nil leaves as it is. Answer: `done`.
  case endpointUpdate(description: String? = nil, nickname: String? = nil)
  /// Removes an endpoint, whose socket gets `endpointDeregistered`. Answer: `done`.
  case endpointDeregister(endpointId: EndpointID)

  // Identities and keys.

  /// Looks identities up either way, at most ``MessagingLimits/lookup`` of them. Unknown ones are left out. Without
  /// authentication, a user id that is looked up is not made. Answer: `identities`.
  case identitiesGet(appUserIds: [String]? = nil, regIds: [RegID]? = nil)
  /// Publishes the identity's public keys. The identities it has chats with get `keysChanged`. Answer: `done`.
  case publishKeys(keys: PublicKeys)
  /// Answer: `vault`.
  case vault(request: VaultRequest)

  // Chats.

  /// Makes a chat. `cookie` makes a repeated request the same chat. Answer: `chat`, or `alreadyExists` with the chat of
  /// these two.
  case chatStart(
    cookie: String, invitees: [RegID], isOneToOne: Bool, invitePolicy: ChatInfo.InvitePolicy, subject: Sealed? = nil,
    data: Sealed? = nil, keys: [SealedEnvelope])
  /// One page of the identity's chats, by id; `after` is the last of the page before. Answer: `chats`.
  case chatsGet(after: ChatID? = nil)
  /// Answer: `chat`.
  case chatGet(chatId: ChatID)
  /// Invites more. `keys` has envelopes for all of them. Answer: `chat`.
  case chatInvite(chatId: ChatID, invitees: [RegID], keys: [SealedEnvelope])
  /// An endpoint has the invitation and its key: the participant is active. Answer: `done`.
  case chatJoin(chatId: ChatID)
  /// Answer: `done`.
  case chatLeave(chatId: ChatID)
  /// Changes subject or data; nil leaves as it is. Answer: `chat`.
  case chatUpdate(chatId: ChatID, subject: Sealed? = nil, data: Sealed? = nil)
  /// Envelopes with a new chat key. Each replaces the one that the server keeps for its recipient. Answer: `done`.
  case chatKeys(chatId: ChatID, keys: [SealedEnvelope])
  /// Answer: `done`.
  case participantPromote(chatId: ChatID, regId: RegID)
  /// Answer: `done`.
  case participantDemote(chatId: ChatID, regId: RegID)
  /// Answer: `done`.
  case participantRemove(chatId: ChatID, regId: RegID)

  // Messages.

  /// A message is on the server's disk when it is answered. `cookie` makes a repeated request the same message. Answer:
  /// `sent`.
  case messageSend(chatId: ChatID, cookie: String, body: Sealed, attachments: [AttachmentID]? = nil)
  /// Messages through `number` have reached this endpoint. Answer: `done`.
  case messagesDelivered(chatId: ChatID, number: MessageNumber)
  /// Messages through `number` are read. Answer: `done`.
  case messagesRead(chatId: ChatID, number: MessageNumber)
  /// Removes a message from the identity's endpoints. Answer: `done`.
  case messageDelete(chatId: ChatID, number: MessageNumber)
  /// Takes an own message back for everybody; admins take back any. Answer: `done`.
  case messageRecall(chatId: ChatID, number: MessageNumber)
  /// Messages by range, both ends included, at most ``MessagingLimits/history``: the newest of the range. Answer:
  /// `messages`.
  case history(chatId: ChatID, from: MessageNumber, through: MessageNumber)

  // Passing things: only to endpoints that are connected now.

  /// Answer: `done`.
  case typing(chatId: ChatID, sealed: Sealed? = nil)
  /// Answer: `done`.
  case chatEventSend(chatId: ChatID, sealed: Sealed)

  // Attachments.

  /// Reserves an attachment of the chat. Answer: `ticket`, for one `PUT` of exactly so many bytes.
  case attachmentUpload(chatId: ChatID, bytes: Int)
  /// Answer: `ticket`, for one `GET`.
  case attachmentDownload(chatId: ChatID, attachment: AttachmentID)

  // Calls and data connections.

  /// Rings at all endpoints of an identity. Answer: `call`, with the caller's grant.
  case callStart(to: RegID, medium: CallMedium, sealed: Sealed)
  /// A step of a call. `to` names one endpoint of the other side; nil stands for the one in the call, or all. The step
  /// `answer` is answered with `call` and the callee's grant, others with `done`.
  case callStep(callId: CallID, step: CallStep, sealed: Sealed? = nil, to: EndpointID? = nil)
}
