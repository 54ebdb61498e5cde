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
  var typing: [String: Task<Void, Never>] = [:]
  /// Messages whose files did not come, by their cookies.
  var failedDownloads: [String: Message] = [:]
  var globals: [String: Any] = [:]
  private var reader: Task<Void, Never>?
  /// The last of the calls that have to come one after the other.
  private var tail: Task<Void, Never>?
  private var domain: String?
  /// Until the client has said that everything is gone, its events are those of before.
  var isWiping = false
  private var outgoing: [[String: Any]] = []
  let unanswered = UnansweredRequests()

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
    guard let parts = URLComponents(string: ParleyServer.url), parts.host?.isEmpty == false,
      ["http", "https"].contains(parts.scheme?.lowercased() ?? "")
    else {
      report("The server \(ParleyServer.url.prefix(200)) is none: http:// or https:// and a host are expected.")
      return nil
    }
    let folder = AppFolder.url.appendingPathComponent(domain)
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let store = try FileStore(folder: folder.path)
      self.folder = folder
      OpenedFileWriter.removeUnfinished(in: folder.appendingPathComponent("files").path)
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
    failedDownloads = [:]
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

  var canAsk: Bool { status.isConnected && status.state == .success }

  func askAgain() { for request in unanswered.removeAll() { answerList(request) } }

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
}
