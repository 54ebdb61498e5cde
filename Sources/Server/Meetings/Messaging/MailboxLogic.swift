import FoundationEssentials
public import Messaging

/// Decides about requests: who may do what in which chat, in which order, and who hears of it.
///
/// One request in one transaction, with the time given. Nothing is sent: the outcome says what is. A thrown
/// ``MessagingFailure`` is the request's refusal, and the changes of its transaction are to be undone.
public struct MailboxLogic {
  let transaction: any MailboxTransaction
  let caller: MailboxCaller
  let now: MessageTime
  var outcome = MailboxOutcome(answer: .done)
  /// Whether an identity gets events at once. The envelopes of others aren't read; nil reads all.
  public var isReader: ((RegID) -> Bool)?

  /// The endpoint of a caller whose identity is full.
  public static let unregistered = EndpointID("none")

  public init(_ caller: MailboxCaller, now: MessageTime, in transaction: any MailboxTransaction) {
    self.transaction = transaction
    self.caller = caller
    self.now = now
  }

  /// Carries out one request. Connections answer `authToken`, `setupRetry`, `vault` and those about calls themselves.
  /// - Throws: ``MessagingFailure`` or ``MeetingStoreError``.
  public mutating func apply(_ request: MessagingRequest) throws -> MailboxOutcome {
    outcome = MailboxOutcome(answer: .done)
    // One that has just been deregistered may have asked before it heard of it.
    if caller.endpoint != Self.unregistered, try transaction.endpoint(caller.endpoint) == nil {
      throw MessagingFailure(.endpointDeregistered, "The endpoint is not registered any more.")
    }
    try DomainRemoval.requireKept(caller.domain, in: transaction)
    switch request {
    case .authToken, .setupRetry, .vault, .callStart, .callStep:
      throw MessagingFailure(.badRequest, "It isn't a request about mailboxes.")
    case .endpointsGet: try listEndpoints()
    case .endpointUpdate(let description, let nickname): try updateEndpoint(description, nickname)
    case .endpointDeregister(let id): try deregister(id)
    case .identitiesGet(let users, let numbers): try lookUp(users ?? [], numbers ?? [])
    case .publishKeys(let keys): try publish(keys)
    case .chatStart(let cookie, let invitees, let isOneToOne, let policy, let subject, let data, let keys):
      try startChat(
        cookie: cookie, invitees: invitees, isOneToOne: isOneToOne, policy: policy, subject: subject, data: data,
        keys: keys)
    case .chatsGet(let after): try listChats(after: after)
    case .chatGet(let id): outcome.answer = .chat(chat: try info(of: try chat(id), for: caller.regId))
    case .chatInvite(let id, let invitees, let keys): try invite(invitees, keys, to: id)
    case .chatJoin(let id): try join(id)
    case .chatLeave(let id): try leave(id)
    case .chatUpdate(let id, let subject, let data): try update(id, subject: subject, data: data)
    case .chatKeys(let id, let keys): try distribute(keys, in: id)
    case .participantPromote(let id, let regId): try setAdmin(true, regId, id)
    case .participantDemote(let id, let regId): try setAdmin(false, regId, id)
    case .participantRemove(let id, let regId): try remove(regId, from: id)
    case .messageSend(let id, let cookie, let body, let attachments):
      try send(body, attachments ?? [], cookie: cookie, to: id)
    case .messagesDelivered(let id, let number): try mark(id, delivered: number.value, read: 0)
    case .messagesRead(let id, let number): try mark(id, delivered: number.value, read: number.value)
    case .messageDelete(let id, let number): try delete(number, in: id)
    case .messageRecall(let id, let number): try recall(number, in: id)
    case .history(let id, let first, let last): try readHistory(id, first.value, last.value)
    case .typing(let id, let sealed):
      try requireShort(sealed)
      try pass(.typing(chatId: id, from: caller.regId, sealed: sealed), in: id)
    case .chatEventSend(let id, let sealed):
      try requireShort(sealed)
      try pass(.chatEvent(chatId: id, from: caller.regId, sealed: sealed), in: id)
    case .attachmentUpload(let id, let bytes): try reserve(bytes, in: id)
    case .attachmentDownload(let id, let attachment): try open(attachment, in: id)
    }
    return outcome
  }

