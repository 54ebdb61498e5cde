import FoundationEssentials
import Messaging

/// Chats and who is in them.
extension MailboxLogic {
  func info(of chat: ChatRecord, for reader: RegID) throws -> ChatInfo {
    try ChatView(chat, in: transaction).info(for: reader, try transaction.envelopes(of: reader, in: chat.id))
  }

  /// Sends everybody in the chat its present state.
  private mutating func announce(_ chat: ChatRecord, except skipped: Set<RegID> = []) throws {
    let view = try ChatView(chat, in: transaction)
    for reader in view.participants where !skipped.contains(reader) {
      let (info, isWhole) = try info(view, of: chat.id, for: reader)
      try deliver(
        .chatChanged(chat: info, by: caller.regId), to: reader, subject: Self.subject(of: chat.id), isWhole: isWhole)
    }
  }

  /// A chat for one of its participants. The envelopes, up to 32,000 characters, are there if it gets it at once: what
  /// waits in a mailbox only names the chat.
  private func info(
    _ view: ChatView, of chat: ChatID, for reader: RegID
  ) throws -> (info: ChatInfo, isWhole: Bool) {
    let isWhole = isReader?(reader) ?? true
    let envelopes = isWhole ? try transaction.envelopes(of: reader, in: chat) : ChatEnvelopes()
    return (view.info(for: reader, envelopes), isWhole)
  }

  private static func subject(of chat: ChatID) -> String { "chat:\(chat)" }

  mutating func startChat(
    cookie: String, invitees: [RegID], isOneToOne: Bool, policy: ChatInfo.InvitePolicy, subject: Sealed?,
    data: Sealed?, keys: [SealedEnvelope]
  ) throws {
    try require(cookie: cookie)
    try requireShort(subject)
    try require(data, characters: MessagingLimits.dataCharacters, "dataCharacters")
    try require(keys)
    if let chat = try transaction.chat(cookie: cookie, creator: caller.regId) {
      outcome.answer = .chat(chat: try info(of: try self.chat(chat.id), for: caller.regId))
      return
    }
    let others = Set(invitees).subtracting([caller.regId])
    guard !others.isEmpty, !isOneToOne || others.count == 1 else {
      throw MessagingFailure(.badRequest, "A chat needs somebody else, and a one-to-one chat exactly one.")
    }
    guard others.count < MessagingLimits.participants else { throw Self.tooMany }
    let pair = try isOneToOne ? self.pair(with: others) : nil
    try requireRoom(for: try identities(others.sorted()).map(\.regId))
    try requireOwnRoom()
    try requireRoom(for: (subject?.count ?? 0) + (data?.count ?? 0) + Self.size(of: keys))
    let chat = ChatRecord(
      id: ChatID(RandomID.text(characters: 26)), domain: caller.domain, pair: pair, creator: caller.regId,
      cookie: cookie, invitePolicy: policy, lastMessage: 0)
    try transaction.put(chat)
    try transaction.put(ChatTexts(subject: subject, data: data), of: chat.id)
    try enter(others.sorted(), chat, keys, isAdmin: isOneToOne, state: .pending)
    try enter([caller.regId], chat, keys, isAdmin: true, state: .active)
    try welcome(others.sorted() + [caller.regId], to: chat)
    outcome.answer = .chat(chat: try info(of: chat, for: caller.regId))
  }

  /// The pair of a new one-to-one chat. One that a participant has left makes way.
  private mutating func pair(with others: Set<RegID>) throws -> String {
    let pair = (others.sorted() + [caller.regId]).sorted().map(\.description).joined(separator: " ")
    guard var known = try transaction.chat(pair: pair, of: caller.domain) else { return pair }
    if try transaction.members(of: known.id).count == 2 {
      throw MessagingFailure(.alreadyExists, "These two have a one-to-one chat.", chat: known.id)
    }
    known.pair = nil
    try transaction.put(known)
    return pair
  }

  private func enter(
    _ identities: [RegID], _ chat: ChatRecord, _ keys: [SealedEnvelope], isAdmin: Bool, state: ChatParticipant.State
  ) throws {
    for identity in identities {
      try transaction.put(
        ParticipantRecord(
          chat: chat.id, regId: identity, state: state, isAdmin: isAdmin, delivered: chat.lastMessage,
          read: chat.lastMessage, firstMessage: chat.lastMessage + 1))
      try store(keys.first { $0.to == identity }, of: chat.id)
    }
  }

  private func store(_ envelope: SealedEnvelope?, of chat: ChatID) throws {
    guard let envelope else { return }
    try transaction.put(envelope.sealed, isOwn: envelope.to == caller.regId, of: envelope.to, in: chat)
  }

  /// Sends invitations. A repeated one takes the place of the one before it that waits.
  private mutating func welcome(_ identities: [RegID], to chat: ChatRecord, isRepeated: Bool = false) throws {
    guard !identities.isEmpty else { return }
    let view = try ChatView(chat, in: transaction)
    for identity in identities {
      let (info, isWhole) = try info(view, of: chat.id, for: identity)
      try deliver(
        .chatAdded(chat: info, by: caller.regId), to: identity, subject: isRepeated ? "invited:\(chat.id)" : nil,
        isWhole: isWhole)
    }
  }

