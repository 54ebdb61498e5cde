import Basics
import FoundationEssentials
import Meetings
import Signaling
import Transport

/// The REST API that the official OpenTok server SDKs call: sessions, streams, connections, signals and moderation.
/// `docs/opentok-rest.md` lists the calls and the differences.
///
/// A session is the tenant's room of that name, and a connection a participant. A stream is a participant's camera and
/// microphone, or its screen.
struct OpenTokAPI: Sendable {
  let authority: ProjectAuthority
  let directory: MeetingDirectory
  let store: any AuditStore & MeetingRecordStore & TenantStore
  let isDevelopment: Bool
  let counters: ServerCounters
  let log: Log
  /// The session that the samples' `/session` names, made when it is first asked for.
  let sample = SampleSession()

  /// Bytes of a body; a list of layout classes for hundreds of streams fits.
  static let maximumBody = 64 << 10

  // MARK: Callers

  /// The tenant that a request proves to be of.
  func tenant(of request: HTTPRequest) async throws(Refusal) -> Tenant {
    let credential: ProjectAuthority.Credential
    if let jwt = request.headers["x-opentok-auth"] {
      credential = .jwt(Secret(jwt))
    } else if let pair = request.headers["x-tb-partner-auth"] {
      credential = .pair(Secret(pair))
    } else {
      throw .projectCredential
    }
    do throws(ProjectAuthority.Refusal) {
      return try await authority.tenant(of: credential, now: Date())
    } catch {
      switch error {
      case .credential(let problem):
        log.info("opentok.refused", ["reason": problem])
        throw .projectCredential
      case .limit(let reached): throw Refusal(429, "quotaReached", reached.text, limit: reached.limit)
      case .unavailable(let why):
        log.error("opentok.failed", ["reason": why])
        throw Refusal(503, "unavailable", "The server cannot check the request just now. Try again in a moment.")
      }
    }
  }

  static func wantsJSON(_ request: HTTPRequest) -> Bool {
    request.headers["accept"]?.lowercased().contains("application/json") == true
  }

  /// Writes the audit entry of an action in a session before it is done, under the name that it has for a host.
  func audit(_ action: String, _ target: String, _ tenant: Tenant, _ detail: String = "") async throws(Refusal) {
    do throws(MeetingStoreError) {
      try await store.append(
        AuditEntry(
          time: Date(), actor: "server of \(tenant.name)", tenant: tenant.name, action: action, target: target,
          detail: detail))
    } catch {
      throw Refusal(error)
    }
  }

  /// As ``audit(_:_:_:_:)``, for an action in a session that is about to be done. If the entry can't be written, the
  /// action must not be done.
  func audit(_ action: String, _ target: String, _ session: Session, _ what: String = "") async throws(Refusal) {
    let place = "in \(session.id.text)"
    try await audit(action, target, session.tenant, what.isEmpty ? place : "\(what), \(place)")
    log.info("opentok.\(action)", ["tenant": session.tenant.name, "target": target])
  }

  // MARK: Requests

  /// A call of a project, below `/v2/project/<key>/`.
  func answer(_ request: HTTPRequest, project: String) async throws(Refusal) -> HTTPResponse {
    let path = Array(request.path.split(separator: "/").dropFirst(3))
    guard !path.isEmpty else { throw .nothing }
    let tenant = try await tenant(of: request)
    guard project == tenant.apiKey else { throw .wrongProject }
    if let missing = MissingCall(path) { throw missing.refusal(in: MissingCall.session(path, request.body)) }
    guard path.count >= 3, path[0] == "session" else { throw .nothing }
    let match = Self.sessionCalls.find(request.method, Array(path.dropFirst(2)))
    // An address that isn't there is the same in every session; of one that is, the session comes first.
    if case .notFound = match { throw .nothing }
    let session = try await session(String(path[1]), of: tenant)
    let (route, segments) = try match.get()
    let id = segments.first ?? ""
    return switch route.handler {
    case .signal: try await signal(request, session, to: nil)
    case .signalTo: try await signal(request, session, to: id)
    case .connections: try await connections(request, session)
    case .disconnect: try await disconnect(request, session, id)
    case .streams: try await streams(request, session)
    case .stream: try await stream(request, session, id)
    case .mute: try await mute(request, session, id)
    case .muteAll: try await muteAll(request, session)
    }
  }

  /// The calls about a session.
  enum SessionCall { case signal, signalTo, connections, disconnect, streams, stream, mute, muteAll }

  /// Every call behind `/v2/project/<key>/session/<id>` that is served.
  static let sessionCalls = RouteTable<SessionCall>([
    Route("POST", "signal", handler: .signal), Route("GET HEAD", "connection", handler: .connections),
    Route("DELETE", "connection/*", handler: .disconnect), Route("POST", "connection/*/signal", handler: .signalTo),
    Route("GET HEAD PUT", "stream", handler: .streams), Route("GET HEAD", "stream/*", handler: .stream),
    Route("POST", "stream/*/mute", handler: .mute), Route("POST", "mute", handler: .muteAll),
  ])

  /// A session that a request names, and its room when there is somebody in it.
  struct Session: Sendable {
    var id: OpenTokSession
    var tenant: Tenant
    var room: MeetingRoom?

    /// The room, for calls about people in it.
    func running() throws(Refusal) -> MeetingRoom {
      guard let room else { throw .nobodyConnected }
      return room
    }
  }

  private func session(_ text: String, of tenant: Tenant) async throws(Refusal) -> Session {
    guard let id = OpenTokSession(text), id.belongs(to: tenant.apiKey), let name = try? RoomName(text) else {
      throw .noSession
    }
    let meeting: MeetingRecord?
    do throws(MeetingStoreError) {
      meeting = try await store.meeting(room: name, tenant: tenant.id)
    } catch {
      throw Refusal(error)
    }
    var room: MeetingRoom?
    if let meeting { room = await directory.room(of: meeting.id) }
    return Session(id: id, tenant: tenant, room: room)
  }

  /// The JSON of a body, held to its limits before anything is parsed.
  func body<Content: Decodable>(_ type: Content.Type, _ request: HTTPRequest) throws(Refusal) -> Content {
    try request.requirePlainBody()
    if let media = request.mediaType, media != "application/json" {
      throw Refusal(415, "badContentType", "Send the body as application/json.")
    }
    do throws(SignalingError) {
      return try SignalingDecoder().decode(type, from: request.body, maximumBytes: Self.maximumBody)
    } catch {
      if case .tooLarge = error {
        throw Refusal(413, "tooLarge", "The body is larger than \(Self.maximumBody) bytes.")
      }
      throw .badBody(error.description)
    }
  }

  /// Refuses other methods than these.
  static func require(_ methods: String..., of request: HTTPRequest) throws(Refusal) {
    if !methods.contains(request.method) { throw .methodNotAllowed(methods) }
  }
}
