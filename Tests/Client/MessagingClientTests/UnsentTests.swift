import Basics
import Messaging
import Testing

@testable import MessagingClient

/// Messages that the service does not take.
@Suite struct UnsentTests {
  let service = FakeService()
  let ann: TestEndpoint
  let bob: TestEndpoint
  let chat: ChatID

  init() throws {
    ann = try TestEndpoint(service, user: "ann", instance: 1)
    bob = try TestEndpoint(service, user: "bob", instance: 2)
    chat = try ann.startChat(with: [bob.regId], cookie: "c")
  }

  /// The last state of a message that the app has heard of.
  private func state(_ cookie: String) -> Message.State? {
    ann.events.reduce(nil) { state, event in
      switch event {
      case .messageAdded(let message) where message.cookie == cookie: message.state
      case .messageChanged(let message) where message.cookie == cookie: message.state
      case .messageDiscarded(_, let other) where other == cookie: nil
      default: state
      }
    }
  }

  @Test func `a message that the service refuses is failed, also after a restart, until discarded`() throws {
    let members = service.chats[chat]?.participants ?? []
    service.chats[chat]?.participants.removeAll { $0.regId == ann.regId }
    try ann.say("refused", in: chat, cookie: "r")
    #expect(state("r") == .failed)
    service.chats[chat]?.participants = members
    try ann.say("taken", in: chat, cookie: "t")
    #expect(state("t") == .delivered && bob.texts(chat) == ["taken"] && bob.warnings.isEmpty)
    ann.clearEvents()
    ann.restart(instance: 5)
    service.advance(.seconds(60))
    #expect(state("r") == .failed && bob.texts(chat) == ["taken"])
    try ann.perform(.discard(chat, cookie: "r"))
    #expect(state("r") == nil && ann.machine.outbox.isEmpty)
    ann.clearEvents()
    ann.restart(instance: 6)
    #expect(state("r") == nil && state("t") != nil)
    #expect(throws: MessengerError.notFound) { try ann.perform(.discard(chat, cookie: "r")) }
  }

  @Test func `a queued message can be discarded, unless the service may have it`() throws {
    ann.isOnline = false
    ann.lose()
    try ann.say("never mind", in: chat, cookie: "n")
    try ann.perform(.discard(chat, cookie: "n"))
    ann.isOnline = true
    service.advance(.seconds(120))
    #expect(bob.texts(chat).isEmpty)
    service.losesAnswer = { if case .messageSend = $0 { true } else { false } }
    ann.isOnline = false
    try ann.say("gone already", in: chat, cookie: "g")
    #expect(throws: MessengerError.notReady) { try ann.perform(.discard(chat, cookie: "g")) }
    service.losesAnswer = { _ in false }
    ann.isOnline = true
    service.advance(.seconds(120))
    #expect(bob.texts(chat) == ["gone already"] && bob.warnings.isEmpty)
  }

  @Test func `a message beyond the limits can be shown as failed, cut to them; the oldest such go`() throws {
    let long = MessageContent(tag: "Text", text: String(repeating: "é", count: 2_500), data: #"{"a":1}"#)
    #expect(throws: MessengerError.tooLarge) { try ann.perform(.send(long, chat, cookie: "long")) }
    try ann.perform(.addFailed(long, chat, cookie: "long"))
    let failed = try #require(ann.machine.outbox.first)
    #expect(failed.content.text?.unicodeScalars.count == 2_000 && failed.content.problem == nil)
    #expect(state("long") == .failed)
    #expect(throws: MessengerError.badData) { try ann.perform(.addFailed(long, chat, cookie: "long")) }
    let most = MessengerMachine.maximumFailed
    for number in 1...most {
      try ann.perform(.addFailed(MessageContent(tag: "Text", text: "x"), chat, cookie: "f\(number)"))
    }
    #expect(ann.machine.outbox.count == most && state("long") == nil && state("f\(most)") == .failed)
    try ann.say("taken", in: chat, cookie: "t")
    #expect(bob.texts(chat) == ["taken"])
  }
}
