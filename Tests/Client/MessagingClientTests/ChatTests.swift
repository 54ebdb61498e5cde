import Basics
import Messaging
import Testing

@testable import MessagingClient

@Suite struct ChatTests {
  let service = FakeService()
  let ann: TestEndpoint
  let bob: TestEndpoint

  init() throws {
    ann = try TestEndpoint(service, user: "ann", instance: 1)
    bob = try TestEndpoint(service, user: "bob", instance: 2)
  }

  @Test func `messages reach an endpoint that was away, with marks, and the service reads none`() throws {
    bob.isOnline = false
    bob.lose()
    let chat = try ann.startChat(with: [bob.regId], cookie: "c", subject: "Fishing")
    try ann.say("hello", in: chat)
    try ann.say("are you there", in: chat)
    #expect(ann.message(1, chat)?.state == .sent)
    bob.isOnline = true
    service.advance(.seconds(120))
    #expect(bob.texts(chat) == ["hello", "are you there"])
    #expect(bob.machine.chats[chat]?.chat(own: bob.regId).subject == "Fishing")
    #expect(bob.message(1, chat)?.isUnverified == false && bob.machine.chats[chat]?.chat(own: bob.regId).unread == 2)
    #expect(ann.message(2, chat)?.state == .delivered)
    try bob.perform(.markRead(chat, MessageNumber(1)))
    #expect(ann.message(1, chat)?.state == .read && ann.message(2, chat)?.state == .delivered)
    #expect(bob.warnings.isEmpty && ann.warnings.isEmpty)
    for (_, request) in service.requests {
      let text = String(describing: request)
      #expect(!text.contains("Fishing") && !text.contains("hello"))
    }
  }

  @Test func `a new endpoint reads what was said before, and takes part`() throws {
    let chat = try ann.startChat(with: [bob.regId], cookie: "c")
    try ann.say("one", in: chat)
    try bob.say("two", in: chat)
    // Without key management the app carries the keys to the next endpoint.
    guard case .profileKeys(let keys) = try bob.perform(.exportProfileKeys) else { throw MessengerError.failed }
    let tablet = TestEndpoint(service, instance: 3)
    tablet.start()
    tablet.give("bob")
    try tablet.perform(.importProfileKeys(keys))
    #expect(tablet.state == .success && tablet.texts(chat) == ["one", "two"])
    try tablet.say("three", in: chat)
    try bob.say("four", in: chat)
    #expect(ann.texts(chat) == ["one", "two", "three", "four"] && tablet.texts(chat) == bob.texts(chat))
    #expect(tablet.message(3, chat)?.isIncoming == false && bob.message(3, chat)?.isIncoming == false)
    #expect((ann.warnings + bob.warnings + tablet.warnings).isEmpty)
  }

  @Test func `what was queued is sent once, over lost answers and a restart`() throws {
    let chat = try ann.startChat(with: [bob.regId], cookie: "c")
    service.losesAnswer = { if case .messageSend = $0 { true } else { false } }
    ann.isOnline = false
    try ann.say("first", in: chat)
    try ann.say("second", in: chat)
    #expect(ann.link == nil && ann.machine.outbox.count == 2)
    service.losesAnswer = { _ in false }
    ann.restart(instance: 9)
    #expect(ann.machine.outbox.count == 2)
    ann.isOnline = true
    service.advance(.seconds(120))
    #expect(bob.texts(chat) == ["first", "second"] && ann.texts(chat) == bob.texts(chat))
    #expect(ann.machine.outbox.isEmpty && service.chats[chat]?.messages.count == 2)
    ann.restart(instance: 10)
    #expect(ann.texts(chat) == ["first", "second"])
    try ann.say("third", in: chat)
    #expect(bob.warnings.isEmpty && bob.texts(chat).count == 3)
  }

  @Test func `newcomers cannot read what was said before, and the removed not what is said after`() throws {
    let cyd = try TestEndpoint(service, user: "cyd", instance: 3)
    let chat = try ann.startChat(with: [bob.regId], cookie: "c")
    try ann.say("before", in: chat)
    let first = try #require(ann.machine.chats[chat]?.ring.current)
    try ann.perform(.invite(chat, [cyd.regId]))
    try bob.say("all three", in: chat)
    #expect(cyd.texts(chat) == ["all three"] && cyd.machine.chats[chat]?.ring[first.id] == nil)
    try ann.perform(.removeParticipant(chat, bob.regId))
    try cyd.say("without bob", in: chat)
    let last = try #require(cyd.machine.chats[chat]?.ring.current)
    #expect(ann.texts(chat) == ["before", "all three", "without bob"])
    #expect(bob.machine.chats[chat]?.ring[last.id] == nil && bob.machine.chats[chat]?.isDefunct == true)
    #expect((ann.warnings + cyd.warnings).isEmpty)
  }

