import Basics
import Messaging
import Testing

@testable import MessagingClient

/// Messages, marks and keys come back after a loss on the way or at the service.
@Suite struct RecoveryTests {
  let service = FakeService()
  let ann: TestEndpoint
  let bob: TestEndpoint
  let cyd: TestEndpoint
  let chat: ChatID

  init() throws {
    ann = try TestEndpoint(service, user: "ann", instance: 1)
    bob = try TestEndpoint(service, user: "bob", instance: 2)
    cyd = try TestEndpoint(service, user: "cyd", instance: 3)
    chat = try ann.startChat(with: [bob.regId, cyd.regId], cookie: "c")
    try ann.say("one", in: chat)
    try bob.say("two", in: chat)
  }

  /// The service refuses what it would answer with `done`.
  private func refuse(_ code: MessagingFailure.Code) {
    service.deliver = { message, _ in
      guard case .answer(let id, .done) = message else { return [message] }
      return [.failed(id: id, MessagingFailure(code, ""))]
    }
  }

  private func refuseNothing() { service.deliver = { message, _ in [message] } }

  @Test func `a new endpoint gets the keys of before and those that came while all were away`() throws {
    guard case .profileKeys(let keys) = try ann.perform(.exportProfileKeys) else { throw MessengerError.failed }
    ann.isOnline = false
    ann.lose()
    try bob.perform(.removeParticipant(chat, cyd.regId))
    try bob.say("three", in: chat)
    let tablet = TestEndpoint(service, instance: 4)
    tablet.start()
    tablet.give("ann")
    try tablet.perform(.importProfileKeys(keys))
    #expect(tablet.texts(chat) == ["one", "two", "three"] && tablet.warnings.isEmpty)
  }

  @Test func `an identity with other keys takes part again when they are accepted`() throws {
    ann.isOnline = false
    ann.lose()
    let phone = try TestEndpoint(service, user: "ann", instance: 4)
    #expect(phone.machine.chats[chat]?.ring.current == nil)
    for other in [bob, cyd] {
      #expect(other.warnings == [.keysChanged(ann.regId)])
      try other.perform(.acceptKeys(ann.regId))
    }
    #expect(phone.machine.chats[chat]?.ring.current != nil)
    try phone.say("new keys", in: chat)
    try bob.say("welcome back", in: chat)
    for endpoint in [phone, bob, cyd] { #expect(endpoint.texts(chat).suffix(2) == ["new keys", "welcome back"]) }
    #expect(bob.warnings.count == 1 && cyd.warnings.count == 1)
  }

  @Test func `lost answers to hello register one endpoint`() {
    service.losesWelcome = true
    let dan = TestEndpoint(service, instance: 4)
    dan.start()
    dan.give("dan")
    service.advance(.seconds(60))
    service.losesWelcome = false
    service.advance(.seconds(120))
    #expect(dan.state == .ongoing && service.identities["dan"]?.endpoints.count == 1)
  }

  @Test func `marks and tokens that the service cannot take now are sent again`() throws {
    refuse(.tooFast)
    try bob.perform(.markRead(chat, MessageNumber(1)))
    let sent = { [service] in
      service.requests.count { if case .messagesRead = $0.request { true } else { false } }
    }
    bob.lose()
    bob.restart(instance: 2)
    refuseNothing()
    service.advance(.seconds(60))
    #expect(sent() >= 2 && bob.machine.chats[chat]?.unsentRead == nil)
    service.tokens = { _ in MessagingFailure(.providerUnavailable, "") }
    bob.give("bob", token: "next")
    service.tokens = { _ in nil }
    service.advance(.seconds(30))
    let tokens = service.requests.count { if case .authToken = $0.request { true } else { false } }
    #expect(tokens == 2 && bob.machine.setup.token == nil)
  }

  @Test func `a message that was recalled while one was away is not missed`() throws {
    bob.isOnline = false
    bob.lose()
    try ann.say("oops", in: chat)
    try ann.perform(.request(.messageRecall(chatId: chat, number: MessageNumber(3))))
    // As the service stores it: the event is the message of now.
    let stored = try #require(service.chats[chat]?.messages.last)
    let index = try #require(
      service.identities["bob"]?.events.firstIndex { event in
        if case .message(_, let message) = event { message.number == stored.number } else { false }
      })
    service.identities["bob"]?.events[index] = .message(chatId: chat, message: stored)
    try cyd.say("seen", in: chat)
    bob.isOnline = true
    service.advance(.seconds(120))
    #expect(bob.texts(chat) == ["one", "two", "seen"] && bob.message(3, chat)?.isRecalled == true)
    try ann.say("four", in: chat)
    #expect(bob.texts(chat).last == "four" && bob.warnings.isEmpty)
  }

