import Basics
import FoundationEssentials
import Meetings
import Signaling
import Transport

/// The REST API that the official OpenTok server SDKs call: sessions, streams, connections, signals and moderation. `docs/opentok-rest.md` says which
/// calls there are and what differs.
///
/// A session is the tenant's room of that name, a connection a participant, and a stream what a participant sends of camera and microphone,
/// or of its screen.
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

  /// The answer to a request whose path begins with `session`, `hl` or `v2`.
  func respond(to request: HTTPRequest, _ path: [Substring]) async -> HTTPResponse {
    let isSession = path == ["session", "create"] || path == ["hl", "session", "create"]
    do throws(OpenTokRefusal) {
      if isSession { return try await createSession(request) }
      if path == ["session"], isDevelopment { return try await sampleSession(request) }
      guard path.count >= 4, path[0] == "v2", path[1] == "project" else { throw .nothing }
      return try await answer(request, project: path[2], Array(path.dropFirst(3)))
    } catch {
      if error.status >= 500, error.status != 501 {
        log.error("request.failed", ["path": request.path, "code": error.code])
      }
      return error.response(asXML: isSession && !Self.wantsJSON(request))
    }
  }

  // MARK: Who asks

  /// The tenant that a request proves to be of.
  func tenant(of request: HTTPRequest) async throws(OpenTokRefusal) -> Tenant {
    let credential: ProjectAuthority.Credential
    if let jwt = request.headers["x-opentok-auth"] {
      credential = .jwt(Secret(jwt))
    } else if let pair = request.headers["x-tb-partner-auth"] {
      credential = .pair(Secret(pair))
    } else {
      throw .credential
    }
    do throws(ProjectAuthority.Refusal) {
      return try await authority.tenant(of: credential, now: Date())
    } catch {
      switch error {
      case .credential(let problem):
        log.info("opentok.refused", ["reason": problem])
        throw .credential
      case .limit(let reached): throw OpenTokRefusal(429, "quotaReached", reached.text, limit: reached.limit)
      case .unavailable(let why):
        log.error("opentok.failed", ["reason": why])
        throw OpenTokRefusal(503, "unavailable", "The server cannot check the request just now. Try again in a moment.")
      }
    }
  }

  static func wantsJSON(_ request: HTTPRequest) -> Bool {
    request.headers["accept"]?.lowercased().contains("application/json") == true
  }

  /// Writes down that a tenant's server uses a right, before it does: what is done to people in a session is called as when a host does it.
  func audit(_ action: String, _ target: String, _ tenant: Tenant, _ detail: String = "") async throws(OpenTokRefusal) {
    do throws(MeetingStoreError) {
      try await store.append(
        AuditEntry(
          time: Date(), actor: "server of \(tenant.name)", tenant: tenant.name, action: action, target: target,
          detail: detail))
    } catch {
      throw OpenTokRefusal(error)
    }
  }

  /// As ``audit(_:_:_:_:)``, for what is to be done in a session. Where it cannot be written nothing is to be done.
  func audit(_ action: String, _ target: String, _ session: Session, _ what: String = "") async throws(OpenTokRefusal) {
    let place = "in \(session.id.text)"
    try await audit(action, target, session.tenant, what.isEmpty ? place : "\(what), \(place)")
    log.info("opentok.\(action)", ["tenant": session.tenant.name, "target": target])
  }

  // MARK: What is asked

  /// Calls of a project: `path` is what follows `/v2/project/<key>`.
  private func answer(
    _ request: HTTPRequest, project: Substring, _ path: [Substring]
  ) async throws(OpenTokRefusal) -> HTTPResponse {
    let tenant = try await tenant(of: request)
    guard project == tenant.apiKey else { throw .wrongProject }
    if let missing = MissingCall(path) { throw missing.refusal }
    guard path.count >= 3, path[0] == "session", let call = Self.sessionCalls.find(path.dropFirst(2)) else {
      throw .nothing
    }
    let session = try await session(String(path[1]), of: tenant)
    let id = path.count > 3 ? String(path[3]) : ""
    switch call.pattern {
    case "signal": return try await signal(request, session, to: nil)
    case "connection": return try await connections(request, session)
    case "connection/*": return try await disconnect(request, session, id)
    case "connection/*/signal": return try await signal(request, session, to: id)
    case "stream": return try await streams(request, session)
    case "stream/*": return try await stream(request, session, id)
    case "stream/*/mute": return try await mute(request, session, id)
    default: return try await muteAll(request, session)
    }
  }

  /// Every call behind `/v2/project/<key>/session/<id>` that is served.
  static let sessionCalls = AddressTable([
    "signal": "POST", "connection": "GET", "connection/*": "DELETE", "connection/*/signal": "POST",
    "stream": "GET PUT", "stream/*": "GET", "stream/*/mute": "POST", "mute": "POST",
  ])

  /// A session that a request names, and its room when there is somebody in it.
  struct Session: Sendable {
    var id: OpenTokSession
    var tenant: Tenant
    var room: MeetingRoom?

    /// The room, for what only people in it can be meant by.
    func running() throws(OpenTokRefusal) -> MeetingRoom {
      guard let room else { throw .nobody }
      return room
    }
  }

  private func session(_ text: String, of tenant: Tenant) async throws(OpenTokRefusal) -> Session {
    guard let id = OpenTokSession(text), id.belongs(to: tenant.apiKey), let name = try? RoomName(text) else {
      throw .noSession
    }
    let meeting: MeetingRecord?
    do throws(MeetingStoreError) {
      meeting = try await store.meeting(room: name, tenant: tenant.id)
    } catch {
      throw OpenTokRefusal(error)
    }
    var room: MeetingRoom?
    if let meeting { room = await directory.room(of: meeting.id) }
    return Session(id: id, tenant: tenant, room: room)
  }

  /// The JSON of a body, held to its limits before anything is parsed.
  func body<Content: Decodable>(_ type: Content.Type, _ request: HTTPRequest) throws(OpenTokRefusal) -> Content {
    if let encoding = request.headers["content-encoding"], encoding.lowercased() != "identity" {
      throw OpenTokRefusal(415, "badEncoding", "Send the body without Content-Encoding.")
    }
    if let media = request.headers["content-type"]?.lowercased(),
      media.prefix(while: { $0 != ";" && $0 != " " }) != "application/json"
    {
      throw OpenTokRefusal(415, "badContentType", "Send the body as application/json.")
    }
    do throws(SignalingError) {
      return try SignalingDecoder().decode(type, from: request.body, maximumBytes: Self.maximumBody)
    } catch {
      if case .tooLarge = error {
        throw OpenTokRefusal(413, "tooLarge", "The body is larger than \(Self.maximumBody) bytes.")
      }
      throw .body(error.description)
    }
  }

  /// Refuses other methods than these.
  static func require(_ methods: String..., of request: HTTPRequest) throws(OpenTokRefusal) {
    if !methods.contains(request.method) { throw .method(methods.joined(separator: ", ")) }
  }
}
