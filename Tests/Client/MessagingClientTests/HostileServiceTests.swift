import Basics
import Crypto
import Encryption
import Messaging
import TestSeeds
import Testing

@testable import MessagingClient

/// A service that lies: what it does is noticed, and nothing is lost or given away by it.
@Suite(.tellsSeeds) struct HostileServiceTests {
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
    try ann.say("hello", in: chat)
    try bob.say("hello too", in: chat)
    for endpoint in [ann, bob, cyd] { #expect(endpoint.texts(chat).count == 2 && endpoint.warnings.isEmpty) }
  }

  /// The messages in an event on its way to one endpoint, changed.
  private func change(
    to endpoint: TestEndpoint, _ body: @escaping (StoredMessage) -> [StoredMessage]
  ) {
    service.deliver = { message, recipient in
      guard recipient === endpoint, case .event(let number, let time, .message(let chat, let stored)) = message else {
        return [message]
      }
      return body(stored).map { .event(number: number, time: time, .message(chatId: chat, message: $0)) }
    }
  }

  @Test func `other keys of somebody are reported and not used until they are accepted`() throws {
    let fake = try IdentityKeys(generation: 2)
    service.lookupKeys[bob.regId] = fake.published
    try ann.perform(.identities(appUserIds: ["bob"], regIds: []))
    try ann.perform(.identities(appUserIds: ["bob"], regIds: []))
    #expect(ann.warnings == [.keysChanged(bob.regId)])
    let private2 = try ann.startChat(with: [bob.regId], cookie: "d")
    try ann.say("for bob alone", in: private2)
    #expect(bob.texts(private2) == ["for bob alone"])
    service.lookupKeys = [ann.regId: fake.published]
    try ann.perform(.identities(appUserIds: ["ann"], regIds: []))
    #expect(ann.warnings.last == .ownKeysDiffer)
    service.deliver(.keysChanged(regId: bob.regId, keys: fake.published), to: cyd.regId)
    service.run()
    #expect(cyd.warnings == [.keysChanged(bob.regId)])
    try cyd.perform(.acceptKeys(bob.regId))
    try bob.say("from bob's old keys", in: chat)
    #expect(cyd.warnings.last == .wrongSignature(chat, MessageNumber(3)))
    #expect(cyd.message(3, chat)?.isUnverified == true && cyd.texts(chat).last == "from bob's old keys")
  }

  @Test func `messages by new keys are verified once the keys are accepted, and forged ones are not`() throws {
    ann.isOnline = false
    ann.lose()
    let phone = try TestEndpoint(service, user: "ann", instance: 4)
    // The identity's keys are others than before; only one of them has accepted them.
    try cyd.perform(.acceptKeys(ann.regId))
    try phone.say("new phone", in: chat)
    #expect(bob.message(3, chat)?.isUnverified == true && cyd.message(3, chat)?.isUnverified == false)
    var forged = try #require(service.chats[chat]?.messages.last)
    forged.number = MessageNumber(1_000)
    var bytes = try #require(forged.body?.bytes)
    bytes[bytes.count - 1] ^= 1
    forged.body = Sealed(bytes: bytes)
    service.deliver(.message(chatId: chat, message: forged), to: bob.regId)
    service.run()
    try bob.perform(.acceptKeys(ann.regId))
    #expect(bob.message(3, chat)?.isUnverified == false && bob.texts(chat).contains("new phone"))
    #expect(bob.message(1_000, chat)?.isUnverified == true)
    let warned = bob.warnings.count
    try phone.say("still me", in: chat)
    #expect(bob.texts(chat).contains("still me") && bob.warnings.count == warned)
  }

  /// A lie of the service about messages on their way to one endpoint.
  enum Lie: CaseIterable { case withhold, replay, reorder, exchange, forge, swapKeys }

