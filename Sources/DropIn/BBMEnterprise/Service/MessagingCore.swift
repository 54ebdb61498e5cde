import Basics
import Foundation
import Messaging
import MessagingClient

/// The core over Parley's messaging client: translates its events to messages of the SDK, and those of the app to its
/// calls.
@MainActor final class MessagingCore: ServiceCore {
  var deliver: (([String: Any]) -> Void)?
  var connectivityChanged: ((_ connected: Bool, _ strict: Bool) -> Void)?
  var callChanged: ((CallEvent) -> Void)?

  var messenger: Messenger?
  var signaling: (any CallSignaling)? { messenger }
  /// The folder of the domain.
  var folder: URL?
  var status = SetupStatus()
  var chats: [ChatID: ChatMirror] = [:]
  /// The users that the service has named.
  var users: [RegID: IdentityInfo] = [:]
  var isSyncing = false
  var downloadsFiles = true
  private var typing: [String: Task<Void, Never>] = [:]
  private var globals: [String: Any] = [:]
  private var reader: Task<Void, Never>?
  /// The last of the calls that have to come one after the other.
  private var tail: Task<Void, Never>?
  private var domain: String?
  /// Until the client has said that everything is gone, its events are those of before.
  private var isWiping = false
  private var outgoing: [[String: Any]] = []
  private let unanswered = UnansweredRequests()

  init() {}

  var own: RegID? { status.regId }

  // MARK: starting and stopping

  func start(domain: String, environment: BBMConfigEnvironment, completion: @escaping @MainActor (Bool) -> Void) {
    if domain != self.domain {
      guard let messenger = open(domain) else { return completion(false) }
      self.messenger = messenger
      self.domain = domain
      reader?.cancel()
      reader = Task { [weak self, events = messenger.events] in
        for await event in events { self?.receive(event) }
      }
    }
    run { [weak self] in
      await self?.messenger?.start()
      completion(true)
    }
  }

