import FoundationEssentials
public import Basics
import Meetings
import Synchronization
import Transport

/// A running Parley server: pages, endpoints, signalling and the meetings' rooms, over a media plane.
///
/// ``start(_:media:program:log:)`` returns when joins are accepted; ``shutdown(grace:)`` notifies every client, and
/// frees everything.
public final class Server: Sendable {
  /// The message to print: the URL on this machine, and one for other devices.
  public let ready: ReadyMessage
  /// Warnings for the operator: what is open to strangers, and how to close it.
  public let notices: [String]
  /// The port of pages and signalling.
  public let port: UInt16
  /// The administration port; nil when there is none.
  public let adminPort: UInt16?

  private let http: HTTPServer
  private let admin: HTTPServer?
  private let control: ControlSocket
  private let parts: ServerParts
  private let upkeep: [Task<Void, Never>]
  private let writing: Task<Void, Never>
  let certificates: CertificateUpdater?

  var media: any MediaPlane { parts.media }
  var log: Log { parts.log }
  var settings: LiveSettings { parts.settings }
  var files: StaticFiles { parts.files }

  private init(
    _ parts: ServerParts, isFirst: Bool, http: HTTPServer, port: UInt16, admin: HTTPServer?, adminPort: UInt16?,
    control: ControlSocket
  ) {
    let configuration = parts.configuration
    self.parts = parts
    self.http = http
    self.port = port
    self.admin = admin
    self.adminPort = adminPort
    self.control = control
    ready = Self.message(configuration, port: port)
    notices = StartupWarnings.notices(configuration, isFirst: isFirst)
    let certificates = Self.updater(configuration, http, parts.log)
    self.certificates = certificates
    upkeep = [
      Self.keepUp(parts.store, parts.directory, parts.log),
      Self.keepUp(parts.running, parts.directory, parts.chatFiles),
      Task { if let certificates { await certificates.run() } },
      Task { [mailboxes = parts.mailboxes] in await mailboxes.run() },
    ]
    writing = Task { await parts.running.run() }
  }

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - media: The media plane. The server shuts it down with itself, also when the start fails.
  ///   - program: The path of the program, next to which the browser client is looked for.
  ///   - log: The log for events.
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
    let publicOrigin = try publicOrigin(configuration)
    let files = try webFiles(configuration, program: program)
    let (store, isFirst) = try await openStore(configuration)
    do throws(ServerError) {
      let parts = ServerParts(
        configuration, store: store, files: files, publicOrigin: publicOrigin, media: media, log: log)
      return try await open(parts, isFirst: isFirst)
    } catch {
      await store.close()
      throw error
    }
  }

  /// Opens the ports and the socket for commands, and takes over the meetings that ran before.
  private static func open(_ parts: ServerParts, isFirst: Bool) async throws(ServerError) -> Server {
    let (configuration, log) = (parts.configuration, parts.log)
    let http = try makePublic(configuration, parts.endpoints, parts.signaling, parts.messaging)
    var admin: (server: HTTPServer, port: UInt16)?
    do throws(ServerError) {
      let port = try listen(http, configuration)
      admin = try await makeAdmin(configuration, parts.adminEndpoints())
      // Only now: a start that fails must not begin the time in which people can come back to orphaned meetings.
      try await takeOver(parts)
      let commands = parts.controlEndpoints()
      let control = await ControlSocket.open(folder: configuration.dataFolder, log: log) {
        await commands.respond(to: $0)
      }
      let server = Server(
        parts, isFirst: isFirst, http: http, port: port, admin: admin?.server, adminPort: admin?.port,
        control: control)
      await parts.operation.start()
      parts.readiness.isReady.store(true, ordering: .relaxed)
      log.info("listening", ["port": port, "adminPort": admin.map { String($0.port) } ?? "none"])
      return server
    } catch {
      await http.shutdown(grace: .zero)
      await admin?.server.shutdown(grace: .zero)
      throw error
    }
  }

  /// Notifies every client of the shutdown, lets requests under way finish, and frees everything.
  public func shutdown(grace: TimeSpan = .seconds(5)) async {
    guard parts.readiness.isReady.exchange(false, ordering: .acquiringAndReleasing) else { return }
    log.info("shutdown")
    for task in upkeep { task.cancel() }
    await control.close()
    await parts.mailboxes.shutdown()
    await parts.directory.shutdown()
    parts.running.end()
    await parts.operation.stop()
    await writing.value
    await http.shutdown(grace: grace)
    await admin?.shutdown(grace: .zero)
    await media.shutdown()
    await parts.chatFiles.close()
    await parts.store.close()
  }
}