  @Test(arguments: Lie.allCases.indices)
  func `whenever a service lies to one member, that member notices, and nobody else`(index: Int) throws {
    let lie = Lie.allCases[index]
    var random = Numbers(state: TestSeed.of(UInt64(index) + 1))
    let all = [ann, bob, cyd]
    let victim = all[Int.random(in: 0..<3, using: &random)]
    let others = all.filter { $0 !== victim }
    var held: [StoredMessage] = []
    var isLying = false
    change(to: victim) { message in
      guard isLying, message.sender != victim.regId else { return [message] }
      switch lie {
      case .withhold: return []
      case .replay, .swapKeys: return [message]
      case .reorder:
        held.append(message)
        return []
      case .exchange:
        var other = message
        other.body = held.last?.body ?? message.body
        held.append(message)
        return [other]
      case .forge:
        var other = message
        other.sender = others.first { $0.regId != message.sender }?.regId ?? message.sender
        return [other]
      }
    }
    var count = 0
    func talk(_ rounds: Int, _ speakers: [TestEndpoint]) throws {
      for _ in 0..<rounds {
        count += 1
        try speakers[Int.random(in: 0..<speakers.count, using: &random)].say("text \(count)", in: chat)
      }
    }
    try talk(Int.random(in: 1...12, using: &random), all)
    #expect(all.allSatisfy { $0.warnings.isEmpty })
    isLying = true
    // The same one twice, so that an order and an earlier text are there.
    let speaker = others[Int.random(in: 0..<2, using: &random)]
    try talk(2, [speaker])
    switch lie {
    case .replay:
      let earlier = service.chats[chat]?.messages.randomElement(using: &random)
      var old = try #require(earlier)
      old.number = MessageNumber(1_000)
      service.deliver(.message(chatId: chat, message: old), to: victim.regId)
    case .reorder:
      for (number, message) in zip([2_000, 2_001] as [UInt64], held.reversed()) {
        var moved = message
        moved.number = MessageNumber(number)
        service.chats[chat]?.info.lastMessage = moved.number
        isLying = false
        service.deliver(.message(chatId: chat, message: moved), to: victim.regId)
        service.run()
      }
    case .swapKeys:
      service.deliver(
        .keysChanged(regId: speaker.regId, keys: try IdentityKeys(generation: 9).published), to: victim.regId)
    case .withhold, .exchange, .forge: break
    }
    service.run()
    isLying = false
    try talk(6, others)
    let isNoticed = victim.warnings.contains { warning in
      switch (lie, warning) {
      case (.withhold, .withheld), (.withhold, .missing), (.replay, .replayed), (.reorder, .reordered),
        (.exchange, .replayed), (.exchange, .missing), (.forge, .wrongSignature), (.swapKeys, .keysChanged):
        true
      default: false
      }
    }
    #expect(isNoticed, "\(lie): \(victim.warnings)")
    #expect(others.allSatisfy { $0.warnings.isEmpty }, "\(lie)")
    for other in others { #expect(other.texts(chat).count == count + 2) }
  }

  private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }

  @Test func `a replayed message is not shown, under whatever number`() throws {
    let old = try #require(service.chats[chat]?.messages.first)
    var replayed = old
    replayed.number = MessageNumber(3)
    replayed.cookie = "another"
    service.deliver(.message(chatId: chat, message: replayed), to: bob.regId)
    // An honest service sends an event again after a reconnect.
    service.deliver(.message(chatId: chat, message: old), to: bob.regId)
    service.run()
    #expect(bob.warnings == [.replayed(chat, MessageNumber(3))] && bob.texts(chat) == ["hello", "hello too"])
    var exchanged = old
    exchanged.body = service.chats[chat]?.messages.last?.body
    service.deliver(.message(chatId: chat, message: exchanged), to: bob.regId)
    service.run()
    #expect(bob.warnings.last == .numberReused(chat, MessageNumber(1)) && bob.texts(chat).first == "hello")
  }

  @Test func `a member's messages that are kept back are missed when others have seen them`() throws {
    change(to: cyd) { $0.sender == bob.regId ? [] : [$0] }
    try bob.say("not for cyd", in: chat)
    #expect(cyd.warnings.isEmpty)
    try ann.say("as bob said", in: chat)
    #expect(cyd.warnings == [.withheld(chat, from: bob.regId, count: 1)])
    service.deliver = { message, _ in [message] }
    try bob.say("hello?", in: chat)
    #expect(cyd.warnings.count == 1 && cyd.texts(chat).suffix(2) == ["as bob said", "hello?"])
    change(to: cyd) { $0.sender == ann.regId ? [] : [$0] }
    try ann.say("lost", in: chat)
    service.deliver = { message, _ in [message] }
    try ann.say("kept", in: chat)
    #expect(cyd.warnings.last == .missing(chat, from: ann.regId, count: 1))
  }

