import Basics
import Foundation
import Meetings
import Messaging
import Signaling
import Synchronization
import TestSupport
import Testing
import Transport

@testable import MeetingServer

/// The limits of sockets, with the time in the test's hand.
@Suite("Limits of the messaging wire")
struct WireLimitTests {
  /// A socket whose endpoint says what is in its script. Then it leaves, or waits until it is closed.
  private final class ScriptedSocket: SignalingSocket {
    private let script: Mutex<[EndpointMessage]>
    private let leaves: Bool
    private let frames = Mutex<[ServiceMessage]>([])
    private let closed: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    init(_ script: [EndpointMessage], leaves: Bool = true) {
      self.script = Mutex(script)
      self.leaves = leaves
      (closed, end) = AsyncStream.makeStream()
    }

    func next() async -> SignalingFrame? {
      let message = script.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      if let message, let text = try? MessagingCoder().encode(message) { return .text(Array(text.utf8)) }
      if !leaves { for await _ in closed {} }
      return nil
    }

    func send(_ text: String) {
      guard let message = try? MessagingCoder().serviceMessage(from: Array(text.utf8)) else { return }
      frames.withLock { $0.append(message) }
    }

    func close(code: UInt16, reason: String) { end.finish() }

    var messages: [ServiceMessage] { frames.withLock { $0 } }

    var refused: MessagingFailure? {
      messages.compactMap { if case .refused(let failure) = $0 { failure } else { nil } }.last
    }

    var welcome: ServiceMessage.Welcome? {
      messages.compactMap { if case .welcome(let welcome) = $0 { welcome } else { nil } }.last
    }
  }

  /// A service with a store of its own, and a sandbox domain.
  private struct World {
    let store: any MeetingStore
    let service: MessagingService
    let domain: DomainID

    init(_ folder: String) async throws {
      let log = Log(level: .error) { _ in }
      store = try await MeetingStores.open(folder: folder)
      let tenant = try await store.defaultTenant(now: Date())
      let made = MessagingDomain(
        id: MessagingDomain.randomID(), tenant: tenant.id, name: tenant.name,
        settings: .init(environment: .sandbox, authentication: .disabled, hasKeyManagement: false), created: Date())
      domain = made.id
      try await store.mailboxes { try $0.insert(made) }
      let vault = Vault(store: store, pepper: VaultPepper(path: folder + "/" + VaultPepper.fileName)) { _ in }
      service = MessagingService(
        hub: MailboxHub(store: store, log: log), store: store,
        authenticator: DomainAuthenticator(client: ProviderClient(), log: log),
        vaults: EndpointVaults(vault: vault, log: log),
        meetings: CallMeetings(store: store, authority: JoinAuthority(store: store)),
        limits: AddressLimits(perSecond: nil, counters: OperationCounters()), log: log)
    }

    /// The socket after all that its endpoint says.
    func serve(
      _ script: [EndpointMessage], leaves: Bool = true, onlyResumes: Bool = false, helloTimeout: Duration? = nil,
      fullTimeout: Duration? = nil
    ) async -> ScriptedSocket {
      let socket = ScriptedSocket(script, leaves: leaves)
      var service = service
      service.helloTimeout = helloTimeout ?? service.helloTimeout
      service.fullTimeout = fullTimeout ?? service.fullTimeout
      await service.serve(socket, address: IPAddress(v4: 0x7F00_0001), onlyResumes: onlyResumes)
      return socket
    }
  }

