import FoundationEssentials
public import Basics
import Meetings
import Synchronization
import Transport

/// A running Parley server: pages, endpoints, signalling and the meetings' rooms, over a media plane.
///
/// ``start(_:media:program:log:)`` returns when joins are accepted; ``shutdown(grace:)`` tells every client, and frees
/// everything.
public final class Server: Sendable {
  /// What to print: the address on this machine, and one for other devices.
  public let ready: ReadyMessage
  /// What the operator must be told loudly: what is open to strangers, and how to close it.
  public let notices: [String]
  /// The port of pages and signalling.
  public let port: UInt16
  /// The administration port; nil when there is none.
  public let adminPort: UInt16?

  private let http: HTTPServer
  private let admin: HTTPServer?
  private let control: ControlDoor
  private let directory: MeetingDirectory
  let media: any MediaPlane
  private let store: any MeetingStore
  private let upkeep: [Task<Void, Never>]
  private let running: RunningBook
  private let writing: Task<Void, Never>
  private let operation: Operation
  private let readiness: Readiness
  let log: Log
  let settings: LiveSettings
  let files: StaticFiles
  let certificates: CertificateKeeper?

  /// Whether joins are accepted.
  private final class Readiness: Sendable {
    let isReady = Atomic(false)
  }

  private init(
    ready: ReadyMessage, notices: [String], port: UInt16, adminPort: UInt16?, http: HTTPServer, admin: HTTPServer?,
    control: ControlDoor, directory: MeetingDirectory, media: any MediaPlane, store: any MeetingStore,
    upkeep: [Task<Void, Never>], running: RunningBook, operation: Operation, readiness: Readiness, log: Log,
    settings: LiveSettings, files: StaticFiles, certificates: CertificateKeeper?
  ) {
    self.ready = ready
    self.notices = notices
    self.port = port
    self.adminPort = adminPort
    self.http = http
    self.admin = admin
    self.control = control
    self.directory = directory
    self.media = media
    self.store = store
    self.upkeep = upkeep
    self.running = running
    writing = Task { await running.run() }
    self.operation = operation
    self.readiness = readiness
    self.log = log
    self.settings = settings
    self.files = files
    self.certificates = certificates
  }

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - media: What carries the media; the server shuts it down with itself, also when it does not start.
  ///   - program: The path of the program, beside which the browser client is looked for.
  ///   - log: Where events go.
  public static func start(
    _ configuration: ServerConfiguration, media: any MediaPlane, program: String, log: Log
  ) async throws(ServerError) -> Server {
    do throws(ServerError) {
      return try await assemble(configuration, media: media, program: program, log: log)
    } catch {
      await media.shutdown()
      throw error
    }
  }

