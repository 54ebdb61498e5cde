import Basics
import Messaging

@testable import MessagingClient

extension FakeService {
  typealias Outcome = Result<MessagingAnswer, MessagingFailure>

  private var nothing: Outcome { .failure(MessagingFailure(.notFound, "There is no such thing.")) }

  func carryOut(_ request: MessagingRequest, _ user: String, _ endpoint: TestEndpoint) -> Outcome {
    guard let own = identities[user]?.regId, let id = endpoint.id ?? endpoint.hello.map({ _ in EndpointID("none") })
    else {
      return nothing
    }
    switch request {
    case .authToken(let token, _): return tokens(token).map { .failure($0) } ?? .success(.done)
    case .setupRetry: return .success(.done)
    case .endpointsGet: return .success(.endpoints(endpoints: [], maximumPersistent: 3, maximumEphemeral: 7))
    case .endpointUpdate: return .success(.done)
    case .endpointDeregister(let other):
      deregister(other)
      return .success(.done)
    case .identitiesGet(let users, let numbers):
      let found = identities.values.filter {
        users?.contains($0.user) == true || numbers?.contains($0.regId) == true
      }
      return .success(
        .identities(
          identities: found.map {
            IdentityInfo(
              regId: $0.regId, appUserId: $0.user, pin: "0123abcd", keys: lookupKeys[$0.regId] ?? $0.keys)
          }))
    case .publishKeys(let keys):
      let isOther = identities[user]?.keys != nil && identities[user]?.keys != keys
      identities[user]?.keys = keys
      if isOther {
        for other in identities.values { deliver(.keysChanged(regId: own, keys: keys), to: other.regId) }
      }
      return .success(.done)
    case .vault(let request): return carryOut(request, user, endpoint)
    case .chatStart(let cookie, let invitees, let isOneToOne, let policy, let subject, let data, let keys):
      let chat = ChatID("chat-\(cookie)")
      let all = [own] + invitees
      chats[chat] = ChatState(
        info: ChatInfo(
          chatId: chat, isOneToOne: isOneToOne, invitePolicy: policy, subject: subject, data: data, participants: [],
          lastMessage: MessageNumber(0), firstMessage: MessageNumber(1)),
        participants: all.map { ChatParticipant(regId: $0, state: $0 == own ? .active : .pending, isAdmin: $0 == own) },
        firstMessage: Dictionary(uniqueKeysWithValues: all.map { ($0, MessageNumber(1)) }),
        keys: Dictionary(uniqueKeysWithValues: keys.filter { $0.to != own }.map { ($0.to, $0.sealed) }),
        ownKeys: Dictionary(uniqueKeysWithValues: keys.filter { $0.to == own }.map { ($0.to, $0.sealed) }))
      for identity in all { deliver(.chatAdded(chat: info(chat, identity), by: own), to: identity) }
      return .success(.chat(chat: info(chat, own)))
    case .chatsGet:
      let mine = chats.keys.filter { has($0, own) }.sorted { $0.text < $1.text }
      return .success(.chats(chats: mine.map { info($0, own) }, isLast: true))
    case .chatGet(let chat): return has(chat, own) ? .success(.chat(chat: info(chat, own))) : nothing
    case .chatInvite(let chat, let invitees, let keys):
      for identity in invitees {
        chats[chat]?.participants.append(ChatParticipant(regId: identity, state: .pending, isAdmin: false))
        let next = MessageNumber((chats[chat]?.info.lastMessage.value ?? 0) + 1)
        chats[chat]?.firstMessage[identity] = next
        chats[chat]?.keys[identity] = keys.first { $0.to == identity }?.sealed
        deliver(.chatAdded(chat: info(chat, identity), by: own), to: identity)
      }
      announce(chat, by: own)
      return .success(.chat(chat: info(chat, own)))
    case .chatJoin(let chat):
      if let index = chats[chat]?.participants.firstIndex(where: { $0.regId == own }) {
        chats[chat]?.participants[index].state = .active
      }
      for participant in chats[chat]?.participants ?? [] {
        deliver(.chatJoined(chatId: chat, regId: own), to: participant.regId)
      }
      return .success(.done)
    case .chatLeave(let chat): return remove(own, chat, by: own)
    case .participantRemove(let chat, let other): return remove(other, chat, by: own)
    case .chatUpdate(let chat, let subject, let data):
      chats[chat]?.info.subject = subject ?? chats[chat]?.info.subject
      chats[chat]?.info.data = data ?? chats[chat]?.info.data
      announce(chat, by: own)
      return .success(.chat(chat: info(chat, own)))
    case .chatKeys(let chat, let keys):
      for envelope in keys where has(chat, envelope.to) {
        if envelope.to == own {
          chats[chat]?.ownKeys[own] = envelope.sealed
        } else {
          chats[chat]?.keys[envelope.to] = envelope.sealed
        }
        deliver(.chatKey(chatId: chat, key: envelope.sealed, by: own), to: envelope.to)
      }
      return .success(.done)
    case .participantPromote, .participantDemote: return .success(.done)
    case .messageSend(let chat, let cookie, let body, let attachments):
      guard has(chat, own) else { return nothing }
      if let known = chats[chat]?.messages.first(where: { $0.cookie == cookie && $0.sender == own }) {
        return .success(.sent(number: known.number, time: known.time))
      }
      let number = MessageNumber((chats[chat]?.info.lastMessage.value ?? 0) + 1)
      let message = StoredMessage(
        number: number, sender: own, endpoint: id, cookie: cookie, time: time, state: .present, body: body,
        attachments: attachments ?? [])
      chats[chat]?.info.lastMessage = number
      chats[chat]?.messages.append(message)
      for participant in chats[chat]?.participants ?? [] {
        deliver(.message(chatId: chat, message: message), to: participant.regId)
      }
      return .success(.sent(number: number, time: time))
    case .messagesDelivered(let chat, let number): return mark(chat, own, number, read: MessageNumber(0))
    case .messagesRead(let chat, let number): return mark(chat, own, number, read: number)
    case .messageDelete(let chat, let number):
      deliver(.messageDeleted(chatId: chat, number: number), to: own)
      return .success(.done)
    case .messageRecall(let chat, let number):
      if let index = chats[chat]?.messages.firstIndex(where: { $0.number == number }) {
        chats[chat]?.messages[index].state = .recalled
        chats[chat]?.messages[index].body = nil
      }
      for participant in chats[chat]?.participants ?? [] {
        deliver(.messageRecalled(chatId: chat, number: number, by: own), to: participant.regId)
      }
      return .success(.done)
    case .history(let chat, let from, let through):
      let first = chats[chat]?.firstMessage[own] ?? MessageNumber(1)
      let range = (chats[chat]?.messages ?? []).filter { $0.number >= max(from, first) && $0.number <= through }
      return .success(.messages(messages: Array(range.suffix(MessagingLimits.history))))
    case .typing(let chat, let sealed):
      for other in chats[chat]?.participants ?? [] where other.regId != own {
        pass(.typing(chatId: chat, from: own, sealed: sealed), to: other.regId)
      }
      return .success(.done)
    case .chatEventSend(let chat, let sealed):
      for other in chats[chat]?.participants ?? [] where other.regId != own {
        pass(.chatEvent(chatId: chat, from: own, sealed: sealed), to: other.regId)
      }
      return .success(.done)
    case .attachmentUpload, .attachmentDownload: return nothing
    case .callStart(let to, let medium, let sealed):
      let call = CallID("call\(requests.count)")
      pass(.callOffer(callId: call, from: own, endpoint: id, medium: medium, sealed: sealed), to: to)
      return .success(.call(callId: call, grant: MeetingGrant(room: call.text, token: "caller")))
    case .callStep(let call, let step, let sealed, _):
      for other in identities.values where other.regId != own {
        pass(.callStep(callId: call, from: own, endpoint: id, step: step, sealed: sealed), to: other.regId)
      }
      return step == .answer
        ? .success(.call(callId: call, grant: MeetingGrant(room: call.text, token: "callee"))) : .success(.done)
    }
  }

