import Basics
import Foundation
import Meetings
import Messaging
import Synchronization
import Testing

@testable import MeetingServer

@Suite("Hub of mailboxes")
struct MailboxHubTests {
  /// A socket that keeps what it is sent.
  final class Socket: SignalingSocket {
    private let frames = Mutex<[ServiceMessage]>([])

    func next() async -> SignalingFrame? { nil }

    func send(_ text: String) {
      guard let message = try? MessagingCoder().serviceMessage(from: Array(text.utf8)) else { return }
      frames.withLock { $0.append(message) }
    }

    func close(code: UInt16, reason: String) {}

    var isDeregistered: Bool { frames.withLock { $0.contains(.endpointDeregistered) } }

    var failures: [MessagingFailure] {
      frames.withLock { $0.compactMap { if case .failed(_, let failure) = $0 { failure } else { nil } } }
    }

    var passing: [PassingEvent] {
      frames.withLock { $0.compactMap { if case .passing(let event) = $0 { event } else { nil } } }
    }

    var events: [(number: UInt64, event: MessagingEvent)] {
      frames.withLock {
        $0.compactMap { if case .event(let number, _, let event) = $0 { (number.value, event) } else { nil } }
      }
    }
  }

  /// A clock in the test's hand.
  final class Clock: Sendable {
    let now = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    let instant = Mutex(Instant.zero)
  }

  struct World {
    let store: any MeetingStore
    let hub: MailboxHub
    let clock = Clock()
    let domain: MessagingDomain

    init(_ folder: String) async throws {
      store = try await MeetingStores.open(folder: folder)
      let tenant = try await store.defaultTenant(now: Date(timeIntervalSince1970: 1_800_000_000))
      let made = MessagingDomain(
        id: MessagingDomain.randomID(), tenant: tenant.id, name: tenant.name,
        settings: .init(environment: .sandbox, authentication: .disabled), created: Date())
      domain = made
      try await store.mailboxes { try $0.insert(made) }
      let clock = clock
      hub = MailboxHub(
        store: store, log: Log(level: .error) { _ in }, clock: { clock.now.withLock { $0 } },
        instant: { clock.instant.withLock { $0 } })
    }

    /// A connected endpoint whose token is good for so many seconds.
    func endpoint(_ user: String, seconds: Double, device: String = "") async throws -> (MailboxCaller, Socket) {
      let now = clock.now.withLock { $0 }
      let hello = EndpointMessage.Hello(domain: domain.id, token: "", userId: user)
      let registration = try await store.mailboxes { transaction in
        try EndpointRegistration.register(
          hello, user: ProvenUser(userId: user, expires: now + seconds), secretHash: "hash of \(user)\(device)",
          now: now,
          in: transaction)
      }
      guard case .registered(let identity, let endpoint, _) = registration else { throw UnexpectedMessage(nil) }
      let socket = Socket()
      let welcome = ServiceMessage.Welcome(
        regId: identity.regId, appUserId: user, pin: identity.pin, endpoint: endpoint.id, registrationToken: "",
        isNewIdentity: true, hasKeyManagement: false, tokenExpires: MessageTime(endpoint.tokenExpires),
        lastEvent: EventNumber(0), time: MessageTime(now))
      try await hub.attach(welcome, acknowledged: nil, domain: domain.id, MessagingChannel(socket: socket))
      return (MailboxCaller(domain: domain.id, regId: identity.regId, endpoint: endpoint.id), socket)
    }

    /// Carries out a request as the service does, with the budget of its sender; false for one that goes nowhere.
    func admit(_ request: MessagingRequest, by caller: MailboxCaller) async throws -> Bool {
      let bytes = try MessagingCoder().encode(EndpointMessage.request(id: 1, request)).utf8.count
      guard try await hub.admit(request, bytes: bytes, from: caller) else { return false }
      try await apply(request, by: caller)
      return true
    }

    /// Carries out a request, and waits until everything before it is on the disk and sent.
    func apply(_ request: MessagingRequest, by caller: MailboxCaller) async throws {
      await hub.apply(request, id: 1, from: caller, MessagingChannel(socket: Socket()))
      for _ in 0..<3 { try await hub.perform { _, _ in } }
    }
  }

  func inWorld(_ body: (World) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hub-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(try await World(folder))
  }

