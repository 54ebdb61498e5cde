import Basics
import Foundation
import FoundationNetworking
import Meetings
import Signaling
import Synchronization
import TestSupport
import TestTenants
import Testing
import Transport

@testable import MeetingServer

/// A whole server on loopback, over a media plane that moves no media.
final class TestServer: Sendable {
  let server: Server
  let media: TestMediaPlane
  let folder: String
  let logged: LogLines
  var url: String { "http://localhost:\(server.port)" }
  var signal: String { "ws://localhost:\(server.port)/signal" }

  /// Keeps what a server logs.
  final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var text: String { lines.withLock { $0.joined() } }
  }

  private init(server: Server, media: TestMediaPlane, folder: String, logged: LogLines) {
    self.server = server
    self.media = media
    self.folder = folder
    self.logged = logged
  }

  /// Runs `body` with a fresh server, and shuts it down.
  static func run(
    _ configure: (inout ServerConfiguration) -> Void = { _ in }, _ body: (TestServer) async throws -> Void
  ) async throws {
    let folder = NSTemporaryDirectory() + "parley-server-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder + "/web/assets", withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: folder + "/web/sdk", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (name, text) in [
      "index.html": "start", "meeting.html": "meeting", "sdk/parley.js": "sdk", "assets/a.css": "css",
      "opentok.js": "script", "browser_demo.html": "demo",
    ] {
      try text.write(toFile: folder + "/web/" + name, atomically: true, encoding: .utf8)
    }
    try "secret".write(toFile: folder + "/secret.txt", atomically: true, encoding: .utf8)
    var configuration = ServerConfiguration(workers: 1)
    configuration.port = 0
    configuration.adminPort = 0
    configuration.dataFolder = folder + "/data"
    configuration.webFolder = folder + "/web"
    configuration.logLevel = .debug
    configure(&configuration)
    try await TestTenants.makeDefault(in: configuration.dataFolder)
    let media = TestMediaPlane()
    let lines = LogLines()
    let server = try await Server.start(
      configuration, media: media, program: "", log: Log(level: .debug) { lines.add($0) })
    let test = TestServer(server: server, media: media, folder: folder, logged: lines)
    do {
      try await body(test)
    } catch {
      // Otherwise the meetings would never end.
      await media.release()
      await server.shutdown(grace: .milliseconds(200))
      throw error
    }
    await server.shutdown(grace: .milliseconds(500))
  }

  // MARK: Tenants

  /// The server's own store, opened a second time as the command line does.
  func store() async throws -> SQLiteMeetingStore { try await SQLiteMeetingStore.open(folder: folder + "/data") }

  /// A token of the default tenant for `room`, signed with its API secret. `claims` come after the issuer, the end and
  /// the room.
  func token(_ room: String, _ claims: String = "") async throws -> String {
    let store = try await store()
    let tenant = try await store.defaultTenant(now: Date())
    let secret = try #require(try await store.apiKeys(of: tenant.id).first?.secret)
    await store.close()
    let end = Int(Date().timeIntervalSince1970) + 3_600
    let text = "{\"iss\":\"\(tenant.apiKey)\",\"exp\":\(end),\"room\":\"\(room)\"\(claims)}"
    return try SharedKey(secret).sign(Array(text.utf8))
  }

  /// Gives the default tenant other rules.
  func setPolicy(_ change: (inout TenantPolicy) -> Void) async throws {
    let store = try await store()
    var tenant = try await store.defaultTenant(now: Date())
    change(&tenant.policy)
    let policy = tenant.policy
    _ = try await store.transaction { [id = tenant.id] in try $0.changePolicy(of: id) { $0 = policy } }
    await store.close()
  }

  // MARK: HTTP

  func get(_ path: String, headers: HTTPHeaders = [:]) async throws -> TestAnswer {
    try await Self.request("GET", url + path, headers)
  }

  func post(_ path: String, _ body: String, headers: HTTPHeaders = [:]) async throws -> TestAnswer {
    try await Self.request("POST", url + path, headers, Array(body.utf8))
  }

  /// One request through Foundation's client: another stack than our own, and it shows every header.
  static func request(
    _ method: String, _ url: String, _ headers: HTTPHeaders = [:], _ body: [UInt8]? = nil
  ) async throws -> TestAnswer {
    guard let address = URL(string: url) else { throw Unexpected(text: "no URL: \(url)") }
    var request = URLRequest(url: address, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 20)
    request.httpMethod = method
    for (name, value) in headers.fields { request.setValue(value, forHTTPHeaderField: name) }
    request.httpBody = body.map { Data($0) }
    let (data, response) = try await URLSession.shared.data(for: request)
    guard let response = response as? HTTPURLResponse else { throw Unexpected(text: "no HTTP answer") }
    var fields = HTTPHeaders()
    for (name, value) in response.allHeaderFields { fields["\(name)"] = "\(value)" }
    return TestAnswer(status: response.statusCode, headers: fields, body: [UInt8](data))
  }

  /// The server's counters, in the Prometheus text format.
  func metrics() async throws -> String {
    try await Self.request("GET", "http://127.0.0.1:\(try #require(server.adminPort))/metrics").text
  }

  /// The discover document of a room.
  func discover(_ room: String) async throws -> DiscoverDocument {
    let answer = try await get("/discover/" + room)
    return try SignalingDecoder().decode(DiscoverDocument.self, from: answer.body)
  }

  /// A socket that has said nothing yet.
  func connect(origin: String? = nil) async throws -> TestClient {
    var headers = HTTPHeaders()
    if let origin { headers["Origin"] = origin }
    return TestClient(try await WebSocketClient.connect(signal, headers: headers))
  }

  /// A client in a room, and its welcome. `offer` and `tracks` as ``TestMediaPlane`` reads them.
  func join(
    _ room: String, _ name: String, offer: String = "", tracks: [TrackDescription] = [], token: String? = nil,
    enters: String? = nil, origin: String? = nil, e2ee: Bool? = nil
  ) async throws -> (TestClient, ServerMessage.Welcome) {
    let token = if let token { token } else { try await discover(room).token ?? "" }
    let client = try await connect(origin: origin)
    try client.send(.join(.init(token: token, room: enters, name: name, offer: offer, tracks: tracks, e2ee: e2ee)))
    let message = try await client.next()
    guard case .welcome(let welcome) = message else { throw Unexpected(message) }
    return (client, welcome)
  }

  /// The first message that a join is answered with.
  func answer(
    toJoin room: String, _ name: String, token: String? = nil, e2ee: Bool? = nil
  ) async throws -> ServerMessage? {
    let token = if let token { token } else { try await discover(room).token ?? "" }
    let client = try await connect()
    try client.send(.join(.init(token: token, name: name, offer: "", tracks: [], e2ee: e2ee)))
    return try await client.next()
  }
}

