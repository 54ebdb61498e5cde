import Basics
import Foundation
import Meetings
import RTC
import Transport

/// A client of the measured service, through its public interfaces. Each request has a connection of its own.
final class ServiceClient: Sendable {
  private let api: String
  private let url: String
  private let meetings: Int
  private let tokens: Int
  private let key: String
  private let secret: Secret<String>
  private let dtls: DTLSContext
  let mailboxes: MailboxClients

  init(
    _ server: ServiceProcess, meetings: Int, tokens: Int, store: FullStore, mailboxes: MailboxClients
  ) throws {
    api = "http://127.0.0.1:\(server.admin)/api/v1/"
    url = "127.0.0.1:\(server.port)"
    self.meetings = meetings
    self.tokens = tokens
    key = store.key
    secret = store.secret
    self.mailboxes = mailboxes
    dtls = try DTLSContext(certificate: .selfSigned(unixTime: Int64(Date().timeIntervalSince1970)))
  }

  typealias Operation = (name: String, run: @Sendable (ServiceClient, Int) async throws -> Double)

  static let operations: [Operation] = [
    ("list meetings, 50 of them, any page", { try await $0.list($1) }),
    ("list meetings of the tenant, 50 of them, any page", { try await $0.list($1, "&tenant=parley") }),
    ("list tokens, 50 of them, any page", { try await $0.listTokens($1, "") }),
    ("list tokens of the tenant", { try await $0.listTokens($1, "&tenant=parley") }),
    ("list tokens of a room that has few", { try await $0.listTokens(nil, "&room=room-\($1)") }),
    ("list tokens of a room that has none", { try await $0.listTokens(nil, "&room=nowhere-\($1)") }),
    ("list tokens of such a room of the tenant", { try await $0.listTokens(nil, "&tenant=parley&room=nowhere-\($1)") }),
    ("list the audit log, 50 entries, any page", { try await $0.audit($1) }),
    ("create a meeting (`POST /api/v1/meetings`)", { client, _ in try await client.create() }),
    ("create an ad-hoc meeting (`POST /GetAdhocMeetingJob`)", { client, _ in try await client.adHoc() }),
    ("issue a token (`POST /api/v1/tokens`)", { client, _ in try await client.issue() }),
    ("revoke a token (`DELETE /api/v1/tokens/…`)", { client, _ in try await client.revoke() }),
    ("check a good token (`GET /discover/…`)", { try await $0.check($1, isRevoked: false) }),
    ("check a revoked token", { try await $0.check($1, isRevoked: true) }),
    ("join: WebSocket opened until `welcome`", { try await $0.join($1) }),
  ]

  /// Those of the messaging service.
  static let messaging: [Operation] = [
    ("look 50 identities up (`identitiesGet`)", { try await $0.mailboxes.lookUp($1) }),
    ("send a message to a mailbox (`messageSend`)", { try await $0.mailboxes.send($1) }),
    ("fetch 50 messages of a chat (`history`)", { try await $0.mailboxes.fetch($1) }),
  ]

  /// A place that jumps over all of them.
  private func any(_ round: Int, of count: Int) -> Int { round &* 7_919 % max(count, 1) }

  private func list(_ round: Int, _ filter: String = "") async throws -> Double {
    let index = any(round, of: meetings)
    let before = Int(Date().timeIntervalSince1970 * 1_000) - (meetings - index) * 60_000
    return try await timed("GET", "\(api)meetings?limit=50&after=\(before).m_bench\(filter)", 200).milliseconds
  }

  /// Any page, or for nil the first.
  private func listTokens(_ round: Int?, _ filter: String) async throws -> Double {
    let page = round.map { "&after=\(any($0, of: tokens) + 51)" } ?? ""
    return try await timed("GET", "\(api)tokens?limit=50\(page)\(filter)", 200).milliseconds
  }