  @Test("threat 54: an endpoint with an expired token gets only the end of calls")
  func endedToken() async throws {
    try await inWorld { world in
      let (ann, _) = try await world.endpoint("ann", seconds: 3_600)
      let (bob, socket) = try await world.endpoint("bob", seconds: 600)
      try await world.apply(
        .chatStart(
          cookie: "c", invitees: [bob.regId], isOneToOne: false, invitePolicy: .adminsOnly, keys: []), by: ann)
      guard case .chatAdded(let chat, _) = try #require(socket.events.first?.event) else {
        throw UnexpectedMessage(nil)
      }
      try await world.apply(.typing(chatId: chat.chatId), by: ann)
      let before = socket.passing.count
      #expect(socket.passing.contains { if case .typing = $0 { true } else { false } })
      world.clock.now.withLock { $0 += 601 }
      try await world.apply(.typing(chatId: chat.chatId), by: ann)
      for cookie in ["1", "2"] {
        try await world.apply(.messageSend(chatId: chat.chatId, cookie: cookie, body: Sealed("AAAA")), by: ann)
      }
      #expect(socket.passing.count == before && socket.events.count == 1)
      let end = PassingEvent.callEnded(callId: CallID("c"), end: .unanswered)
      await world.hub.send(end, to: bob.endpoint)
      #expect(socket.passing.last == end)
      try await world.hub.renewed(bob.endpoint, until: world.clock.now.withLock { $0 } + 600)
      try await world.apply(.typing(chatId: chat.chatId), by: ann)
      // The events of that time are read from the disk, in their order.
      let numbers = socket.events.map(\.number)
      #expect(numbers.count == 3 && numbers == numbers.sorted())
      #expect(socket.passing.contains { if case .typing = $0 { true } else { false } })
    }
  }

  @Test("a domain whose removal a command has begun ends its endpoints and goes whole")
  func removedDomain() async throws {
    try await inWorld { world in
      let (ann, socket) = try await world.endpoint("ann", seconds: 3_600)
      let (now, id) = (world.clock.now.withLock { $0 }, world.domain.id)
      let removed = try await world.store.mailboxes { transaction in
        for _ in 0..<2_500 {
          _ = try transaction.append(.gap, to: ann.regId, subject: nil, time: MessageTime(now))
        }
        return try DomainRemoval.start(id, now: now, in: transaction)
      }
      #expect(removed?.isComplete == false)
      let request = Socket()
      await world.hub.apply(.chatsGet(), id: 1, from: ann, MessagingChannel(socket: request))
      try await world.hub.perform { _, _ in }
      #expect(request.failures.map(\.code) == [.endpointDeregistered] && !socket.isDeregistered)
      await world.hub.removeDeregistered()
      #expect(socket.isDeregistered)
      // A part in each group, behind this one.
      for _ in 0..<4 { try await world.hub.perform { _, _ in } }
      #expect(try await world.store.mailboxes { try $0.domain(id) } == nil)
      #expect(try await world.store.mailboxes { try $0.identity(ann.regId) } == nil)
    }
  }

  @Test("threat 55: an identity's open tickets are bounded, and an ended one leaves none")
  func tickets() async throws {
    try await inWorld { world in
      let (ann, _) = try await world.endpoint("ann", seconds: 3_600)
      let (bob, socket) = try await world.endpoint("bob", seconds: 3_600)
      try await world.apply(
        .chatStart(
          cookie: "c", invitees: [bob.regId], isOneToOne: false, invitePolicy: .adminsOnly, keys: []), by: ann)
      guard case .chatAdded(let chat, _) = try #require(socket.events.first?.event) else {
        throw UnexpectedMessage(nil)
      }
      let upload = MessagingRequest.attachmentUpload(chatId: chat.chatId, bytes: 1)
      let answers = Socket()
      for id in 0...MessagingLimits.openTickets {
        await world.hub.apply(upload, id: id, from: ann, MessagingChannel(socket: answers))
      }
      // A request that fails gives its place back.
      await world.hub.apply(
        .attachmentUpload(chatId: chat.chatId, bytes: 0), id: 99, from: bob, MessagingChannel(socket: answers))
      try await world.apply(upload, by: bob)
      func count(_ owner: MailboxCaller) async throws -> Int {
        try await world.store.mailboxes { try $0.attachmentCount(of: owner.regId) }
      }
      #expect(try await count(ann) == MessagingLimits.openTickets && answers.failures.count == 2)
      let failure = try #require(answers.failures.first { $0.code == .limitReached && $0.retryAfter != nil })
      #expect(failure.message.contains("(openTickets)"))
      #expect((1...MessagingLimits.ticketSeconds).contains(failure.retryAfter ?? 0))
      #expect(await world.hub.tickets.count == MessagingLimits.openTickets + 1)
      await world.hub.tick(now: MonotonicClock.now + .seconds(Int64(MessagingLimits.ticketSeconds)))
      try await world.hub.perform { _, _ in }
      #expect(try await count(ann) == 0)
      #expect(try await count(bob) == 0)
      #expect(await world.hub.tickets.count == 0)
      try await world.apply(upload, by: ann)
      #expect(try await count(ann) == 1)
    }
  }

  @Test("the hub removes old events, ephemeral endpoints and attachments, none too soon")
  func purge() async throws {
    try await inWorld { world in
      let (ann, _) = try await world.endpoint("ann", seconds: 100 * 24 * 3_600)
      let (bob, socket) = try await world.endpoint("bob", seconds: 100 * 24 * 3_600)
      try await world.apply(
        .chatStart(
          cookie: "c", invitees: [bob.regId], isOneToOne: false, invitePolicy: .adminsOnly, keys: []), by: ann)
      guard case .chatAdded(let chat, _) = try #require(socket.events.first?.event) else {
        throw UnexpectedMessage(nil)
      }
      try await world.apply(.attachmentUpload(chatId: chat.chatId, bytes: 1), by: ann)
      let start = world.clock.now.withLock { $0 }
      var hello = EndpointMessage.Hello(domain: world.domain.id, token: "", userId: "cyd")
      hello.isPersistent = false
      let ephemeral = hello
      try await world.store.mailboxes { transaction in
        _ = try EndpointRegistration.register(
          ephemeral, user: ProvenUser(userId: "cyd", expires: start), secretHash: "hash of cyd", now: start,
          in: transaction)
      }
      func counts(after hours: Int, _ seconds: Double) async throws -> [Int] {
        world.clock.now.withLock { $0 = start + Double(hours) * 3_600 + seconds }
        await world.hub.purge()
        return try await world.store.mailboxes { transaction in
          let cyd = try #require(try transaction.identity(user: "cyd", of: world.domain.id))
          return [
            try transaction.attachmentCount(of: ann.regId), try transaction.endpoints(of: cyd.regId).count,
            try transaction.events(of: bob.regId, after: 0, limit: 10).count,
          ]
        }
      }
      let (hours, days) = (MessagingLimits.unusedAttachmentHours, MessagingLimits.days)
      #expect(try await counts(after: hours, -1) == [1, 1, 1])
      #expect(try await counts(after: hours, 1) == [0, 1, 1])
      #expect(try await counts(after: MessagingLimits.ephemeralDays * 24, -1) == [0, 1, 1])
      #expect(try await counts(after: MessagingLimits.ephemeralDays * 24, 1) == [0, 0, 1])
      #expect(try await counts(after: days * 24, -1) == [0, 0, 1])
      #expect(try await counts(after: days * 24, 1) == [0, 0, 0])
    }
  }

  @Test("threat 55: a slow endpoint is told of events that its full mailbox has lost")
  func lostEvents() async throws {
    try await inWorld { world in
      let (ann, _) = try await world.endpoint("ann", seconds: 3_600)
      let (bob, socket) = try await world.endpoint("bob", seconds: 3_600)
      try await world.apply(
        .chatStart(
          cookie: "c", invitees: [bob.regId], isOneToOne: false, invitePolicy: .adminsOnly, keys: []), by: ann)
      guard case .chatAdded(let chat, _) = try #require(socket.events.first?.event) else {
        throw UnexpectedMessage(nil)
      }
      let most = MessagingLimits.unacknowledged
      for index in 0..<most + 20 {
        await world.hub.apply(
          .messageSend(chatId: chat.chatId, cookie: "\(index)", body: Sealed("AAAA")), id: index, from: ann,
          MessagingChannel(socket: Socket()))
      }
      try await world.apply(.typing(chatId: chat.chatId), by: ann)
      let sent = socket.events.count
      let last = try #require(socket.events.last?.number)
      #expect(sent == most && !socket.events.contains { $0.event == .gap })
      try await world.store.mailboxes { try $0.trim(bob.regId, through: last + 10) }
      await world.hub.acknowledge(EventNumber(last), by: bob)
      for _ in 0..<4 { try await world.apply(.typing(chatId: chat.chatId), by: ann) }
      let rest = socket.events.dropFirst(sent)
      #expect(rest.first?.number == last + 10 && rest.first?.event == .gap)
      #expect(rest.dropFirst().map(\.number).first == last + 11)
    }
  }
}