struct TestAnswer: Sendable {
  var status: Int
  var headers: HTTPHeaders
  var body: [UInt8]
  var text: String { String(decoding: body, as: UTF8.self) }
}

/// Another message than the one waited for.
struct Unexpected: Error, CustomStringConvertible {
  let description: String
  init(_ message: ServerMessage?) { description = "unexpected: \(message.map { "\($0)" } ?? "the socket was closed")" }
  init(text: String) { description = text }
}

/// A client that speaks the signalling protocol over a real WebSocket.
struct TestClient: Sendable {
  let socket: WebSocketConnection

  init(_ socket: WebSocketConnection) { self.socket = socket }

  func send(_ message: ClientMessage) throws { socket.send(text: try SignalingEncoder().encode(message)) }
  func send(text: String) { socket.send(text: text) }

  /// The next message; nil when the socket was closed.
  func next() async throws -> ServerMessage? {
    let message = try await bounded { await socket.receive() }
    guard case .text(let text) = message else { return nil }
    return try SignalingDecoder().serverMessage(from: Array(text.utf8))
  }

  /// The first message that `match` takes, those before it dropped.
  func first<Value>(_ match: (ServerMessage) throws -> Value?) async throws -> Value {
    var seen: [ServerMessage] = []
    while let message = try await next() {
      if let value = try match(message) { return value }
      seen.append(message)
    }
    throw Unexpected(text: "the socket was closed after \(seen)")
  }

  /// The fatal or harmless error that comes next.
  func error() async throws -> (code: SignalingErrorCode, fatal: Bool) {
    try await first { if case .error(let code, _, let fatal, _) = $0 { (code, fatal) } else { nil } }
  }

  /// Waits for all that the server had to say before this: its answer to a ping. Returns what came before it.
  func drain() async throws -> [ServerMessage] {
    let mark = Double.random(in: 1...1_000_000)
    try send(.ping(time: mark))
    var before: [ServerMessage] = []
    while let message = try await next() {
      if message == .pong(time: mark) { return before }
      before.append(message)
    }
    throw Unexpected(text: "the socket was closed after \(before)")
  }

  func close() async {
    socket.close()
    _ = await socket.closed()
  }
}
