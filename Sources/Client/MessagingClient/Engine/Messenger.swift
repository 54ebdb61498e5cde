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
  /// What happens; for one reader.
  package nonisolated let events: AsyncStream<MessengerEvent>
  let eventContinuation: AsyncStream<MessengerEvent>.Continuation

  package init(_ options: Options, store: any LocalStore) {
    self.options = options
    self.store = store
    (events, eventContinuation) = AsyncStream.makeStream()
  }

  // MARK: Setup

  /// How far the setup is.
  package var status: SetupStatus { SetupStatus() }

  /// Starts the service. A token that came before is used now.
  package func start() async {}

  /// Ends the connection; what is stored stays, and a start goes on with it.
  package func stop() async {}

  /// Wipes what is stored here. A started messenger goes on as a new installation.
  package func reset() async {}

  /// A token of the identity provider, also later when ``SetupStatus/authToken`` is `needed`.
  package func give(_ token: AuthToken) async {}

  /// The passcode of the vault, while the state is ``SetupState/syncRequired``.
  package func give(passcode: Passcode, _ action: SyncAction) async {}

  /// Goes on after ``SetupState/full`` or ``SetupState/deviceSwitchRequired``.
  package func retrySetup() async {}

  /// Connects now, if it waits to: the app came to the foreground.
  package func retryNow() async {}

  /// Sets what other endpoints see of this one.
  package func describe(_ description: EndpointDescription) async {}

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
  package func profileKeysSynced() async {}

  func perform(_ command: MessengerCommand) async throws(MessengerError) -> MessengerReply { throw .notReady }
}
