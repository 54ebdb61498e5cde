import FoundationEssentials
import Meetings
import Synchronization
import Transport

/// The parts of a server that exist once, wired together from its configuration. None of them listens yet.
struct ServerParts: Sendable {
  /// Whether joins are accepted.
  final class Readiness: Sendable {
    let isReady = Atomic(false)
  }

  let configuration: ServerConfiguration
  let settings: LiveSettings
  let files: StaticFiles
  /// The origin that the operator has named.
  let publicOrigin: WebOrigin?
  let media: any MediaPlane
  let log: Log

  let store: any MeetingStore
  let counters = ServerCounters()
  let operation: Operation
  let running: RoomJournalWriter
  let chatFiles: ChatFileStore
  let passcodes = PasscodeGuard()
  let authority: JoinAuthority
  let vault: Vault
  let directory: MeetingDirectory
  let readiness = Readiness()
  let endpoints: Endpoints
  let signaling: SignalingService
  let mailboxes: MailboxHub
  let messaging: MessagingService

  init(
    _ configuration: ServerConfiguration, store: any MeetingStore, files: StaticFiles, publicOrigin: WebOrigin?,
    media: any MediaPlane, log: Log
  ) {
    self.configuration = configuration
    self.store = store
    self.files = files
    self.publicOrigin = publicOrigin
    self.media = media
    self.log = log
    settings = LiveSettings(configuration)
    operation = Operation(
      store: store, settings: configuration.webhooks, addressRate: configuration.addressRate,
      addressWriteRate: configuration.addressWriteRate, limits: counters.limits, log: log)
    running = RoomJournalWriter(store: store, log: log, events: operation.events)
    chatFiles = ChatFileStore(data: configuration.dataFolder, limits: configuration.chatFiles)
    let gate = RequestLimits(tokenRate: configuration.tokenRate, counters: counters.limits).gate
    authority = JoinAuthority(store: store, isDevelopment: configuration.isDevelopment, gate: gate) { problem in
      log.info("token.refused", ["reason": problem])
    }
    let pepper = configuration.vaultPepper ?? configuration.dataFolder + "/" + VaultPepper.fileName
    vault = Vault(store: store, pepper: VaultPepper(path: pepper)) { [counters] in counters.vaultEvents[$0]?.add(1) }
    directory = Self.directory(
      configuration, store, settings, media, counters, operation, running, chatFiles, authority, log)
    running.expectTakeOver()
    let projects = ProjectAuthority(store: store, gate: gate)
    let anonymousJoin = AnonymousJoin(
      store: store, authority: authority, meetingLifetime: configuration.meetingLifetime,
      opensRooms: configuration.openRooms)
    let providers = { ProviderClient(report: { log.warning("provider.silent", ["reason": $0.reason]) }) }
    let signIn = SignInEndpoints(
      store: store, anonymousJoin: anonymousJoin, client: providers(), counters: counters, log: log)
    let attachments = AttachmentFiles(data: configuration.dataFolder)
    let meetings = CallMeetings(store: store, authority: authority)
    mailboxes = MailboxHub(
      store: store, log: log, attachments: attachments,
      push: PushNotifier(store: store, allowedHosts: configuration.webhooks.allowedHosts, log: log),
      meetings: meetings)
    let authenticator = DomainAuthenticator(client: providers(), log: log)
    messaging = MessagingService(
      hub: mailboxes, store: store, authenticator: authenticator,
      vaults: EndpointVaults(vault: vault, log: log), meetings: meetings, limits: operation.limits, log: log)
    endpoints = Endpoints(
      application: TrustedApplication(anonymousJoin: anonymousJoin, store: store, counters: counters),
      discovery: Discovery(
        anonymousJoin: anonymousJoin, counters: counters, iceServers: { [settings] in settings.current.iceServers },
        linkDevices: configuration.linkDevices, encryption: configuration.encryption),
      signIn: signIn,
      files: files,
      openTok: OpenTokAPI(
        authority: projects, directory: directory, store: store, isDevelopment: configuration.isDevelopment,
        counters: counters, log: log),
      planning: PlanningAPI(
        anonymousJoin: anonymousJoin, projects: projects, directory: directory, passcodes: passcodes, store: store,
        counters: counters, log: log, limits: operation.limits, encryption: configuration.encryption),
      storeCheck: StoreCheck { () async throws(MeetingStoreError) in try await store.check() },
      publicOrigin: publicOrigin, isReady: { [readiness] in readiness.isReady.load(ordering: .relaxed) },
      counters: counters, log: log, limits: operation.limits,
      chat: ChatEndpoints(directory: directory, files: chatFiles, counters: counters, log: log),
      vault: VaultEndpoints(vault: vault, authority: authority, signIn: signIn, log: log),
      messaging: MessagingEndpoints(hub: mailboxes, store: store, files: attachments, log: log),
      keyRecords: KeyRecordEndpoints(
        store: store, authenticator: authenticator, counters: mailboxes.counters, log: log))
    signaling = SignalingService(
      authority: authority, directory: directory, store: store, counters: counters, log: log,
      tokens: operation.tokens, passcodes: passcodes, limits: operation.limits,
      addressBans: AddressBans(configuration))
  }

