import Basics
import FoundationEssentials
import Meetings
import Messaging
import Transport

/// The parts of a server: its listeners, and the upkeep of its data.
extension Server {
  /// The origin that `--public-url` names.
  static func publicOrigin(_ configuration: ServerConfiguration) throws(ServerError) -> WebOrigin? {
    guard let text = configuration.publicURL else { return nil }
    guard let origin = WebOrigin(text), text.split(separator: "/").count == 2 else {
      throw ServerError.publicURL(text)
    }
    return origin
  }

  /// The browser client's files, which may lie next to `program`.
  static func webFiles(_ configuration: ServerConfiguration, program: String) throws(ServerError) -> StaticFiles {
    do throws(StaticFiles.NotFound) {
      return try StaticFiles(folder: configuration.webFolder, program: program)
    } catch {
      throw .web(error.description)
    }
  }

  /// The store of the data folder, and whether it was made just now.
  static func openStore(
    _ configuration: ServerConfiguration
  ) async throws(ServerError) -> (store: any MeetingStore, isFirst: Bool) {
    do throws(MeetingStoreError) {
      let store = try await MeetingStores.open(folder: configuration.dataFolder)
      let isFirst = try await store.knownDefaultTenant() == nil
      let most = configuration.maximumStoredMeetings
      await store.setDefaultLimit(storedMeetings: most > 0 ? most : nil)
      return (store, isFirst)
    } catch {
      throw .store(error.description)
    }
  }

  /// Takes over the meetings that ran when the last server on this data ended.
  static func takeOver(_ parts: ServerParts) async throws(ServerError) {
    do throws(MeetingStoreError) {
      try await parts.running.takeOver(parts.chatFiles)
    } catch {
      throw .store(error.description)
    }
  }

  static func makePublic(
    _ configuration: ServerConfiguration, _ endpoints: Endpoints, _ signaling: SignalingService,
    _ messaging: MessagingService
  ) throws(ServerError) -> HTTPServer {
    var settings = HTTPServer.Configuration()
    settings.bodyLimit = Endpoints.routes.bodyLimit
    let perAddress = configuration.addressConnections ?? 1_024
    settings.connectionsPerNetwork = perAddress > 0 ? perAddress : nil
    settings.boundsLoopback = configuration.addressConnections != nil
    let proxies = configuration.trustedProxies
    settings.isUnbounded = { proxies.contains($0) }
    settings.client = { proxies.resolved($0).remote.ip }
    settings.connectionLimit = configuration.connections
    settings.reservedConnections = configuration.connections / 16
    let (counters, ofAll) = (endpoints.counters.limits, settings.connectionLimit)
    settings.crowded = { isAddress in
      let most =
        isAddress
        ? "\(perAddress) connections at once of one address, or its network's share of \(ofAll)"
        : "\(ofAll) connections at once"
      return crowded(LimitReached(isAddress ? .addressConnections : .connections, most), counters)
    }
    do throws(TransportError) {
      settings.tls = try identity(configuration)
      return try HTTPServer(
        settings, name: "http",
        webSocketDecision: { request in
          guard request.path == "/signal" || request.path == MessagingLimits.path else {
            return .reject(
              .refusal(
                Refusal(404, "notFound", "Signalling is at /signal, messaging at \(MessagingLimits.path).")))
          }
          // A browser doesn't show the answer that a refused socket got, so the log and `/metrics` count it.
          do throws(Refusal) {
            _ = try endpoints.origin(of: request)
            try endpoints.limits.take(proxies.resolved(request).remote.ip, now: MonotonicClock.now)
          } catch {
            return .reject(.refusal(error))
          }
          return .accept
        },
        webSocketHandler: { connection in
          // A request whose Host header is unusable came from no client of ours.
          guard let own = try? endpoints.origin(of: connection.request) else { return }
          if connection.request.path == MessagingLimits.path {
            return await messaging.serve(
              WebSocketAdapter(connection: connection), address: proxies.resolved(connection.request).remote.ip,
              onlyResumes: connection.isReserved)
          }
          await signaling.serve(
            WebSocketAdapter(connection: connection),
            peer: .init(
              origin: connection.request.headers["origin"], ownOrigin: own,
              address: proxies.resolved(connection.request).remote.ip,
              // A proxy connects to another address of this machine than its clients do.
              reached: proxies.contains(connection.request.remote.ip) ? nil : connection.request.local.ip,
              onlyResumes: connection.isReserved))
        },
        bodySink: {
          let request = proxies.resolved($0)
          return endpoints.chat.sink(for: request, limits: endpoints.limits)
            ?? endpoints.messaging.sink(for: request, limits: endpoints.limits)
        },
        handler: { await endpoints.respond(to: proxies.resolved($0)) })
    } catch {
      throw .transport(error, option: "--tls")
    }
  }

  /// The answer to one connection too many. The text names the limit.
  private static func crowded(_ reached: LimitReached, _ counters: LimitCounters) -> HTTPResponse {
    counters.add(reached.limit)
    var response = HTTPResponse.refusal(
      Refusal(
        503, "tooManyConnections",
        "The limit of \(reached.text) is reached (\(reached.limit.rawValue)). Close some, and try again in a moment.",
        limit: reached.limit))
    response.headers["Retry-After"] = "5"
    return response
  }

