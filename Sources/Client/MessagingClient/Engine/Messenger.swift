import Basics
package import Messaging

/// The client of the messaging service: one endpoint of one identity. It keeps the connection, the keys, the chats and
/// the queue of what is to be sent, over restarts.
///
/// ```swift
/// let messenger = Messenger(.init(server: "https://meet.example", domain: domain), store: FileStore(folder: folder))
/// Task { for await event in messenger.events { … } }
/// await messenger.give(AuthToken(userId: "ann", token: token))
/// await messenger.start()
/// ```
package actor Messenger {
  package struct Options: Sendable {
    /// `http://host[:port]` or `https://…`.
    package var server: String
    package var domain: DomainID
    package var description: EndpointDescription
    package var trustsAnyCertificate = false
    /// Whether other keys of an identity are used as soon as they come. They are reported either way.
    package var acceptsChangedKeys = false

    package init(server: String, domain: DomainID, description: EndpointDescription = EndpointDescription()) {
      self.server = server
      self.domain = domain
      self.description = description
    }
  }

  let options: Options
  let store: any LocalStore
  let network: any MessagingNetwork
  /// The files that are being downloaded.
  var downloads: Set<String> = []
  /// The news, in order; for one reader.
  package nonisolated let events: AsyncStream<MessengerEvent>
  let eventContinuation: AsyncStream<MessengerEvent>.Continuation
  var machine: MessengerMachine
  var runner = EffectRunner()
  private var loading: Task<Void, Never>?

  package init(_ options: Options, store: any LocalStore) {
    self.init(
      options, store: store, network: ServiceNetwork(server: options.server, trustsAny: options.trustsAnyCertificate))
  }

  /// A messenger over a network of the caller's, for tests.
  package init(_ options: Options, store: any LocalStore, network: any MessagingNetwork) {
    self.options = options
    self.store = store
    self.network = network
    (events, eventContinuation) = AsyncStream.makeStream()
    machine = MessengerMachine(
      domain: options.domain, description: options.description, acceptsChangedKeys: options.acceptsChangedKeys,
      instance: .random(in: .min ... .max))
  }

  // MARK: Setup

  /// How far the setup is.
  package var status: SetupStatus { machine.setup.status }

  /// Starts the service with what an earlier run has stored. A token that came before is used now.
  package func start() async {
    await load()
    input { $0.start(now: $1, time: $2) }
  }

  /// Ends the connection; what is stored stays, and a start goes on with it.
  package func stop() async {
    input { $0.stop(now: $1, time: $2) }
    await runner.finished()
  }

  /// Wipes what is stored here. A started messenger goes on as a new installation.
  package func reset() async {
    input { $0.reset(now: $1, time: $2) }
    await runner.finished()
  }

  /// A token of the identity provider, also later when ``SetupStatus/authToken`` is `needed`.
  package func give(_ token: AuthToken) { input { $0.give(token, now: $1, time: $2) } }

  /// The passcode of the vault, while the state is ``SetupState/syncRequired``.
  package func give(passcode: Passcode, _ action: SyncAction) {
    input { $0.give(passcode: passcode, action, now: $1, time: $2) }
  }

  /// Goes on after ``SetupState/full`` or ``SetupState/deviceSwitchRequired``.
  package func retrySetup() { input { $0.retrySetup(now: $1, time: $2) } }

  /// Connects now, if it waits to: the app came to the foreground.
  package func retryNow() { input { $0.retryNow(now: $1, time: $2) } }

  /// Sets what other endpoints see of this one.
  package func describe(_ description: EndpointDescription) async {
    machine.setup.description = description
    guard machine.setup.status.isConnected else { return }
    _ = try? await perform(
      .request(.endpointUpdate(description: description.description, nickname: description.nickname)))
  }

  /// Seals the vault under another passcode. The caller has made sure that it is the user.
  package func changePasscode(_ passcode: Passcode) async throws(MessengerError) {
    _ = try await perform(.changePasscode(passcode))
  }

  /// Without key management: the identity's keys, made if there are none.
  package func exportProfileKeys() async throws(MessengerError) -> ProfileKeys {
    guard case .profileKeys(let keys) = try await perform(.exportProfileKeys) else { throw .failed }
    return keys
  }

  /// Without key management: keys that the app had stored.
  package func importProfileKeys(_ keys: ProfileKeys) async throws(MessengerError) {
    _ = try await perform(.importProfileKeys(keys))
  }

  /// Without key management: the app has stored the keys. Without keys, they are made.
  package func profileKeysSynced() { input { $0.profileKeysSynced(now: $1, time: $2) } }

  /// Loads what an earlier run has stored, once.
  private func load() async {
    if loading == nil {
      loading = Task {
        let names = await MessengerMachine.names(in: store)
        machine.load(identity: names.identity, pins: names.pins, outbox: names.outbox)
        for name in names.chats {
          guard let chat = await MessengerMachine.chat(name, in: store) else { continue }
          machine.load(chat: chat.chat, log: chat.log)
        }
        runner.storedEvent = machine.identity.acknowledged
        machine.announceLoaded()
      }
    }
    await loading?.value
  }
}