  private func audit(_ round: Int) async throws -> Double {
    try await timed("GET", "\(api)audit?limit=50&after=\(any(round, of: tokens) + 51)", 200).milliseconds
  }

  private func create() async throws -> Double {
    try await timed("POST", api + "meetings", 201, "{\"room\":\"new-\(RandomID.text(characters: 20))\"}").milliseconds
  }

  private func adHoc() async throws -> Double {
    try await timed("POST", "http://\(url)/GetAdhocMeetingJob", 200, "Subject=bench").milliseconds
  }

  private func issue() async throws -> Double {
    try await timed("POST", api + "tokens", 201, "{\"room\":\"room-1\",\"expiresIn\":3600}").milliseconds
  }

  private func revoke() async throws -> Double {
    try await timed("DELETE", api + "tokens/\(RandomID.text(characters: 20))", 204).milliseconds
  }

  private func check(_ round: Int, isRevoked: Bool) async throws -> Double {
    let room = "room-\(any(round, of: meetings))"
    let id = isRevoked ? String(format: "revoked%013d", any(round, of: tokens)) : RandomID.text(characters: 20)
    let address = "http://\(url)/discover/\(room)?anonymousMeetingJoinContext=psat%3d\(try token(room, id: id))"
    return try await timed("GET", address, isRevoked ? 401 : 200).milliseconds
  }

  /// Opens a socket, joins with a real offer of a microphone, a camera and places for six others, and leaves again.
  private func join(_ round: Int) async throws -> Double {
    let room = "room-\(any(round, of: meetings))"
    let token = try token(room, id: RandomID.text(characters: 20))
    let peer = PeerConnection(
      .client,
      configuration: PeerConnectionConfiguration(dtls: dtls, sockets: [], codecs: [.opus, .vp8]))
    let tracks = [(peer.addTrack(.audio).rawValue, "microphone"), (peer.addTrack(.video).rawValue, "camera")]
    for _ in 0..<3 {
      _ = peer.addSlot(.audio)
      _ = peer.addSlot(.video)
    }
    let join: [String: Any] = [
      "type": "join", "token": token, "name": "Ann", "offer": try peer.createOffer(), "client": "service-bench",
      "tracks": tracks.map { ["mid": $0.0, "source": $0.1, "muted": false] as [String: Any] },
    ]
    let text = String(decoding: try JSONSerialization.data(withJSONObject: join), as: UTF8.self)
    let start = ContinuousClock.now
    let socket = try await WebSocketClient.connect("ws://\(url)/signal")
    socket.send(text: text)
    guard case .text(let answer) = await socket.receive(), answer.contains("\"welcome\"") else {
      throw BenchFailure("the join was not answered with welcome")
    }
    let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
    socket.send(text: #"{"type":"leave"}"#)
    while await socket.receive() != nil {}
    return milliseconds
  }

  // MARK: Parts

  /// A token that the tenant's own server would sign.
  private func token(_ room: String, id: String) throws -> String {
    let end = Int(Date().timeIntervalSince1970) + 3_600
    return try SharedKey(secret).sign(
      Array("{\"iss\":\"\(key)\",\"exp\":\(end),\"room\":\"\(room)\",\"jti\":\"\(id)\"}".utf8))
  }

  private func timed(
    _ method: String, _ url: String, _ status: Int, _ body: String? = nil
  ) async throws -> (milliseconds: Double, answer: HTTPClient.Response) {
    var headers = HTTPHeaders()
    if let body {
      headers["Content-Type"] = body.hasPrefix("{") ? "application/json" : "application/x-www-form-urlencoded"
    }
    let start = ContinuousClock.now
    let answer = try await HTTPClient.request(method, url, headers: headers, body: Array((body ?? "").utf8))
    let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
    guard answer.status == status else {
      throw BenchFailure("\(method) \(url.prefix(120)) was answered \(answer.status): \(answer.text.prefix(200))")
    }
    return (milliseconds, answer)
  }
}
