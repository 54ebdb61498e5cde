import Signaling
import Testing

@testable import MeetingServer

extension TestServer {
  /// A client in a room with a token of a role that may moderate, and its welcome.
  func host(
    _ room: String, _ name: String, role: String = "moderator", claims: String = "", offer: String = "",
    tracks: [TrackDescription] = []
  ) async throws -> (TestClient, ServerMessage.Welcome) {
    try await join(
      room, name, offer: offer, tracks: tracks, token: try await token(room, #","role":"\#(role)"\#(claims)"#))
  }

  /// The welcome of somebody who comes, looks and goes.
  func look(_ room: String) async throws -> ServerMessage.Welcome {
    let (client, welcome) = try await join(room, "Visitor")
    try client.send(.leave)
    while try await client.next() != nil {}
    return welcome
  }

  /// Why a token is refused.
  func refused(_ room: String, _ token: String) async throws -> SignalingErrorCode {
    let client = try await connect()
    try client.send(.join(.init(token: token, name: "X", offer: "", tracks: [])))
    let error = try await client.error()
    await client.close()
    return error.code
  }
}

extension TestClient {
  /// Sends a request, and waits until it was carried out; what came before is dropped. Fails when it is refused.
  func ask(_ request: RoomRequest) async throws {
    let id = Int.random(in: 1_000...1_000_000)
    try send(.room(request, id: id))
    try await first { (message: ServerMessage) throws -> Void? in
      switch message {
      case .room(.done(id)): return ()
      case .error(_, let text, _, id): throw Unexpected(text: "\(request) was refused: \(text)")
      default: return nil
      }
    }
  }

  /// The next notice that `match` takes.
  func notice<Value>(_ match: (RoomNotice) -> Value?) async throws -> Value {
    try await first { if case .room(let notice) = $0 { match(notice) } else { nil } }
  }

  /// The parts of the next refusal.
  func refusal() async throws -> (code: SignalingErrorCode, text: String, id: Int?) {
    try await first { if case .error(let code, let text, false, let id) = $0 { (code, text, id) } else { nil } }
  }
}
