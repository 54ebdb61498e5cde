import Crypto
import Encryption
package import Messaging

extension Messenger {
  // MARK: Endpoints and identities

  /// The endpoints of this identity. Works while the identity is full, too.
  package func endpoints() async throws(MessengerError) -> (endpoints: [EndpointInfo], maximum: Int) {
    guard
      case .answer(.endpoints(let endpoints, let persistent, let ephemeral)) = try await perform(
        .request(.endpointsGet))
    else { throw .failed }
    return (endpoints, options.description.isPersistent ? persistent : ephemeral)
  }

  /// Removes an endpoint of this identity.
  package func deregister(_ endpoint: EndpointID) async throws(MessengerError) {
    _ = try await perform(.request(.endpointDeregister(endpointId: endpoint)))
  }

  /// Looks identities up. Unknown ones are left out.
  package func identities(
    appUserIds: [String] = [], regIds: [RegID] = []
  ) async throws(MessengerError) -> [IdentityInfo] {
    guard case .identities(let found) = try await perform(.identities(appUserIds: appUserIds, regIds: regIds)) else {
      throw .failed
    }
    return found
  }

  /// 60 digits that the users of both identities compare, to know that nobody stands between them. Nil before the
  /// keys of both are here.
  package func safetyCode(with id: RegID) -> String? {
    guard let own = machine.identity.keys?.publicKeys, let keys = machine.keys(of: id) else { return nil }
    return try? SafetyCode.digits(ofFingerprint: own.fingerprint, and: keys.fingerprint)
  }

  /// Uses the changed keys of an identity from now on.
  package func acceptKeys(of id: RegID) async throws(MessengerError) { _ = try await perform(.acceptKeys(id)) }

  // MARK: Chats

  /// Makes a chat, whose `chatAdded` comes before this returns.
  package func startChat(_ draft: ChatDraft) async throws(MessengerError) -> Chat {
    guard case .chat(let chat) = try await perform(.startChat(draft)) else { throw .failed }
    return chat
  }

  package func invite(_ invitees: [RegID], to chat: ChatID) async throws(MessengerError) {
    _ = try await perform(.invite(chat, invitees))
  }

  package func leave(_ chat: ChatID) async throws(MessengerError) { _ = try await perform(.leaveChat(chat)) }

  /// Changes subject or data; nil leaves as it is.
  package func update(_ chat: ChatID, subject: String? = nil, data: String? = nil) async throws(MessengerError) {
    _ = try await perform(.updateChat(chat, subject: subject, data: data))
  }

  package func promote(_ id: RegID, in chat: ChatID) async throws(MessengerError) {
    _ = try await perform(.request(.participantPromote(chatId: chat, regId: id)))
  }

  package func demote(_ id: RegID, in chat: ChatID) async throws(MessengerError) {
    _ = try await perform(.request(.participantDemote(chatId: chat, regId: id)))
  }

  package func remove(_ id: RegID, from chat: ChatID) async throws(MessengerError) {
    _ = try await perform(.removeParticipant(chat, id))
  }

  // MARK: Messages

  /// Queues a message, which `messageAdded` reports at once. The queue survives restarts.
  package func send(
    _ content: MessageContent, to chat: ChatID, cookie: String
  ) async throws(MessengerError) -> Message {
    guard case .message(let message) = try await perform(.send(content, chat, cookie: cookie)) else { throw .failed }
    return message
  }

  /// Adds a message that could not be sent, as failed. It survives restarts until it is discarded.
  package func addFailed(
    _ content: MessageContent, to chat: ChatID, cookie: String
  ) async throws(MessengerError) {
    _ = try await perform(.addFailed(content, chat, cookie: cookie))
  }

  /// Removes a message without a number that has failed, or that nobody has tried to send yet.
  package func discard(_ cookie: String, in chat: ChatID) async throws(MessengerError) {
    _ = try await perform(.discard(chat, cookie: cookie))
  }

  /// Marks all messages through this one as read.
  package func markRead(_ chat: ChatID, through number: MessageNumber) async throws(MessengerError) {
    _ = try await perform(.markRead(chat, number))
  }

  /// Removes a message from all endpoints of this identity.
  package func delete(_ number: MessageNumber, in chat: ChatID) async throws(MessengerError) {
    _ = try await perform(.deleteMessage(chat, number))
  }

  /// Takes a message back for everybody.
  package func recall(_ number: MessageNumber, in chat: ChatID) async throws(MessengerError) {
    _ = try await perform(.request(.messageRecall(chatId: chat, number: number)))
  }

  /// Messages by number, both ends included: those that are here, and the service's for others.
  package func messages(
    in chat: ChatID, from: MessageNumber, through: MessageNumber
  ) async throws(MessengerError) -> [Message] {
    guard case .messages(let messages) = try await perform(.history(chat, from: from, through: through)) else {
      throw .failed
    }
    return messages
  }

  /// Says that the user types. Only for connected endpoints.
  package func typing(in chat: ChatID, tag: String? = nil) async throws(MessengerError) {
    _ = try await perform(.typing(chat, tag: tag))
  }

  /// Something for the endpoints that are connected now, and kept nowhere.
  package func sendEvent(_ tag: String, data: String?, to chat: ChatID) async throws(MessengerError) {
    _ = try await perform(.chatEvent(chat, tag: tag, data: data))
  }

  // MARK: Calls

  /// Calls an identity: all its endpoints ring.
  package func call(
    _ id: RegID, _ medium: CallMedium, metadata: String? = nil
  ) async throws(MessengerError) -> Call {
    guard case .call(let call) = try await perform(.startCall(id, medium, metadata: metadata)) else { throw .failed }
    return call
  }

  /// Lets the caller hear that it rings here.
  package func ring(_ call: CallID) async throws(MessengerError) {
    _ = try await perform(.callStep(call, .ringing, update: nil))
  }

  /// Takes the call; `connect` follows with its meeting.
  package func answer(_ call: CallID) async throws(MessengerError) { _ = try await perform(.answerCall(call)) }

  package func decline(_ call: CallID, isBusy: Bool = false) async throws(MessengerError) {
    _ = try await perform(.callStep(call, isBusy ? .busy : .decline, update: nil))
  }

  package func hangUp(_ call: CallID) async throws(MessengerError) {
    _ = try await perform(.callStep(call, .hangUp, update: nil))
  }

  /// Sends something to the other side's app, sealed.
  package func update(_ call: CallID, with text: String) async throws(MessengerError) {
    _ = try await perform(.callStep(call, .update, update: text))
  }
}