  private static func assemble(
    _ configuration: ServerConfiguration, media: any MediaPlane, program: String, log: Log
  ) async throws(ServerError) -> Server {
    let publicOrigin = try configuration.publicURL.map { text throws(ServerError) in
      guard let origin = WebOrigin(text), text.split(separator: "/").count == 2 else {
        throw ServerError.publicURL(text)
      }
      return origin
    }
    let files: StaticFiles
    do throws(StaticFiles.NotFound) {
      files = try StaticFiles(folder: configuration.webFolder, program: program)
    } catch {
      throw .web(error.description)
    }
    let store: any MeetingStore
    let isFirst: Bool
    do throws(MeetingStoreError) {
      store = try await MeetingStores.open(folder: configuration.dataFolder)
      isFirst = try await store.knownDefaultTenant() == nil
      let most = configuration.maximumStoredMeetings
      await store.setDefaultLimit(storedMeetings: most > 0 ? most : nil)
    } catch {
      throw .store(error.description)
    }

    let settings = LiveSettings(configuration)
    let counters = ServerCounters()
    let operation = Operation(
      store: store, settings: configuration.webhooks, addressRate: configuration.addressRate,
      addressWriteRate: configuration.addressWriteRate, limits: counters.limits, log: log)
    let gate = RequestLimits(tokenRate: configuration.tokenRate, counters: counters.limits).gate
    let readiness = Readiness()
    let passcodes = PasscodeGuard()
    let authority = JoinAuthority(store: store, isDevelopment: configuration.isDevelopment, gate: gate) { problem in
      log.info("token.refused", ["reason": problem])
    }
    let desk = AnonymousJoin(
      store: store, authority: authority, meetingLifetime: configuration.meetingLifetime,
      opensRooms: configuration.openRooms)
    let chatFiles = ChatFileStore(data: configuration.dataFolder, limits: configuration.chatFiles)
    let running = RunningBook(store: store, log: log, events: operation.events)
    let directory = MeetingDirectory(
      media: media,
      limits: .init(
        resumeWindow: .nanoseconds(configuration.resumeWindow.nanoseconds),
        participants: configuration.maximumParticipants,
        maximumSlots: (audio: configuration.audioLoudest, video: 48),
        lobbyPatience: .nanoseconds(configuration.lobbyPatience.nanoseconds),
        typingPatience: configuration.typingPatience, tokens: configuration.tokens,
        rates: .init(
          sender: configuration.senderRate, meeting: configuration.meetingRate, data: configuration.meetingDataRate)),
      counters: counters, log: log, events: operation.events, files: chatFiles,
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
    let signIn = SignInEndpoints(
      store: store, desk: desk, client: ProviderClient(), counters: counters, log: log)
    running.expectTakeOver()
    let endpoints = Endpoints(
      application: ServiceApplication(desk: desk, store: store, counters: counters),
      discovery: Discovery(
        desk: desk, counters: counters, iceServers: { settings.current.iceServers },
        linkDevices: configuration.linkDevices),
      signIn: signIn,
      files: files,
      openTok: OpenTokAPI(
        authority: ProjectAuthority(store: store, gate: gate), directory: directory, store: store,
        isDevelopment: configuration.isDevelopment, counters: counters, log: log),
      planning: PlanningAPI(
        desk: desk, projects: ProjectAuthority(store: store, gate: gate), directory: directory, passcodes: passcodes,
        store: store, counters: counters, log: log, limits: operation.limits),
      storeCheck: StoreCheck { () async throws(MeetingStoreError) in try await store.check() },
      publicOrigin: publicOrigin,
      isReady: { readiness.isReady.load(ordering: .relaxed) }, counters: counters, log: log, limits: operation.limits,
      chat: ChatEndpoints(directory: directory, files: chatFiles, counters: counters, log: log))
    let signaling = SignalingService(
      authority: authority, directory: directory, store: store, counters: counters, log: log, tokens: operation.tokens,
      passcodes: passcodes, limits: operation.limits, addressBans: AddressBans(configuration))

    do throws(ServerError) {
      let http = try makePublic(configuration, endpoints, signaling)
      let port: UInt16
      do throws(ServerError) {
        port = try listen(http, configuration)
      } catch {
        await http.shutdown(grace: .zero)
        throw error
      }
      let admin: (HTTPServer, UInt16)?
      do throws(ServerError) {
        admin = try await makeAdmin(
          configuration,
          AdminEndpoints(
            counters: counters, directory: directory, media: media,
            isReady: { readiness.isReady.load(ordering: .relaxed) },
            api: operation.api(
              AdminGate(
                token: { settings.current.adminToken }, isLoopback: configuration.adminHost.isLoopback,
                publicOrigin: publicOrigin,
                attempts: AdminAttempts(perMinute: configuration.adminAttempts, counters: counters.limits)),
              directory: directory, authority: authority, passcodes: passcodes),
            pages: AdminPages(files: files)))
      } catch {
        await http.shutdown(grace: .zero)
        throw error
      }
      // Only now: a start that fails must not begin the time for which what was left holds.
      do throws(MeetingStoreError) {
        try await running.takeOver(chatFiles)
      } catch {
        await http.shutdown(grace: .zero)
        await admin?.0.shutdown(grace: .zero)
        throw ServerError.store(error.description)
      }
      let commands = ControlEndpoints(
        api: operation.api(
          AdminGate(token: { nil }, isLoopback: true, publicOrigin: nil, isForCommands: true), directory: directory,
          authority: authority, passcodes: passcodes))
      let control = await ControlDoor.open(folder: configuration.dataFolder, log: log) {
        await commands.respond(to: $0)
      }
      let certificates = keeper(configuration, http, log)
      await operation.start()
      readiness.isReady.store(true, ordering: .relaxed)
      log.info("listening", ["port": port, "adminPort": admin.map { String($0.1) } ?? "none"])
      return Server(
        ready: message(configuration, port: port),
        notices: StartNotices.notices(configuration, isFirst: isFirst), port: port, adminPort: admin?.1, http: http,
        admin: admin?.0, control: control,
        directory: directory, media: media, store: store,
        upkeep: [
          keepUp(store, directory, log), keepUp(running, directory, chatFiles),
          Task { if let certificates { await certificates.run() } },
        ],
        running: running, operation: operation, readiness: readiness, log: log, settings: settings, files: files,
        certificates: certificates)
    } catch {
      await store.close()
      throw error
    }
  }

  /// Tells every client that the server goes, lets answers under way finish, and frees everything.
  public func shutdown(grace: TimeSpan = .seconds(5)) async {
    guard readiness.isReady.exchange(false, ordering: .acquiringAndReleasing) else { return }
    log.info("shutdown")
    for task in upkeep { task.cancel() }
    await control.close()
    await directory.shutdown()
    running.end()
    await operation.stop()
    await writing.value
    await http.shutdown(grace: grace)
    await admin?.shutdown(grace: .zero)
    await media.shutdown()
    await directory.files?.close()
    await store.close()
  }
}