  /// The directory of the meetings that run.
  private static func directory(
    _ configuration: ServerConfiguration, _ store: any MeetingStore, _ settings: LiveSettings,
    _ media: any MediaPlane, _ counters: ServerCounters, _ operation: Operation, _ running: RoomJournalWriter,
    _ files: ChatFileStore, _ authority: JoinAuthority, _ log: Log
  ) -> MeetingDirectory {
    MeetingDirectory(
      media: media,
      limits: .init(
        resumeWindow: .nanoseconds(configuration.resumeWindow.nanoseconds),
        participants: configuration.maximumParticipants,
        maximumSlots: (audio: configuration.audioLoudest, video: 48),
        lobbyPatience: .nanoseconds(configuration.lobbyPatience.nanoseconds),
        typingPatience: configuration.typingPatience, tokens: configuration.tokens,
        rates: .init(
          sender: configuration.senderRate, meeting: configuration.meetingRate, data: configuration.meetingDataRate),
        encryption: configuration.encryption),
      counters: counters, log: log, events: operation.events, files: files,
      iceServers: { settings.current.iceServers },
      running: running,
      current: { admission, address throws(JoinRefusal) in
        try await authority.current(admission, address: address, now: Date())
      },
      refreshed: { admission in
        do {
          let fresh = try await authority.refreshed(admission, now: Date())
          return fresh.map { RefreshedToken(token: $0.token, expires: $0.expires) }
        } catch {
          log.error("token.notRefreshed", ["meeting": admission.meeting.id, "reason": error])
          return nil
        }
      },
      decided: { meeting, isEncrypted throws(MeetingStoreError) in
        try await store.decideEncryption(of: meeting, isEncrypted)
      }
    ) { grant, meeting, address in
      do {
        try await authority.ban(grant, from: meeting, address: address, now: Date())
        return true
      } catch {
        log.error("ban.notKept", ["meeting": meeting.id, "reason": error])
        return false
      }
    }
  }

  /// The endpoints of the administration port.
  func adminEndpoints() -> AdminEndpoints {
    let gate = AdminGate(
      token: { [settings] in settings.current.adminToken }, isLoopback: configuration.adminHost.isLoopback,
      publicOrigin: publicOrigin,
      attempts: AdminAttempts(perMinute: configuration.adminAttempts, counters: counters.limits))
    return AdminEndpoints(
      counters: counters, directory: directory, mailboxes: mailboxes, media: media,
      isReady: { [readiness] in readiness.isReady.load(ordering: .relaxed) }, api: api(gate),
      pages: AdminPages(files: files))
  }

  /// The endpoints for commands of this machine.
  func controlEndpoints() -> ControlEndpoints {
    ControlEndpoints(api: api(AdminGate(token: { nil }, isLoopback: true, publicOrigin: nil, isForCommands: true)))
  }

  private func api(_ gate: AdminGate) -> AdminAPI {
    operation.api(
      gate, directory: directory, mailboxes: mailboxes, authority: authority, passcodes: passcodes,
      encryption: configuration.encryption)
  }
}
