import Basics
import Foundation
import Meetings
import Signaling
import TestSupport
import Testing

@testable import MeetingServer

extension TestServer {
  /// Makes a meeting of the default tenant under a name of its own.
  func makeMeeting(
    _ room: String, _ level: AccessLevel = .everyone, capacity: Int? = nil, passcode: String? = nil,
    lobby: LobbySettings = LobbySettings()
  ) async throws {
    let store = try await store()
    let tenant = try await store.defaultTenant(now: Date())
    try await store.transaction {
      try $0.insert(
        MeetingRecord(
          tenant: tenant.id, room: try RoomName(room), kind: .named, subject: "Secret plans", accessLevel: level,
          created: Date(), capacity: capacity, passcode: try passcode.map { try PasscodeHash(Secret($0)) }, lobby: lobby
        ))
    }
    await store.close()
  }

  /// A host in the room, past the `lobby` message that comes after the welcome.
  func lobbyHost(_ room: String, _ name: String = "Ann", offer: String = "") async throws -> (TestClient, String) {
    let (client, welcome) = try await join(
      room, name, offer: offer, token: try await token(room, #","role":"moderator""#))
    _ = try await client.lobby()
    return (client, welcome.participant)
  }

  /// A guest who has asked to come in, and the answer.
  func knock(
    _ room: String, _ name: String, offer: String = "", tracks: [TrackDescription] = [], token: String? = nil,
    enters: String? = nil, passcode: String? = nil
  ) async throws -> (TestClient, ServerMessage?) {
    let client = try await connect()
    let token = if let token { token } else { try await discover(room).token ?? "" }
    try client.send(
      .join(.init(token: token, room: enters, name: name, offer: offer, tracks: tracks, passcode: passcode)))
    return (client, try await client.next())
  }
}

extension TestClient {
  /// The next state of the lobby.
  func lobby() async throws -> LobbyInfo {
    try await first { if case .lobby(let info) = $0 { info } else { nil } }
  }

  /// The first state of the lobby in which these wait.
  @discardableResult func lobby(of names: [String]) async throws -> LobbyInfo {
    try await first { if case .lobby(let info) = $0, info.waiting.map(\.name) == names { info } else { nil } }
  }

  func welcome() async throws -> ServerMessage.Welcome {
    try await first { if case .welcome(let welcome) = $0 { welcome } else { nil } }
  }

  /// The next frame as it came; nil when the socket was closed.
  func text() async throws -> String? {
    let message = try await bounded { await socket.receive() }
    guard case .text(let text) = message else { return nil }
    return text
  }
}
