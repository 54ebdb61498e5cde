import FoundationEssentials
import Meetings
import Signaling
import Transport

/// The calls about what goes on in a session.
extension OpenTokAPI {
  private struct List<Item: Encodable>: Encodable {
    var count: Int
    var projectId: String
    var sessionId: String
    var items: [Item]
  }

  private func list(_ items: [some Encodable], _ session: Session) -> HTTPResponse {
    .openTok(
      List(count: items.count, projectId: session.tenant.apiKey, sessionId: session.id.text, items: items))
  }

  // MARK: Streams

  /// `GET …/stream` and `PUT …/stream`.
  func streams(_ request: HTTPRequest, _ session: Session) async throws(Refusal) -> HTTPResponse {
    guard request.method == "PUT" else { return list(await session.room?.streams ?? [], session) }
    let lists = try body(LayoutClasses.self, request)
    if let problem = lists.problem { throw .badBody(problem) }
    let classes = Dictionary(lists.items.map { ($0.id, $0.layoutClassList) }) { _, last in last }
    let room = try session.running()
    let known = Set(await room.streams.map(\.id))
    guard classes.keys.allSatisfy(known.contains) else { throw .noStream }
    let words = classes.sorted { $0.key < $1.key }.map { $0.value.joined(separator: " ") }
    try await audit(
      "meeting.setLayoutClasses", classes.keys.sorted().joined(separator: " "), session,
      words.joined(separator: "; "))
    guard let streams = await room.setLayoutClasses(classes) else { throw .noStream }
    return list(streams, session)
  }

  /// `GET …/stream/<id>`.
  func stream(_ request: HTTPRequest, _ session: Session, _ id: String) async throws(Refusal) -> HTTPResponse {
    guard let stream = await session.room?.streams.first(where: { $0.id == id }) else { throw .noStream }
    return .openTok(stream)
  }

  private struct LayoutClasses: Decodable {
    struct Item: Decodable {
      var id: String
      var layoutClassList: [String]
    }
    var items: [Item]

    var problem: String? {
      if items.count > 500 { return "At most 500 streams can be named at a time." }
      for item in items {
        let count = item.layoutClassList.reduce(item.layoutClassList.count) { $0 + $1.unicodeScalars.count }
        if count > 1_001 { return "The layout classes of a stream have at most 1000 characters." }
      }
      return nil
    }
  }

  // MARK: Connections

  private struct Connection: Encodable {
    var connectionId: String
    var connectionState: String
    var createdAt: Int64
  }

  /// `GET …/connection`.
  func connections(_ request: HTTPRequest, _ session: Session) async throws(Refusal) -> HTTPResponse {
    let connections = await session.room?.connections ?? []
    return list(
      connections.map {
        Connection(
          connectionId: $0.id, connectionState: $0.isConnected ? "Connected" : "Connecting",
          createdAt: Int64($0.created.timeIntervalSince1970 * 1_000))
      }, session)
  }

  /// `DELETE …/connection/<id>`.
  func disconnect(
    _ request: HTTPRequest, _ session: Session, _ id: String
  ) async throws(Refusal) -> HTTPResponse {
    let room = try session.running()
    guard await room.connections.contains(where: { $0.id == id }) else { throw .noConnection }
    try await audit("meeting.removeParticipant", id, session)
    guard await room.disconnect(id) else { throw .noConnection }
    return HTTPResponse(status: 204)
  }

  // MARK: Signals

  /// `POST …/signal` and `POST …/connection/<id>/signal`.
  func signal(_ request: HTTPRequest, _ session: Session, to id: String?) async throws(Refusal) -> HTTPResponse {
    struct Content: Decodable {
      var type: String?
      var data: String?
    }
    let content = try body(Content.self, request)
    let signal = Signal(type: content.type ?? "", data: content.data ?? "")
    if let problem = signal.problem {
      throw Refusal(problem == .badType ? 400 : 413, "badSignal", problem.description)
    }
    let room = try session.running()
    if let id, !(await room.connections.contains { $0.id == id }) { throw .noConnection }
    try await audit("meeting.signal", id ?? "", session, signal.type.isEmpty ? "" : "type \(signal.type)")
    guard await room.deliver(signal, to: id) else { throw .noConnection }
    return HTTPResponse(status: 204)
  }

  // MARK: Muting

  /// The answer of the call: the project, as Vonage's service has it.
  private struct Project: Encodable {
    var id: String
    var name: String
    var status = "ACTIVE"
  }

  /// `POST …/stream/<id>/mute`.
  func mute(_ request: HTTPRequest, _ session: Session, _ id: String) async throws(Refusal) -> HTTPResponse {
    let room = try session.running()
    guard await room.streams.contains(where: { $0.id == id }) else { throw .noStream }
    try await audit("meeting.muteParticipant", id, session, "sound")
    guard await room.mute(stream: id) else { throw .noStream }
    return .openTok(Project(id: session.tenant.apiKey, name: session.tenant.name))
  }

  /// `POST …/mute`.
  func muteAll(_ request: HTTPRequest, _ session: Session) async throws(Refusal) -> HTTPResponse {
    struct Content: Decodable {
      var active: Bool
      // Two names of one thing: SDKs differ.
      var excludedStreams: [String]?
      var excludedStreamIds: [String]?
    }
    let content = try body(Content.self, request)
    let excluded = (content.excludedStreams ?? []) + (content.excludedStreamIds ?? [])
    guard excluded.count <= 500 else { throw .badBody("At most 500 streams can be excluded.") }
    let room = try session.running()
    let spared = excluded.isEmpty ? "" : " but of \(excluded.count): \(excluded.joined(separator: " "))"
    try await audit(
      content.active ? "meeting.muteAll" : "meeting.liftMuteAll", "", session,
      content.active ? "sound of everybody\(spared), later joiners too" : "")
    if content.active { await room.muteStreams(except: excluded) } else { await room.liftMuteAll() }
    guard await room.isKept() else {
      throw Refusal(
        503, "unavailable", "It is done, but the server cannot write it down just now. Try again in a moment.")
    }
    return .openTok(Project(id: session.tenant.apiKey, name: session.tenant.name))
  }
}