  mutating func listChats(after: ChatID?) throws {
    let most = MessagingLimits.chatPage
    let ids = try transaction.chats(of: caller.regId, after: after, limit: most + 1)
    var page: [ChatInfo] = []
    var characters = 0
    for id in ids.prefix(most) {
      guard let chat = try transaction.chat(id) else { continue }
      let info = try info(of: chat, for: caller.regId)
      characters += (info.subject?.count ?? 0) + (info.data?.count ?? 0) + 200 * info.participants.count
      // A frame of the service has a bound.
      if !page.isEmpty, characters > MessagingLimits.unacknowledgedBytes { break }
      page.append(info)
    }
    outcome.answer = .chats(chats: page, isLast: page.count == ids.count)
  }

  mutating func invite(_ invitees: [RegID], _ keys: [SealedEnvelope], to id: ChatID) throws {
    let chat = try group(id)
    guard try chat.invitePolicy == .participantsOnly || member(of: id).isAdmin else {
      throw MessagingFailure(.notAllowed, "Only admins may invite to this chat.")
    }
    try require(keys)
    let present = try transaction.participants(of: id)
    let presentIDs = Set(present.map(\.regId))
    let added = Set(invitees).subtracting(presentIDs).sorted()
    guard present.count + added.count <= MessagingLimits.participants else { throw Self.tooMany }
    try requireRoom(for: try identities(added).map(\.regId))
    try requireRoom(for: added.isEmpty ? 0 : Self.size(of: keys))
    try enter(added, chat, keys, isAdmin: false, state: .pending)
    // Those who have not joined get their invitation once more, with the newer envelope.
    let again = present.filter { $0.state == .pending && invitees.contains($0.regId) }.map(\.regId)
    for identity in again { try store(keys.first { $0.to == identity }, of: id) }
    try welcome(added, to: chat)
    try welcome(again, to: chat, isRepeated: true)
    if !added.isEmpty { try announce(chat, except: Set(added + again)) }
    outcome.answer = .chat(chat: try info(of: chat, for: caller.regId))
  }

  private static func size(of keys: [SealedEnvelope]) -> Int { keys.reduce(0) { $0 + $1.sealed.count } }

  private static var tooMany: MessagingFailure {
    MessagingFailure(
      .limitReached, "A chat has at most \(MessagingLimits.participants) participants (participants).")
  }

  mutating func join(_ id: ChatID) throws {
    var own = try member(of: id)
    guard own.state == .pending else { return }
    own.state = .active
    try transaction.put(own)
    for member in try transaction.members(of: id) {
      try deliver(
        .chatJoined(chatId: id, regId: caller.regId), to: member, subject: "joined:\(id):\(caller.regId)")
    }
  }

  mutating func leave(_ id: ChatID) throws {
    let chat = try chat(id)
    try take(caller.regId, from: chat)
  }

  mutating func remove(_ regId: RegID, from id: ChatID) throws {
    let chat = try administered(id)
    _ = try participant(regId, of: id)
    try take(regId, from: chat)
  }

  private mutating func take(_ regId: RegID, from chat: ChatRecord) throws {
    try transaction.remove(participant: regId, of: chat.id)
    try deliver(.chatRemoved(chatId: chat.id, by: caller.regId), to: regId)
    let rest = try transaction.participants(of: chat.id)
    guard !rest.isEmpty else {
      let removed = try transaction.remove(chat: chat.id)
      outcome.removedAttachments += removed.attachments
      if !removed.isComplete { outcome.leavesUpkeep = true }
      return
    }
    // A chat without an admin could never get one.
    if !rest.contains(where: \.isAdmin), var next = rest.first(where: { $0.state == .active }) ?? rest.first {
      next.isAdmin = true
      try transaction.put(next)
    }
    try announce(chat)
  }

  private func participant(_ regId: RegID, of chat: ChatID) throws -> ParticipantRecord {
    guard let found = try transaction.participant(regId, of: chat) else {
      throw MessagingFailure(.notFound, "The chat has no such participant.")
    }
    return found
  }

  mutating func update(_ id: ChatID, subject: Sealed?, data: Sealed?) throws {
    let chat = try chat(id)
    // The other side of a one-to-one chat may never join.
    guard try chat.pair != nil || member(of: id).state == .active else {
      throw MessagingFailure(.notAllowed, "Join the chat before you change it.")
    }
    try requireShort(subject)
    try require(data, characters: MessagingLimits.dataCharacters, "dataCharacters")
    var texts = try transaction.texts(of: id)
    let before = texts.characters
    texts.subject = subject ?? texts.subject
    texts.data = data ?? texts.data
    try requireRoom(for: texts.characters - before)
    try transaction.put(texts, of: id)
    try announce(chat)
    outcome.answer = .chat(chat: try info(of: chat, for: caller.regId))
  }

  mutating func distribute(_ keys: [SealedEnvelope], in id: ChatID) throws {
    _ = try chat(id)
    try require(keys)
    for envelope in keys {
      _ = try participant(envelope.to, of: id)
      try store(envelope, of: id)
      // The key's maker may have come with a change that waits: a later change must not take its place.
      try transaction.pin(subject: Self.subject(of: id), of: envelope.to)
      try deliver(.chatKey(chatId: id, key: envelope.sealed, by: caller.regId), to: envelope.to)
    }
  }

  mutating func setAdmin(_ isAdmin: Bool, _ regId: RegID, _ id: ChatID) throws {
    let chat = try administered(id)
    var changed = try participant(regId, of: id)
    guard changed.isAdmin != isAdmin else { return }
    if !isAdmin, try transaction.participants(of: id).count(where: \.isAdmin) == 1 {
      throw MessagingFailure(.notAllowed, "A chat keeps at least one admin.")
    }
    changed.isAdmin = isAdmin
    try transaction.put(changed)
    try announce(chat)
  }
}