  private func inWorld(_ body: (World) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("wire-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(try await World(folder))
  }

  @Test("threat 55: a socket that says nothing within helloSeconds is closed, no other")
  func helloSeconds() async throws {
    try await inWorld { world in
      #expect(world.service.helloTimeout == .seconds(MessagingLimits.helloSeconds))
      let hello = EndpointMessage.hello(TestServer.hello("ann", world.domain))
      #expect(await world.serve([hello]).welcome != nil)
      let silent = await world.serve([], leaves: false, helloTimeout: .zero)
      let refusal = try #require(silent.refused)
      #expect(refusal.code == .limitReached && refusal.message.contains("(helloSeconds)"))
    }
  }

  @Test("threat 55: the server's last connections let in only endpoints that resume")
  func onlyResumes() async throws {
    try await inWorld { world in
      let hello = EndpointMessage.hello(TestServer.hello("ann", world.domain))
      let first = try #require(await world.serve([hello]).welcome)
      let refusal = try #require(await world.serve([hello], onlyResumes: true).refused)
      #expect(refusal.code == .unavailable && refusal.message.contains("(connections)") && refusal.retryAfter != nil)
      let resume = EndpointMessage.resume(
        .init(domain: world.domain, endpoint: first.endpoint, secret: first.secret ?? "", acknowledged: .init(0)))
      #expect(await world.serve([resume], onlyResumes: true).welcome?.endpoint == first.endpoint)
    }
  }

  @Test("threat 55: an endpoint waits fullSeconds for a place of its identity")
  func fullSeconds() async throws {
    try await inWorld { world in
      let hello = EndpointMessage.hello(TestServer.hello("ann", world.domain))
      var first: ServiceMessage.Welcome?
      for _ in 0..<MessagingLimits.persistentEndpoints { first = await world.serve([hello]).welcome }
      let endpoint = try #require(first?.endpoint)
      #expect(world.service.fullTimeout == .seconds(MessagingLimits.fullSeconds))
      let waiting = await world.serve([hello], leaves: false, fullTimeout: .zero)
      let refusal = try #require(waiting.refused)
      #expect(refusal.code == .unavailable && refusal.message.contains("(fullSeconds)") && waiting.welcome == nil)
      let free = EndpointMessage.request(id: 1, .endpointDeregister(endpointId: endpoint))
      let fourth = await world.serve([hello, free, .request(id: 2, .setupRetry)])
      #expect(fourth.welcome != nil && fourth.refused == nil)
    }
  }

  @Test("threat 55: frames above maximumBytes and maximumServiceBytes are refused")
  func frames() throws {
    func frame(_ bytes: Int) throws -> [UInt8] {
      func text(_ count: Int) throws -> String {
        let cookie = String(repeating: "c", count: count)
        return try MessagingCoder().encode(
          EndpointMessage.request(id: 7, .messageSend(chatId: ChatID("c"), cookie: cookie, body: Sealed("AAAA"))))
      }
      return Array(try text(bytes - text(0).utf8.count).utf8)
    }
    var connection = EndpointConnection()
    connection.phase = .registered(
      MailboxCaller(domain: DomainID("d"), regId: RegID(1), endpoint: EndpointID("e")))
    let largest = try frame(MessagingLimits.maximumBytes)
    guard
      case .request(7, .messageSend, _, MessagingLimits.maximumBytes) = connection.receive(.text(largest), now: .zero)
    else { throw UnexpectedMessage(nil) }
    guard
      case .fail(_, let failure) = connection.receive(
        .text(try frame(MessagingLimits.maximumBytes + 1)), now: .zero)
    else { throw UnexpectedMessage(nil) }
    #expect(failure.code == .badRequest)
    // Before the first message, it ends the socket.
    var stranger = EndpointConnection()
    guard case .close = stranger.receive(.text(try frame(MessagingLimits.maximumBytes + 1)), now: .zero) else {
      throw UnexpectedMessage(nil)
    }
    let spaces = Array(repeating: UInt8(ascii: " "), count: MessagingLimits.maximumServiceBytes)
    let pong = Array(try MessagingCoder().encode(ServiceMessage.pong).utf8)
    #expect(throws: SignalingError.self) { try MessagingCoder().serviceMessage(from: pong + spaces) }
    #expect(try MessagingCoder().serviceMessage(from: pong + spaces.dropLast(pong.count)) == .pong)
  }

  @Test("empty frames are passed over before hello and after it, at the rate of others")
  func emptyFrames() {
    var connection = EndpointConnection()
    for count in 0..<MessagingLimits.frameBurst {
      guard case .ignore = connection.receive(.text([]), now: .zero) else {
        Issue.record("frame \(count) counted")
        return
      }
    }
    guard case .close(let failure) = connection.receive(.text([]), now: .zero) else {
      Issue.record("more than a burst passed")
      return
    }
    #expect(failure.code == .tooFast)
    connection = EndpointConnection()
    connection.phase = .registered(
      MailboxCaller(domain: DomainID("d"), regId: RegID(1), endpoint: EndpointID("e")))
    guard case .ignore = connection.receive(.text([]), now: .zero) else {
      Issue.record("an empty frame after hello counted")
      return
    }
  }

  @Test("threat 55: a socket has frameBurst frames at once, and framesPerSecond later")
  func rate() throws {
    var connection = EndpointConnection()
    let ping = SignalingFrame.text(Array(try MessagingCoder().encode(EndpointMessage.ping).utf8))
    let caller = MailboxCaller(domain: DomainID("d"), regId: RegID(1), endpoint: EndpointID("e"))
    connection.phase = .registered(caller)
    /// How many of more frames than are allowed pass.
    func passed(_ now: Instant) throws -> Int {
      for count in 0...2 * MessagingLimits.frameBurst {
        switch connection.receive(ping, now: now) {
        case .pong: continue
        case .close(let failure) where failure.code == .tooFast && failure.message.contains("(framesPerSecond)"):
          return count
        case let other: throw MessagingFailure(.unknown, "\(other)")
        }
      }
      return 0
    }
    #expect(try passed(.zero) == MessagingLimits.frameBurst)
    #expect(try passed(Instant.zero + .seconds(1)) == MessagingLimits.framesPerSecond)
  }

  /// A store that answers when it is let.
  private struct GatedStore: MailboxStore {
    let store: any MeetingStore
    let gate: Gate

    func mailboxes<Answer: Sendable>(
      _ body: @Sendable (any MailboxTransaction) throws -> Answer
    ) async throws -> Answer {
      await gate.pass()
      return try await store.mailboxes(body)
    }
  }

  private actor Gate {
    private var isOpen = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func pass() async {
      guard !isOpen else { return }
      await withCheckedContinuation { waiters.append($0) }
    }

    func open() {
      isOpen = true
      for waiter in waiters { waiter.resume() }
      waiters = []
    }
  }

  @Test(
    "threat 55: a socket has pendingRequests on their way to the disk; no other waits")
  func pendingRequests() async throws {
    try await inWorld { world in
      let gate = Gate()
      let hub = MailboxHub(store: GatedStore(store: world.store, gate: gate), log: Log(level: .error) { _ in })
      let caller = MailboxCaller(domain: world.domain, regId: RegID(1), endpoint: MailboxLogic.unregistered)
      let (slow, other) = (ScriptedSocket([]), ScriptedSocket([]))
      let (first, second) = (MessagingChannel(socket: slow), MessagingChannel(socket: other))
      let most = MessagingLimits.pendingRequests
      for id in 0..<most { await hub.apply(.endpointsGet, id: id, from: caller, first) }
      let late = Task { await hub.apply(.endpointsGet, id: most, from: caller, first) }
      // Returns at once: it has places of its own, although neither has an endpoint.
      await hub.apply(.endpointsGet, id: 0, from: caller, second)
      for _ in 0..<100 { await Task.yield() }
      #expect(await hub.counters.requests.current == UInt64(most + 1))
      await gate.open()
      await late.value
      try await hub.perform { _, _ in }
      try await hub.perform { _, _ in }
      #expect(slow.messages.count == most + 1 && other.messages.count == 1)
    }
  }

  @Test("every limit of MessagingLimits has a test that names it")
  func named() throws {
    let source = try Repository.text(of: "Sources/Stack/Messaging/MessagingLimits.swift")
    let names = source.matches(of: #/public static let (\w+) =/#).map { String($0.output.1) }.filter { $0 != "path" }
    #expect(names.count > 60)
    var text = ""
    for folder in ["MeetingsTests", "MeetingServerTests"].map({ "Tests/Server/\($0)/Messaging" }) {
      for file in try FileManager.default.contentsOfDirectory(atPath: Repository.file(folder).path) {
        text += try Repository.text(of: "\(folder)/\(file)")
      }
    }
    func words(after mark: String, before end: Character? = nil) -> Set<String> {
      Set(
        text.components(separatedBy: mark).dropFirst().compactMap { rest in
          let word = rest.prefix { $0.isLetter || $0.isNumber }
          return end == nil || rest.dropFirst(word.count).first == end ? String(word) : nil
        })
    }
    // In code, in a refusal, or as a name in a table.
    let tested = words(after: "MessagingLimits.")
      .union(words(after: "(", before: ")")).union(words(after: "\"", before: "\""))
    #expect(names.filter { !tested.contains($0) } == [])
  }
}