  @Test func `recalled and deleted messages go from everywhere that they were stored`() throws {
    let chat = try ann.startChat(with: [bob.regId], cookie: "c")
    try ann.say("one", in: chat)
    try ann.say("two", in: chat)
    try ann.perform(.request(.messageRecall(chatId: chat, number: MessageNumber(1))))
    #expect(bob.message(1, chat)?.isRecalled == true && bob.texts(chat) == ["two"])
    try bob.perform(.deleteMessage(chat, MessageNumber(2)))
    #expect(bob.texts(chat).isEmpty && ann.texts(chat) == ["two"])
    bob.restart(instance: 7)
    #expect(bob.texts(chat).isEmpty && bob.message(1, chat)?.isRecalled == true)
    try ann.say("three", in: chat)
    #expect(bob.texts(chat) == ["three"] && bob.warnings.isEmpty)
  }

  @Test func `typing isn't sent in a chat that is empty, or silent for five minutes`() throws {
    let sent = { [service] in service.requests.count { if case .typing = $0.request { true } else { false } } }
    let chat = try ann.startChat(with: [bob.regId], cookie: "c")
    try ann.perform(.typing(chat, tag: nil))
    #expect(sent() == 0)
    try bob.say("hello", in: chat)
    service.advance(.seconds(300))
    try ann.perform(.typing(chat, tag: nil))
    #expect(sent() == 1 && bob.events.contains(.typing(chat, from: ann.regId, tag: nil)))
    service.advance(.seconds(1))
    try ann.perform(.typing(chat, tag: nil))
    #expect(sent() == 1)
    // A message that is on its way will be new.
    ann.machine.outbox.append(
      QueuedMessage(chat: chat, cookie: "q", content: MessageContent(tag: "Text"), time: MessageTime(milliseconds: 0)))
    try ann.perform(.typing(chat, tag: nil))
    #expect(sent() == 2)
  }

  @Test func `times, order and typing don't depend on a clock that is wrong by days`() throws {
    let chat = try ann.startChat(with: [bob.regId], cookie: "c")
    service.advance(.seconds(1_000))
    for (index, days) in ([-5, 5] as [Int64]).enumerated() {
      ann.clockError = .seconds(days * 86_400)
      ann.isOnline = false
      ann.lose()
      service.advance(.seconds(10))
      try ann.say("waits", in: chat)
      let queued = try #require(ann.machine.outbox.first?.time)
      #expect(abs(queued.milliseconds - service.time.milliseconds) <= 1)
      ann.isOnline = true
      service.advance(.seconds(120))
      try bob.say("answer", in: chat)
      ann.clearEvents()
      bob.clearEvents()
      try ann.perform(.typing(chat, tag: nil))
      #expect(bob.events == [.typing(chat, from: ann.regId, tag: nil)])
      service.advance(.seconds(400))
      try ann.perform(.typing(chat, tag: nil))
      #expect(bob.events.count == 1)
      for endpoint in [ann, bob] {
        let messages = (1...UInt64(index + 1) * 2).compactMap { endpoint.message($0, chat) }
        let times = messages.map(\.time)
        #expect(messages.map(\.content.text).suffix(2) == ["waits", "answer"] && times == times.sorted())
        #expect(times.allSatisfy { $0 <= service.time && $0.milliseconds >= 1_000_000 })
      }
    }
  }

  @Test func `typing, events and calls pass sealed, and a call's meeting needs what both sides sealed`() throws {
    let chat = try ann.startChat(with: [bob.regId], cookie: "c")
    try ann.say("hello", in: chat)
    try ann.perform(.typing(chat, tag: "Text"))
    try ann.perform(.chatEvent(chat, tag: "Wave", data: #"{"n":1}"#))
    #expect(bob.events.contains(.typing(chat, from: ann.regId, tag: "Text")))
    #expect(bob.events.contains(.chatEvent(chat, from: ann.regId, tag: "Wave", data: #"{"n":1}"#)))

    guard case .call(let call) = try ann.perform(.startCall(bob.regId, .video, metadata: "hi")) else {
      throw MessengerError.failed
    }
    #expect(bob.machine.calls[call.id]?.call.metadata == "hi")
    try bob.perform(.callStep(call.id, .ringing, update: nil))
    #expect(ann.machine.calls[call.id]?.call.state == .ringing)
    try bob.perform(.answerCall(call.id))
    let both = [ann, bob].map { $0.machine.calls[call.id] }
    #expect(both.allSatisfy { $0?.call.state == .connected } && both[0]?.secret == both[1]?.secret)
    #expect(both[0]?.grant?.token == "caller" && both[1]?.grant?.token == "callee")
    try ann.perform(.callStep(call.id, .hangUp, update: nil))
    #expect(ann.machine.calls[call.id]?.call.end == .hungUp)
  }
}