  @Test func `calls that the service has forgotten end`() throws {
    var calls: [CallID] = []
    for medium in [CallMedium.voice, .video] {
      guard case .call(let call) = try ann.perform(.startCall(bob.regId, medium, metadata: nil)) else {
        throw MessengerError.failed
      }
      calls.append(call.id)
    }
    refuse(.notFound)
    try ann.perform(.callStep(calls[0], .hangUp, update: nil))
    #expect(ann.machine.calls[calls[0]]?.call.end == .hungUp)
    ann.lose()
    service.advance(.seconds(60))
    #expect(ann.machine.calls[calls[1]]?.call.end == .lost)
  }

  @Test func `a call that ended while it was answered stays ended`() throws {
    guard case .call(let call) = try ann.perform(.startCall(bob.regId, .voice, metadata: nil)) else {
      throw MessengerError.failed
    }
    service.deliver = { [bob] message, endpoint in
      guard endpoint === bob, case .answer(_, .call) = message else { return [message] }
      return [.passing(.callEnded(callId: call.id, end: .hungUp)), message]
    }
    try bob.perform(.answerCall(call.id))
    #expect(bob.machine.calls[call.id]?.call.state == .ended)
    #expect(!bob.events.contains { if case .call(.connect) = $0 { true } else { false } })
  }

  @Test func `a hang-up without a connection is sent until the service confirms it`() throws {
    guard case .call(let call) = try ann.perform(.startCall(bob.regId, .voice, metadata: nil)) else {
      throw MessengerError.failed
    }
    try bob.perform(.answerCall(call.id))
    ann.isOnline = false
    ann.lose()
    try ann.perform(.callStep(call.id, .hangUp, update: nil))
    let sent = { [service] in
      service.requests.count { if case .callStep(call.id, .hangUp, _, _) = $0.request { true } else { false } }
    }
    #expect(ann.machine.calls[call.id]?.call.end == .hungUp && sent() == 0)
    refuse(.tooFast)
    ann.isOnline = true
    service.advance(.seconds(120))
    let refused = sent()
    refuseNothing()
    service.advance(.seconds(120))
    #expect(refused >= 2 && sent() == refused + 1 && ann.machine.calls[call.id]?.owedStep == nil)
  }

  @Test func `a retry of the app is sent at once, unless the service has said when`() throws {
    let sent = { [service] in service.requests.count { if case .messagesRead = $0.request { true } else { false } } }
    for (retryAfter, expected) in [(nil, 2), (30, 1)] as [(Int?, Int)] {
      let before = sent()
      service.deliver = { message, _ in
        guard case .answer(let id, .done) = message else { return [message] }
        return [.failed(id: id, MessagingFailure(.tooFast, "", retryAfter: retryAfter))]
      }
      try bob.perform(.markRead(chat, MessageNumber(1)))
      refuseNothing()
      bob.machine.retryNow(now: service.now, time: service.time)
      service.run()
      #expect(sent() - before == expected)
      service.advance(.seconds(60))
      #expect(sent() - before == 2 && bob.machine.chats[chat]?.unsentRead == nil)
    }
  }