  @Test func `messages in another order than they were written are noticed`() throws {
    var held: [StoredMessage] = []
    change(to: bob) { message in
      held.append(message)
      return []
    }
    try ann.say("first", in: chat)
    try ann.say("second", in: chat)
    service.deliver = { message, _ in [message] }
    try #require(held.count == 2)
    for (message, number) in zip(held.reversed(), [3, 4] as [UInt64]) {
      var moved = message
      moved.number = MessageNumber(number)
      service.deliver(.message(chatId: chat, message: moved), to: bob.regId)
    }
    service.run()
    #expect(bob.warnings == [.missing(chat, from: ann.regId, count: 1), .reordered(chat, MessageNumber(4))])
    #expect(bob.texts(chat).suffix(2) == ["second", "first"])
  }

  @Test func `a message in somebody else's name, or another chat's, is marked and shown`() throws {
    change(to: bob) { message in
      var forged = message
      forged.sender = cyd.regId
      return [forged]
    }
    try ann.say("as if from cyd", in: chat)
    #expect(bob.warnings == [.wrongSignature(chat, MessageNumber(3))])
    #expect(bob.message(3, chat)?.isUnverified == true && bob.message(3, chat)?.content.text == "as if from cyd")
    let other = try ann.startChat(with: [bob.regId], cookie: "e")
    service.deliver = { message, _ in [message] }
    let moved = try #require(service.chats[chat]?.messages.first)
    service.deliver(.message(chatId: other, message: moved), to: bob.regId)
    service.run()
    #expect(bob.warnings.last == .wrongSignature(other, MessageNumber(1)) && bob.texts(other).isEmpty)
  }

  @Test func `a chat key that others know is not used for what is sent`() throws {
    let small = try ann.startChat(with: [bob.regId], cookie: "f")
    let known = try #require(bob.machine.chats[chat]?.ring.current)
    // The envelope of the larger chat, as the smaller one's.
    let envelope = try #require(service.chats[chat]?.keys[bob.regId])
    service.deliver(.chatKey(chatId: small, key: envelope, by: ann.regId), to: bob.regId)
    service.run()
    #expect(bob.warnings == [.unknownKeyHolders(small, [cyd.regId])])
    try bob.say("for ann", in: small)
    #expect(ann.texts(small) == ["for ann"])
    let used = try #require(bob.machine.chats[small]?.ring.current)
    #expect(used != known && cyd.machine.chats[chat]?.ring[used.id] == nil)
    let forged = Sealed(bytes: [1] + [UInt8](repeating: 7, count: 200))
    service.deliver(.chatKey(chatId: small, key: forged, by: ann.regId), to: bob.regId)
    service.run()
    #expect(bob.warnings.last == .wrongKeyEnvelope(small))
  }

  @Test func `a key of somebody who is not in the chat is not used for what is sent`() throws {
    let fake = try IdentityKeys(generation: 1)
    let (id, key) = (RegID(9_999), try ChatKey())
    service.identities["mal"] = FakeService.Identity(regId: id, user: "mal", keys: fake.published)
    let parcel = ChatKeyParcel(keys: [key], holders: try .init([ann.regId, bob.regId, cyd.regId]))
    let recipient = try #require(bob.machine.identity.keys?.publicKeys)
    let envelope = try IdentityEnvelope.seal(
      parcel.encoded(), IdentityEnvelope.Context(.chatKey, to: bob.regId, subject: ""), from: id, fake, to: recipient)
    service.deliver(.chatKey(chatId: chat, key: Sealed(bytes: envelope), by: ann.regId), to: bob.regId)
    service.run()
    #expect(bob.warnings == [.unknownKeyHolders(chat, [id])])
    try bob.say("for us", in: chat)
    let used = try #require(service.chats[chat]?.messages.last?.body?.bytes.flatMap { try? SealedMessage($0) })
    #expect(used.header.key != key.id && ann.texts(chat).last == "for us" && cyd.texts(chat).last == "for us")
  }

