import Basics
import Foundation
import Meetings
import Transport

@testable import MeetingServer

/// The OpenTok REST API of a test server, called as a project's own server does.
struct OpenTokServer: Sendable {
  let server: TestServer
  let key: String
  let secret: Secret<String>

  init(_ server: TestServer) async throws {
    self.server = server
    let store = try await server.store()
    let tenant = try await store.defaultTenant(now: Date())
    guard let secret = try await store.apiKeys(of: tenant.id).first?.secret else { throw Unexpected(text: "no secret") }
    await store.close()
    self.secret = secret
    key = tenant.apiKey
  }

  /// A JWT for one request.
  func jwt(_ more: String = "", after seconds: Int = 180) throws -> String {
    let now = Int(Date().timeIntervalSince1970)
    let claims = "{\"iss\":\"\(key)\",\"ist\":\"project\",\"iat\":\(now),\"exp\":\(now + seconds)\(more)}"
    return try SharedKey(secret).sign(Array(claims.utf8))
  }

  /// A token with which a client joins a session.
  func token(_ session: String, role: String = "publisher", _ more: String = "") throws -> String {
    try jwt(",\"session_id\":\"\(session)\",\"role\":\"\(role)\",\"scope\":\"session.connect\"\(more)", after: 3_600)
  }

  func session(_ form: String = "p2p.preference=enabled&archiveMode=manual") async throws -> String {
    let answer = try await server.post(
      "/session/create", form,
      headers: [
        "X-OPENTOK-AUTH": try jwt(), "Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded",
      ])
    guard answer.status == 200, let list = try answer.json as? [[String: Any]],
      let id = list.first?["session_id"] as? String
    else { throw Unexpected(text: "\(answer.status): \(answer.text)") }
    return id
  }

  /// A call of the project: `path` is what follows its key.
  func call(
    _ method: String, _ path: String, _ body: String? = nil, headers: HTTPHeaders = [:], key: String? = nil
  ) async throws -> TestAnswer {
    var all: HTTPHeaders = ["X-OPENTOK-AUTH": try jwt()]
    if body != nil { all["Content-Type"] = "application/json" }
    for (name, value) in headers.fields { all[name] = value.isEmpty ? nil : value }
    return try await TestServer.request(
      method, "\(server.url)/v2/project/\(key ?? self.key)/\(path)", all, body.map { Array($0.utf8) })
  }
}

extension TestAnswer {
  /// The body as JSON.
  var json: Any { get throws { try JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed) } }

  /// The stable code of an error, once its form is what the server SDKs read.
  var openTokCode: String? {
    guard let object = try? json as? [String: Any], object["code"] as? Int == status,
      let message = object["message"] as? String, !message.isEmpty, object["description"] as? String == message
    else { return nil }
    return object["error"] as? String
  }

  /// The value of a key in a JSON object.
  subscript(key: String) -> Any? { (try? json as? [String: Any])?[key] }
}
