import Basics
import Foundation
import FoundationNetworking
import Meetings
import TestSupport

/// The key and the secret of a server's default tenant, and what an app's own server makes with them.
struct Project {
  let key: String
  private let secret: Secret<String>

  init(_ live: LiveSession) async throws {
    let store = try await MeetingStores.open(folder: live.folder + "/data")
    let tenant = try await store.defaultTenant(now: Date())
    let keys = try await store.apiKeys(of: tenant.id)
    await store.close()
    guard let first = keys.first else { throw StillMissing("a secret of the default tenant") }
    (key, secret) = (tenant.apiKey, first.secret)
  }

  func session() -> String { OpenTokSession.make(apiKey: key, now: Date()).text }

  /// Another session of the same key, whose id differs by the case of one letter.
  static func twin(of id: String) -> String? {
    for place in id.indices.reversed() where id[place].isLetter {
      var other = id
      let letter = String(id[place])
      other.replaceSubrange(
        place...place, with: letter == letter.lowercased() ? letter.uppercased() : letter.lowercased())
      if OpenTokSession(other)?.apiKey == OpenTokSession(id)?.apiKey { return other }
    }
    return nil
  }

  /// A session whose id is as long as one can be.
  func longSession() -> String {
    let head = "1~\(key)~~1700000000000~"
    let text = head + String(repeating: "x", count: 189 - head.utf8.count)
    return "2_"
      + Data(text.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_")
  }

  /// The streams of a session as the REST API lists them: when each began, by its id.
  func streams(of session: String, _ live: LiveSession) async throws -> [String: Date] {
    struct List: Decodable {
      struct Item: Decodable {
        var id: String
        var createdAt: Double
      }
      var items: [Item]
    }
    guard let url = URL(string: "\(live.url)/v2/project/\(key)/session/\(session)/stream") else { return [:] }
    var request = URLRequest(url: url)
    request.setValue("\(key):\(secret.value)", forHTTPHeaderField: "X-TB-PARTNER-AUTH")
    let list = try JSONDecoder().decode(List.self, from: try await URLSession.shared.data(for: request).0)
    return Dictionary(
      uniqueKeysWithValues: list.items.map { ($0.id, Date(timeIntervalSince1970: $0.createdAt / 1_000)) })
  }

  /// A token for a session, signed with the project's secret unless another one is given.
  func token(
    _ session: String, role: String = "publisher", data: String? = nil, seconds: Int = 3_600, secret: String? = nil
  ) throws -> String {
    try Self.token(
      session, key: key, secret: secret.map { Secret($0) } ?? self.secret, role: role, data: data, seconds: seconds)
  }

  /// A token for whoever records a session, as Parley makes them.
  static func recorderToken(_ session: String, _ live: LiveSession) async throws -> Secret<String> {
    let store = try await MeetingStores.open(folder: live.folder + "/data")
    let tenant = try await store.defaultTenant(now: Date())
    let token = JoinToken(
      tenant: tenant.id, target: .room(try RoomName(session)), role: .recorder, notBefore: Date() - 10,
      expires: Date() + 3_600)
    let signed = try JoinAuthority(store: store).sign(token, tenant: tenant)
    await store.close()
    return signed
  }

  /// A key that no server knows, with a session and a token of its own: nothing is wrong with them but that.
  static func unknown() throws -> (key: String, session: String, token: String) {
    let session = OpenTokSession.make(apiKey: "46000001", now: Date()).text
    let secret = Secret("0123456789abcdef0123456789abcdef01234567")
    return ("46000001", session, try token(session, key: "46000001", secret: secret))
  }

  private static func token(
    _ session: String, key: String, secret: Secret<String>, role: String = "publisher", data: String? = nil,
    seconds: Int = 3_600
  ) throws -> String {
    let now = Int(Date().timeIntervalSince1970)
    var claims: [String: Any] = [
      "iss": key, "ist": "project", "iat": min(now, now + seconds - 60), "exp": now + seconds, "session_id": session,
      "role": role, "scope": "session.connect",
    ]
    claims["connection_data"] = data
    let bytes = try JSONSerialization.data(withJSONObject: claims, options: .sortedKeys)
    return try SharedKey(secret).sign(Array(bytes))
  }
}