  private func open(_ domain: String) -> Messenger? {
    guard DomainID.accepts(domain) else {
      report("The domain \(domain.prefix(80)) is none: an id as `parley domain create` prints it is expected.")
      return nil
    }
    let folder = AppFolder.url.appendingPathComponent(domain)
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let store = try FileStore(folder: folder.path)
      self.folder = folder
      let device = EndpointDescription(description: "BBMEnterprise", nickname: ProcessInfo.processInfo.hostName)
      var options = Messenger.Options(server: ParleyServer.url, domain: DomainID(domain), description: device)
      options.trustsAnyCertificate = ParleyServer.trustsAnyCertificate
      // After a forgotten passcode a user has other keys, and apps have no call that accepts them: they hear of it.
      options.acceptsChangedKeys = true
      return Messenger(options, store: store)
    } catch {
      report("The data folder \(folder.path) cannot be used: \(error)")
      return nil
    }
  }

  func report(_ text: String) { FileHandle.standardError.write(Data("BBMEnterprise: \(text)\n".utf8)) }

  func stop(completion: @escaping @MainActor () -> Void) {
    // The model asks for everything again at the next start.
    unanswered.removeAll()
    run { [weak self] in
      await self?.messenger?.stop()
      // The next start need not wait for calls that are being left.
      Task {
        await CallSession.allLeft()
        completion()
      }
    }
  }

  func wipe() {
    chats = [:]
    users = [:]
    globals = [:]
    outgoing = []
    status = SetupStatus()
    isWiping = messenger != nil
    unanswered.removeAll()
    for each in typing.values { each.cancel() }
    typing = [:]
    if let folder { try? FileManager.default.removeItem(at: folder.appendingPathComponent("files")) }
    run { [weak self] in await self?.messenger?.reset() }
  }

  /// Runs calls one after the other.
  func run(_ body: @escaping @MainActor () async -> Void) {
    let earlier = tail
    tail = Task {
      await earlier?.value
      await body()
    }
  }

  /// Runs a call after those that set the order, without keeping others waiting.
  func ask(_ body: @escaping @MainActor (Messenger) async -> Void) {
    let earlier = tail
    Task { [weak self] in
      await earlier?.value
      if let messenger = self?.messenger { await body(messenger) }
    }
  }

  // MARK: what the service could not answer

  /// Asks again once the service can be asked.
  func postpone(_ request: ListRequest) {
    guard !isWiping else { return }
    unanswered.add(request)
    if canAsk { unanswered.later { [weak self] in self?.askAgain() } }
  }

  private var canAsk: Bool { status.isConnected && status.state == .success }

  private func askAgain() { for request in unanswered.removeAll() { answerList(request) } }

  // MARK: giving

  /// Gives a message to the app, after the present turn and in order: nobody gets answers while asking.
  func give(_ name: String, _ body: [String: Any]) {
    outgoing.append([name: body])
    if outgoing.count == 1 { Task { [weak self] in self?.flush() } }
  }

  private func flush() {
    // The app may add more with each, or drop the rest.
    while !outgoing.isEmpty { deliver?(outgoing.removeFirst()) }
  }

  func give(_ name: String, _ type: String, _ elements: [[String: Any]], cookie: String? = nil) {
    guard !elements.isEmpty else { return }
    var body: [String: Any] = ["type": type, "elements": elements]
    body["cookie"] = cookie
    give(name, body)
  }

  // MARK: events of the client

  func receive(_ event: MessengerEvent) {
    if isWiping {
      if case .wiped = event { isWiping = false }
      return
    }
    switch event {
    case .status(let status): take(status)
    case .syncFailed(let error):
      var body = ["error": WireNames.error(error)]
      body["detail"] = WireNames.detail(error)
      give("syncError", body)
    case .setupFailed(let failure): give("setupError", ["error": failure.code.rawValue, "message": failure.message])
    case .deregistered:
      unanswered.removeAll()
      chats = [:]
      users = [:]
      globals = [:]
      give("endpointDeregistered", [:])
    case .wiped: break
    case .syncing(let isSyncing):
      self.isSyncing = isSyncing
      giveGlobals()
      connectivityChanged?(status.isConnected, status.isConnected && !isSyncing)
    case .chatAdded(let chat): take(chat)
    case .chatChanged(let chat): take(chat)
    case .chatRemoved(let id): remove(id)
    case .messageAdded(let message), .messageChanged(let message): take(message)
    case .messageDeleted(let chat, let number):
      chats[chat]?.remove(number)
      give("listRemove", "chatMessage", [["chatId": chat.text, "messageId": "\(number.value)"]])
    case .fileProgress(let progress): take(progress)
    case .typing(let chat, let id, let tag): showTyping(chat, id, tag)
    case .chatEvent(let chat, let id, let tag, let data):
      var body: [String: Any] = ["chatId": chat.text, "userUri": WireNames.uri(id, own: own), "tag": tag]
      body["data"] = WireNames.object(data)
      give("chatEvent", body)
    case .call(let event): callChanged?(event)
    case .endpointsChanged: break
    case .warning(let warning): give("securityWarning", WireNames.fields(warning))
    case .storeFailed: report("What came cannot be stored. The server keeps it until it can.")
    }
  }

  private func take(_ new: SetupStatus) {
    let old = status
    let couldAsk = canAsk
    status = new
    if canAsk, !couldAsk { askAgain() }
    // The user first: with the state that follows, apps ask for its number.
    if new.regId != old.regId, let regId = new.regId {
      var user: [String: Any] = ["uri": BBMDSGeneratedModel.localUri, "regId": "\(regId.value)", "keyState": "Synced"]
      user["pin"] = new.pin
      give("listAdd", "user", [user])
      // Their senders and flags depend on it.
      for id in chats.keys.sorted(by: { $0.text < $1.text }) {
        if let chat = chats[id]?.chat { take(chat) }
        giveMessages(id, around: nil, all: true)
      }
    }
    giveGlobals()
    if new.isConnected != old.isConnected {
      connectivityChanged?(new.isConnected, new.isConnected && !isSyncing)
    }
  }

  /// Gives the globals that are other ones now.
  func giveGlobals() {
    let now = globalElements()
    let changed = now.filter { !FieldValue.isSame($0["value"], globals[$0["name"] as? String ?? ""]) }
    for each in now { globals[each["name"] as? String ?? ""] = each["value"] }
    give("listAdd", "global", changed)
  }

  func globalElements() -> [[String: Any]] {
    var setup: [String: Any] = ["state": WireNames.capitalized(status.state.rawValue)]
    if status.progress != .none { setup["progressMessage"] = WireNames.capitalized(status.progress.rawValue) }
    // The token's state before the setup's, which apps read together.
    var values: [(String, Any)] = [
      ("authTokenState", WireNames.capitalized(status.authToken.rawValue)),
      ("syncPasscodeState", WireNames.capitalized(status.syncPasscode.rawValue)),
      ("profileKeysState", WireNames.capitalized(status.profileKeys.rawValue)),
      ("setupAccount", WireNames.capitalized(status.account.rawValue)), ("syncing", isSyncing),
      ("chatMessageFileAutoDownload", downloadsFiles), ("setupState", setup),
    ]
    if status.regId != nil { values.append(("localUri", BBMDSGeneratedModel.localUri)) }
    if let pin = status.pin { values.append(("localPin", pin)) }
    if let endpoint = status.endpoint { values.append(("endpointId", endpoint.text)) }
    if let token = status.registrationToken { values.append(("registrationToken", token)) }
    return values.map { ["name": $0, "value": $1] }
  }

  // MARK: chats and messages

  func take(_ chat: Chat) {
    let isNew = chats[chat.id] == nil
    var mirror = chats[chat.id] ?? ChatMirror(chat)
    if isNew, let local = readLocal(chat.id) { mirror.local = local }
    mirror.chat = chat
    let people = mirror.peopleChanges(own: own)
    chats[chat.id] = mirror
    give(isNew ? "listAdd" : "listChange", "chat", [mirror.element(own: own)])
    give("listAdd", "chatParticipant", people.changed)
    give("listRemove", "chatParticipant", people.gone)
  }

  private func remove(_ id: ChatID) {
    guard let mirror = chats.removeValue(forKey: id) else { return }
    writeLocal(id, nil)
    give("listRemove", "chatParticipant", mirror.people(own: own))
    give("listRemove", "chat", [["chatId": id.text]])
  }

  private func take(_ message: Message) {
    guard var mirror = chats[message.chat] else { return }
    let isNew = mirror.message(cookie: message.cookie) == nil
    if isNew { mirror.local.isHidden = false }
    mirror.put(message)
    keepThumb(message, &mirror)
    chats[message.chat] = mirror
    giveMessages(message.chat, around: message)
    if isNew, message.isIncoming, downloadsFiles, message.content.file != nil { download(message) }
  }

  /// Gives the messages of a chat that are other ones now, and the chat behind them.
  func giveMessages(_ id: ChatID, around message: Message?, all: Bool = false) {
    guard let changes = chats[id]?.messageChanges(around: message, all: all, own: own) else { return }
    give("listAdd", "chatMessage", changes.added)
    give("listChange", "chatMessage", changes.changed)
    give("listRemove", "chatMessage", changes.gone)
    if let element = chats[id]?.element(own: own) { give("listChange", "chat", [element]) }
  }

  private func showTyping(_ chat: ChatID, _ id: RegID, _ tag: String?) {
    let uri = WireNames.uri(id, own: own)
    let name = chat.text + "|" + uri
    typing[name]?.cancel()
    var element: [String: Any] = ["chatId": chat.text, "userUri": uri]
    element["tag"] = tag
    give("listAdd", "typing", [element])
    typing[name] = Task { [weak self] in
      // Nobody says that they have stopped.
      try? await Task.sleep(nanoseconds: 8_000_000_000)
      guard !Task.isCancelled, let self else { return }
      typing[name] = nil
      give("listRemove", "typing", [element])
    }
  }

  func typingElements() -> [[String: Any]] {
    typing.keys.sorted().map { name in
      let parts = name.split(separator: "|", maxSplits: 1).map(String.init)
      return ["chatId": parts.first ?? "", "userUri": parts.last ?? ""]
    }
  }
}