  @Test func `counters and numbers that nobody reaches end nothing`() throws {
    let sender = MessageHeader.Sender(regId: bob.regId, instance: 2)
    let key = ChatKeyID(rawValue: 1)
    let zeros = [UInt8](repeating: 0, count: MessageHeader.digestLength)
    for counter in [UInt64.max, 1 << 62] {
      let header = MessageHeader(
        chat: chat, sender: sender, counter: counter, previous: zeros, seen: [], key: key)
      var ledger = ChatLedger()
      ledger.isComplete = true
      let findings = ledger.accept(header, digest: zeros, at: sender)
      #expect(findings == [.missing(sender, count: counter - 1)])
      var reader = ByteReader(header.encoded)
      #expect(throws: KeyMessageError.malformed) { try MessageHeader(reading: &reader) }
    }
    var message = try #require(service.chats[chat]?.messages.last)
    message.number = MessageNumber(.max)
    service.deliver(.message(chatId: chat, message: message), to: bob.regId)
    var info = service.info(chat, bob.regId)
    info.lastMessage = MessageNumber(.max)
    service.deliver(.chatChanged(chat: info, by: ann.regId), to: bob.regId)
    service.run()
    try ann.say("still there", in: chat)
    #expect(bob.texts(chat).last == "still there" && bob.machine.chats[chat]?.info.lastMessage == MessageNumber(3))
  }

  @Test func `an exchanged offer does not ring, and nobody else answers a call`() throws {
    let fake = try IdentityKeys(generation: 1)
    service.deliver = { message, _ in
      guard case .passing(.callOffer(let id, let from, let endpoint, let medium, _)) = message else { return [message] }
      return [
        .passing(
          .callOffer(
            callId: id, from: from, endpoint: endpoint, medium: medium,
            sealed: Sealed(bytes: fake.secret.unprotectedCopy())))
      ]
    }
    guard case .call(let call) = try ann.perform(.startCall(bob.regId, .voice, metadata: nil)) else {
      throw MessengerError.failed
    }
    #expect(bob.machine.calls.isEmpty && bob.events.contains(.call(.refused(call.id, from: ann.regId))))
    service.pass(
      .callStep(callId: call.id, from: bob.regId, endpoint: EndpointID("x"), step: .answer, sealed: nil), to: ann.regId)
    service.run()
    #expect(ann.machine.calls[call.id]?.call.state == .offered)
    #expect(ann.events.contains(.call(.refused(call.id, from: bob.regId))))
  }

  @Test func `keys that come after a call's offer have no part in it`() throws {
    guard case .call(let call) = try ann.perform(.startCall(bob.regId, .voice, metadata: nil)) else {
      throw MessengerError.failed
    }
    let fake = try IdentityKeys(generation: 2)
    service.deliver(.keysChanged(regId: bob.regId, keys: fake.published), to: ann.regId)
    service.run()
    try ann.perform(.acceptKeys(bob.regId))
    #expect(ann.machine.keys(of: bob.regId) == fake.publicKeys && ann.warnings == [.keysChanged(bob.regId)])
    var note = LocalJSON.encode(CallNote(step: .answer))
    let keys = try #require(ann.machine.identity.keys?.publicKeys)
    let context = IdentityEnvelope.Context(.call, to: ann.regId, subject: call.id.text)
    let sealed = Sealed(
      bytes: try IdentityEnvelope.seal(SecretBytes(wiping: &note), context, from: bob.regId, fake, to: keys))
    let endpoint = EndpointID("x")
    service.pass(
      .callStep(callId: call.id, from: bob.regId, endpoint: endpoint, step: .answer, sealed: sealed), to: ann.regId)
    service.run()
    #expect(ann.machine.calls[call.id]?.call.state == .offered)
    #expect(ann.events.contains(.call(.refused(call.id, from: bob.regId))))
    // The one that the offer was sealed to can answer it.
    try bob.perform(.answerCall(call.id))
    #expect(ann.machine.calls[call.id]?.call.state == .connected)
    #expect(ann.machine.calls[call.id]?.endpoint != endpoint)
  }

  @Test func `a file's chunks cannot be cut off, exchanged or repeated`() throws {
    let key = try SecretBytes.random(AttachmentCipher.keyLength)
    for size in [0, 1, AttachmentCipher.chunkLength, 2 * AttachmentCipher.chunkLength + 5] {
      let file = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let sealed = try AttachmentCipher.seal(file, key: key)
      #expect(sealed.count == AttachmentCipher.sealedSize(of: size))
      #expect(try AttachmentCipher.open(sealed, key: key) == file)
      guard size > AttachmentCipher.chunkLength else { continue }
      let chunk = AttachmentCipher.chunkLength + AESGCM.tagLength
      let cut = Array(sealed.prefix(chunk))
      let exchanged = Array(sealed[chunk..<2 * chunk] + sealed[0..<chunk] + sealed[(2 * chunk)...])
      for bad in [cut, exchanged, sealed + sealed] {
        #expect(throws: CryptoError.authenticationFailed) { try AttachmentCipher.open(bad, key: key) }
      }
    }
  }
}