  static func makeAdmin(
    _ configuration: ServerConfiguration, _ endpoints: AdminEndpoints
  ) async throws(ServerError) -> (server: HTTPServer, port: UInt16)? {
    guard let port = configuration.adminPort else { return nil }
    do throws(TransportError) {
      var settings = HTTPServer.Configuration()
      settings.connectionLimit = 64
      let counters = endpoints.counters.limits
      settings.crowded = { _ in crowded(LimitReached(.connections, "64 connections at once"), counters) }
      settings.bodyLimit = 64 << 10
      let proxies = configuration.trustedProxies
      let server = try HTTPServer(
        settings, name: "admin", handler: { await endpoints.respond(to: proxies.resolved($0)) })
      do throws(TransportError) {
        return (server, try server.listen(on: TransportAddress(ip: configuration.adminHost, port: port)).port)
      } catch {
        await server.shutdown(grace: .zero)
        throw error
      }
    } catch {
      throw .transport(error, option: "--admin-port, --admin-host")
    }
  }

  static func listen(_ http: HTTPServer, _ configuration: ServerConfiguration) throws(ServerError) -> UInt16 {
    do throws(TransportError) {
      return try http.listen(on: TransportAddress(ip: configuration.host, port: configuration.port)).port
    } catch {
      // A machine without IPv6 has no "every address of both families".
      guard configuration.host == IPAddress(high: 0, low: 0), case .system = error else {
        throw .transport(error, option: "--port, --host")
      }
    }
    do throws(TransportError) {
      return try http.listen(on: TransportAddress(ip: IPAddress(v4: 0), port: configuration.port)).port
    } catch {
      throw .transport(error, option: "--port, --host")
    }
  }

  static func identity(_ configuration: ServerConfiguration) throws(TransportError) -> TLSIdentity? {
    switch configuration.tls {
    case .off: return nil
    case .files(let certificate, let key): return TLSIdentity(certificatePath: certificate, keyPath: key)
    case .selfSigned: return try .selfSigned(hosts: hosts(configuration), directory: configuration.dataFolder)
    }
  }

  /// The host names in a self-signed certificate.
  private static func hosts(_ configuration: ServerConfiguration) -> [String] {
    var hosts = ["localhost", "127.0.0.1", "::1"]
    let own = (try? LocalAddresses.all()) ?? []
    for ip in own + configuration.publicAddresses where !hosts.contains(ip.text) { hosts.append(ip.text) }
    return hosts
  }

  /// Keeps the server's certificate up to date; nil without TLS.
  static func updater(_ configuration: ServerConfiguration, _ http: HTTPServer, _ log: Log) -> CertificateUpdater? {
    let identity: TLSIdentity
    switch configuration.tls {
    case .off: return nil
    case .files(let certificate, let key): identity = TLSIdentity(certificatePath: certificate, keyPath: key)
    case .selfSigned: identity = .selfSigned(in: configuration.dataFolder)
    }
    return CertificateUpdater(
      http, identity: identity, mode: configuration.tls, folder: configuration.dataFolder, log: log,
      hosts: { hosts(configuration) })
  }

  static func message(_ configuration: ServerConfiguration, port: UInt16) -> ReadyMessage {
    let scheme = configuration.tls == .off ? "http" : "https"
    let host = configuration.host
    let name = host.isUnspecified || host.isLoopback ? "localhost" : host.isIPv4 ? host.text : "[\(host.text)]"
    var message = ReadyMessage(url: "\(scheme)://\(name):\(port)")
    // Browsers give a camera to other devices over HTTPS only.
    if scheme == "https", host.isUnspecified,
      let other = (LocalAddresses.routed() + ((try? LocalAddresses.all()) ?? [])).first(where: {
        $0.isIPv4 && !$0.isLoopback && !$0.isLinkLocal
      })
    {
      message.urlForOtherDevices = "https://\(other.text):\(port)"
    }
    return message
  }

  static func keepUp(
    _ running: RoomJournalWriter, _ directory: MeetingDirectory, _ files: ChatFileStore
  ) -> Task<Void, Never> {
    Task { await running.keepUp(files) { Array(await directory.allRooms.keys) } }
  }

  /// Makes the default tenant, then purges the store once an hour.
  static func keepUp(
    _ store: any MeetingStore, _ directory: MeetingDirectory, _ log: Log
  ) -> Task<Void, Never> {
    Task {
      while !Task.isCancelled {
        do throws(MeetingStoreError) {
          // The very first start makes the signing key, which takes longer than the rest of the start.
          _ = try await store.defaultTenant(now: Date())
          let running = await directory.allRooms.keys
          let rows = try await store.purge(now: Date(), running: Array(running))
          if rows > 0 { log.debug("purged", ["rows": rows]) }
        } catch .closed {
          return
        } catch {
          // A disk that is full now need not be in an hour.
          log.error("store.upkeep", ["reason": "\(error)"])
        }
        guard (try? await Task.sleep(for: .seconds(3_600))) != nil else { return }
      }
    }
  }
}