  // MARK: Deliveries

  mutating func deliver(
    _ event: MessagingEvent, to identity: RegID, subject: String? = nil, isWhole: Bool = true
  ) throws {
    let added = try transaction.append(event, to: identity, subject: subject, time: now)
    outcome.deliveries.append(.init(to: identity, event: added, isWhole: isWhole))
    // Seldom enough to cost nothing, often enough to hold the bound.
    let most = UInt64(MessagingLimits.mailboxEvents)
    if added.number > most, added.number % 1_000 == 0 { try transaction.trim(identity, through: added.number - most) }
    // Other events are short, or are replaced by later ones of their subject.
    if case .chatKey = event { try transaction.trim(identity, toCharacters: MessagingLimits.mailboxCharacters) }
  }

  private mutating func pass(_ event: PassingEvent, in chat: ChatID) throws {
    _ = try member(of: chat)
    for other in try transaction.members(of: chat) where other != caller.regId {
      outcome.passing.append(.init(to: other, event: event))
    }
  }

  // MARK: Checks

  /// A chat that the caller is in. Others get the same refusal as for one that doesn't exist.
  func chat(_ id: ChatID) throws -> ChatRecord {
    guard let chat = try transaction.chat(id), try transaction.participant(caller.regId, of: id) != nil else {
      throw MessagingFailure(.notFound, "There is no such chat, or you are not in it.")
    }
    return chat
  }

  func member(of chat: ChatID) throws -> ParticipantRecord {
    guard let own = try transaction.participant(caller.regId, of: chat) else {
      throw MessagingFailure(.notFound, "There is no such chat, or you are not in it.")
    }
    return own
  }

  /// A chat of more than two in which the caller is an admin.
  func administered(_ id: ChatID) throws -> ChatRecord {
    let chat = try group(id)
    guard try member(of: id).isAdmin else {
      throw MessagingFailure(.notAllowed, "Only admins of the chat may do that.")
    }
    return chat
  }

  func group(_ id: ChatID) throws -> ChatRecord {
    let chat = try chat(id)
    guard chat.pair == nil else { throw MessagingFailure(.notAllowed, "A one-to-one chat stays as it is.") }
    return chat
  }

  func require(_ sealed: Sealed?, characters: Int, _ limit: String) throws {
    if let sealed, sealed.count > characters {
      throw MessagingFailure(.limitReached, "At most \(characters) characters are taken (\(limit)).")
    }
  }

  func requireShort(_ sealed: Sealed?) throws {
    try require(sealed, characters: MessagingLimits.shortCharacters, "shortCharacters")
  }

  func require(_ envelopes: [SealedEnvelope]) throws {
    guard envelopes.count <= MessagingLimits.participants else {
      throw MessagingFailure(
        .limitReached, "At most \(MessagingLimits.participants) envelopes are taken (participants).")
    }
    for envelope in envelopes { try requireShort(envelope.sealed) }
  }

  func require(cookie: String) throws {
    guard (1...MessagingLimits.cookieBytes).contains(cookie.utf8.count) else {
      throw MessagingFailure(.badRequest, "A cookie has 1 to \(MessagingLimits.cookieBytes) bytes (cookieBytes).")
    }
  }

  /// Identities of the caller's domain.
  func identities(_ numbers: [RegID]) throws -> [MessagingIdentity] {
    try numbers.map { number in
      guard let identity = try transaction.identity(number), identity.domain == caller.domain else {
        throw MessagingFailure(.notFound, "There is no identity \(number) in this domain.")
      }
      return identity
    }
  }
}