  private func has(_ chat: ChatID, _ id: RegID) -> Bool {
    chats[chat]?.participants.contains { $0.regId == id } == true
  }

  func info(_ chat: ChatID, _ id: RegID) -> ChatInfo {
    guard let state = chats[chat] else { preconditionFailure("the test names no chat \(chat)") }
    var info = state.info
    info.participants = state.participants
    info.firstMessage = state.firstMessage[id] ?? MessageNumber(1)
    info.key = state.keys[id]
    info.ownKey = state.ownKeys[id]
    return info
  }

  private func announce(_ chat: ChatID, by own: RegID) {
    for participant in chats[chat]?.participants ?? [] {
      deliver(.chatChanged(chat: info(chat, participant.regId), by: own), to: participant.regId)
    }
  }

  private func remove(_ id: RegID, _ chat: ChatID, by own: RegID) -> Outcome {
    chats[chat]?.participants.removeAll { $0.regId == id }
    deliver(.chatRemoved(chatId: chat, by: own), to: id)
    announce(chat, by: own)
    return .success(.done)
  }

  private func mark(_ chat: ChatID, _ id: RegID, _ delivered: MessageNumber, read: MessageNumber) -> Outcome {
    guard let index = chats[chat]?.participants.firstIndex(where: { $0.regId == id }),
      let before = chats[chat]?.participants[index]
    else { return nothing }
    let marks = (delivered: max(before.delivered, delivered), read: max(before.read, read))
    chats[chat]?.participants[index].delivered = marks.delivered
    chats[chat]?.participants[index].read = marks.read
    for other in chats[chat]?.participants ?? [] {
      deliver(.marks(chatId: chat, regId: id, delivered: marks.delivered, read: marks.read), to: other.regId)
    }
    return .success(.done)
  }
}