  @Test func `a chat that was left is gone; one that the service removes stays until it is left`() throws {
    try bob.perform(.leaveChat(chat))
    #expect(bob.machine.chats[chat] == nil && bob.events.last == .chatRemoved(chat))
    bob.restart(instance: 8)
    #expect(bob.machine.chats[chat] == nil && bob.stored.keys.allSatisfy { !$0.contains(chat.text) })
    try ann.perform(.removeParticipant(chat, cyd.regId))
    cyd.restart(instance: 9)
    #expect(cyd.machine.chats[chat]?.isDefunct == true && cyd.texts(chat) == ["one", "two"])
    cyd.isOnline = false
    cyd.lose()
    try cyd.perform(.leaveChat(chat))
    cyd.restart(instance: 10)
    #expect(cyd.machine.chats[chat] == nil && cyd.stored.keys.allSatisfy { !$0.contains(chat.text) })
    // A service that says so of a user who has left nothing.
    service.deliver(.chatRemoved(chatId: chat, by: ann.regId), to: ann.regId)
    service.run()
    #expect(ann.machine.chats[chat]?.isDefunct == true && ann.texts(chat) == ["one", "two"])
  }

  @Test func `a service that has lost events is listened to, and chats that it has not are over`() throws {
    let other = try ann.startChat(with: [bob.regId], cookie: "d")
    bob.isOnline = false
    bob.lose()
    service.identities["bob"]?.events = []
    service.chats[other]?.participants.removeAll { $0.regId == bob.regId }
    bob.isOnline = true
    service.advance(.seconds(120))
    #expect(bob.machine.chats[other]?.isDefunct == true && bob.machine.chats[chat]?.isDefunct == false)
    try ann.say("three", in: chat)
    #expect(bob.texts(chat) == ["one", "two", "three"])
  }

  @Test func `who is invited again does not miss what was said meanwhile`() throws {
    try ann.perform(.removeParticipant(chat, cyd.regId))
    try bob.say("without cyd", in: chat)
    try ann.perform(.invite(chat, [cyd.regId]))
    try bob.say("with cyd", in: chat)
    #expect(cyd.texts(chat).last == "with cyd" && cyd.warnings.isEmpty)
    try bob.say("again", in: chat)
    #expect(cyd.texts(chat).last == "again" && cyd.warnings.isEmpty)
  }

  @Test func `history that isn't here and can't be fetched is an error, not an empty history`() throws {
    bob.machine.chats[chat]?.raiseFloor(to: MessageNumber(2))
    bob.isOnline = false
    bob.lose()
    #expect(throws: MessengerError.notReady) {
      try bob.perform(.history(chat, from: MessageNumber(1), through: MessageNumber(2)))
    }
    guard case .messages(let here) = try bob.perform(.history(chat, from: MessageNumber(2), through: MessageNumber(2)))
    else { throw MessengerError.failed }
    #expect(here.count == 1)
  }

  @Test func `a chat keeps its newest messages, and knows from where on it has all`() throws {
    var record = try #require(ann.machine.chats[chat])
    let stored = try #require(service.chats[chat]?.messages.first)
    record.messages = [:]
    for number in 1...UInt64(ChatRecord.maximumMessages + 1) {
      var message = stored
      message.number = MessageNumber(number)
      record.messages[message.number] = MessageRecord(stored: message, reading: .waiting)
      record.inbox.append(ChatRecord.Unread(number: message.number, isRestored: false))
    }
    let isTrimmed = record.trim()
    #expect(isTrimmed && record.messages.count == 500)
    #expect(record.inbox.count == 500 && record.floor == MessageNumber(502))
    // A page that does not reach to the floor leaves a hole.
    record.lowerFloor(to: MessageNumber(10), through: MessageNumber(20))
    #expect(record.floor == MessageNumber(502))
    record.lowerFloor(to: MessageNumber(402), through: MessageNumber(501))
    #expect(try ChatRecord(decoding: record.encoded()).floor == MessageNumber(402))
  }
}
