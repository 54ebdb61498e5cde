import Basics
import Crypto
import Messaging

extension MessengerMachine {
  /// A message of the service.
  mutating func receive(_ message: ServiceMessage, now: Instant, time: MessageTime) {
    at(now, time)
    guard setup.isLinked else { return }
    switch message {
    case .welcome(let welcome): receiveWelcome(welcome)
    case .full:
      connectionIsUp()
      setup.isFull()
    case .refused(let failure): setup.refused(failure, now: now)
    case .answer(let id, let answer): self.answer(id, .success(answer))
    case .failed(let id, let failure):
      if let id { answer(id, .failure(.refused(failure))) }
    case .event(let number, _, let event): receive(event, number)
    case .passing(let event): receive(event)
    case .endpointDeregistered: setup.deregistered()
    case .pong: break
    }
    pumpSetup()
  }

  private mutating func receiveWelcome(_ welcome: ServiceMessage.Welcome) {
    if let known = identity.regId, known != welcome.regId {
      // The identity never changes for an endpoint; going on would mix two of them.
      return setup.refused(
        MessagingFailure(.badRequest, "The service gives this endpoint another identity than before."), now: now)
    }
    connectionIsUp()
    serviceClock.set(welcome.time, at: now)
    identity.regId = welcome.regId
    let generation = max(welcome.keys?.generation ?? 0, identity.keys?.generation ?? 0)
    publishedGeneration = min(generation, Self.maximumGeneration)
    var welcome = welcome
    // The service knows the secret of the `hello`; it need not say it.
    if setup.credentials == nil, welcome.secret == nil { welcome.secret = identity.helloSecret }
    // A service that has lost events counts from an earlier one on.
    if welcome.secret != nil || welcome.lastEvent < identity.acknowledged {
      identity.acknowledged = welcome.lastEvent
      identity.hasSynced = false
    }
    saveIdentity()
    setup.keys = localKeys
    setup.welcomed(welcome, now: now)
    confirmCalls()
  }

  private mutating func receive(_ event: MessagingEvent, _ number: EventNumber) {
    // A repeated event changes nothing: it is acknowledged again.
    if number > identity.acknowledged {
      identity.acknowledged = number
      apply(event)
      saveIdentity()
    }
    send(.acknowledge(identity.acknowledged))
  }

  private mutating func apply(_ event: MessagingEvent) {
    switch event {
    case .chatAdded(let chat, _): updateChat(chat, restores: false)
    case .chatChanged(let chat, _): updateChat(chat, restores: false)
    case .chatJoined(let chat, let id): joined(chat, id)
    case .chatRemoved(let chat, _): chatRemoved(chat)
    case .chatKey(let chat, let key, _): receiveKey(key, for: chat)
    case .message(let chat, let message): receive(message, in: chat)
    case .messageRecalled(let chat, let number, _): recall(number, in: chat)
    case .messageDeleted(let chat, let number): forget(number, in: chat)
    case .marks(let chat, let id, let delivered, let read): receiveMarks(chat, of: id, delivered: delivered, read: read)
    case .keysChanged(let id, let keys): observe(keys, of: id)
    case .gap:
      identity.hasSynced = false
      resumeWork()
    }
  }

  private mutating func receive(_ event: PassingEvent) {
    switch event {
    case .typing(let chat, let from, let sealed):
      guard from != own, chats[chat] != nil else { return }
      notify(.typing(chat, from: from, tag: openEvent(sealed, in: chat, from: from)?.tag))
    case .chatEvent(let chat, let from, let sealed):
      guard let event = openEvent(sealed, in: chat, from: from) else { return }
      notify(.chatEvent(chat, from: from, tag: event.tag, data: event.data))
    case .callOffer(let id, let from, let endpoint, let medium, let sealed):
      receiveOffer(id, from: from, endpoint, medium, sealed)
    case .callStep(let id, let from, let endpoint, let step, let sealed):
      receiveStep(id, from: from, endpoint, step, sealed)
    case .callEnded(let id, let end): endCall(id, end)
    case .tokenNeeded: setup.tokenIsNeeded()
    case .caughtUp: notify(.syncing(false))
    case .endpointsChanged: notify(.endpointsChanged)
    }
  }

  // MARK: Passing events

  /// The content of a typing notice or chat event.
  private struct TransientEvent: Codable {
    var tag: String
    var data: String?
  }

  private static func context(_ chat: ChatID, _ sender: RegID) -> [UInt8] { Array("\(chat) \(sender)".utf8) }

  private func openEvent(_ sealed: Sealed?, in chat: ChatID, from sender: RegID) -> TransientEvent? {
    chats[chat]?.open(sealed, .event, context: Self.context(chat, sender))
      .flatMap { LocalJSON.decode(TransientEvent.self, from: $0) }
  }

  func sealEvent(_ tag: String, _ data: String?, in chat: ChatID) -> Sealed? {
    guard let key = chats[chat]?.ring.current else { return nil }
    return try? ChatRecord.seal(
      LocalJSON.encode(TransientEvent(tag: tag, data: data)), key, .event, context: Self.context(chat, own))
  }
}
