import Basics
import Encryption
import Messaging
import Testing

@testable import MessagingClient

/// An endpoint at a ``FakeService``: a machine with a store in memory.
final class TestEndpoint {
  let service: FakeService
  private let name: UInt64
  var machine: MessengerMachine
  /// The records of the local store.
  private(set) var stored: [String: [[UInt8]]] = [:]
  private(set) var events: [MessengerEvent] = []
  private var replies: [Int: Result<MessengerReply, MessengerError>] = [:]
  private var nextCommand = 1
  private var nextLink = 1
  /// The connection; nil for none.
  private(set) var link: Int?
  var isOnline = true
  /// How far this endpoint's time of day is off.
  var clockError = TimeSpan.zero

  // The service's part.
  var user: String?
  var id: EndpointID?
  var hello: EndpointMessage.Hello?
  var acknowledged = EventNumber(0)
  var isWelcome = false

  init(_ service: FakeService, instance: UInt64) {
    self.service = service
    name = instance
    machine = MessengerMachine(domain: FakeService.domain, description: EndpointDescription(), instance: instance)
    service.add(self)
  }

  /// An endpoint that is set up in a service without key management.
  convenience init(_ service: FakeService, user: String, instance: UInt64) throws {
    self.init(service, instance: instance)
    start()
    give(user)
    machine.profileKeysSynced(now: service.now, time: time)
    service.run()
    try #require(state == .success)
  }

  var state: SetupState { machine.setup.status.state }
  var regId: RegID { machine.own }
  var time: MessageTime { MessageTime(milliseconds: service.time.milliseconds + clockError.milliseconds) }

  // MARK: The app

  func start() {
    machine.start(now: service.now, time: time)
    service.run()
  }

  func give(_ user: String, token: String = "token") {
    self.user = user
    machine.give(AuthToken(userId: user, token: token), now: service.now, time: time)
    service.run()
  }

  func give(passcode: String, _ action: SyncAction) {
    machine.give(passcode: Passcode(passcode), action, now: service.now, time: time)
    service.run()
  }

  @discardableResult func perform(_ command: MessengerCommand) throws -> MessengerReply {
    let id = nextCommand
    nextCommand += 1
    machine.perform(command, id, now: service.now, time: time)
    service.run()
    return try #require(replies[id]).get()
  }

  /// Makes a call whose reply may come later.
  func submit(_ command: MessengerCommand) {
    machine.perform(command, nextCommand, now: service.now, time: time)
    nextCommand += 1
    service.run()
  }

  func startChat(with others: [RegID], cookie: String, subject: String? = nil) throws -> ChatID {
    let draft = ChatDraft(invitees: others, isOneToOne: false, subject: subject, cookie: cookie)
    guard case .chat(let chat) = try perform(.startChat(draft)) else { throw MessengerError.failed }
    return chat.id
  }

  func say(_ text: String, in chat: ChatID, cookie: String? = nil) throws {
    let content = MessageContent(tag: "Text", text: text)
    try perform(.send(content, chat, cookie: cookie ?? "m\(name)-\(nextCommand)"))
  }

  func clearEvents() { events = [] }

  // MARK: Its state

  func texts(_ chat: ChatID) -> [String] {
    (machine.chats[chat]?.messages.sorted { $0.key < $1.key } ?? [])
      .filter { !$0.value.isDeleted }.compactMap { $0.value.content?.text }
  }

  func message(_ number: UInt64, _ chat: ChatID) -> Message? {
    guard let record = machine.chats[chat] else { return nil }
    return record.messages[MessageNumber(number)]?.message(in: record, own: regId)
  }

  var warnings: [SecurityWarning] {
    events.compactMap { event in
      guard case .warning(let warning) = event else { return nil }
      return warning
    }
  }

  /// The states that the setup went through, each once in a row.
  var states: [SetupState] {
    events.reduce(into: []) { states, event in
      if case .status(let status) = event, states.last != status.state { states.append(status.state) }
    }
  }

  // MARK: Network

  func lose() {
    guard link != nil else { return }
    link = nil
    isWelcome = false
    machine.closed(now: service.now, time: time)
  }

  /// Another run of the app: what the local store has, and nothing else.
  func restart(instance: UInt64) {
    link = nil
    isWelcome = false
    machine = MessengerMachine(domain: FakeService.domain, description: EndpointDescription(), instance: instance)
    machine.load(identity: stored["identity"]?.last, pins: stored["pins"]?.last, outbox: stored["outbox"]?.last)
    for name in stored.keys.sorted() where name.hasPrefix("chat-") {
      if let chat = stored[name]?.last {
        machine.load(chat: chat, log: stored["log-" + name.dropFirst("chat-".count)] ?? [])
      }
    }
    machine.announceLoaded()
    start()
  }

  /// Carries out what the machine asks for. False when there was nothing.
  func pump() -> Bool {
    var isBusy = false
    for effect in machine.takeEffects() {
      isBusy = true
      switch effect {
      case .connect: connect()
      case .disconnect:
        link = nil
        isWelcome = false
      case .send(let message): if link != nil { service.receive(message, from: self) }
      case .derive(let job, let passcode, let parameters):
        let result = Result { () throws(VaultError) in
          try VaultCredentials(passcode: passcode, parameters: parameters)
        }
        machine.derived(result, job: job, now: service.now, time: time)
      case .store(let changes): store(changes)
      case .wipe: stored = [:]
      case .notify(let event): events.append(event)
      case .reply(let id, let result): replies[id] = result
      }
    }
    return isBusy
  }

  private func connect() {
    guard isOnline else { return machine.closed(now: service.now, time: time) }
    link = nextLink
    nextLink += 1
    machine.opened(now: service.now, time: time)
  }

  private func store(_ changes: [StoreChange]) {
    for change in changes {
      switch change {
      case .put(let name, let record): stored[name] = [record]
      case .append(let name, let record): stored[name, default: []].append(record)
      case .replace(let name, let records): stored[name] = records
      case .remove(let name): stored[name] = nil
      }
    }
  }
}
