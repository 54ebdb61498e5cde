import Crypto
import FoundationEssentials
import Meetings
import Messaging
import Transport

/// Key storage for apps of a domain without key management: `GET` and `PUT /messaging/v1/kms/<domain>/<user>`, with the
/// identity provider's token as `Authorization: Bearer`.
struct KeyRecordEndpoints: Sendable {
  let store: any MeetingStore
  let authenticator: DomainAuthenticator
  let counters: MessagingCounters
  let log: Log

  static let prefix = MessagingLimits.path + "/kms/"

  /// The whole record for its user, and the public part for others.
  func read(_ domain: String, _ segment: String, _ request: HTTPRequest) async throws(Refusal) -> HTTPResponse {
    try await counting(.read) { () async throws(Refusal) in try await record(domain, segment, request) }
  }

  /// Merges keys into the caller's own record.
  func change(_ domain: String, _ segment: String, _ request: HTTPRequest) async throws(Refusal) -> HTTPResponse {
    try await counting(.written) { () async throws(Refusal) in try await changed(domain, segment, request) }
  }

  private func counting(
    _ outcome: MessagingCounters.KeyRecordOutcome, _ body: () async throws(Refusal) -> HTTPResponse
  ) async throws(Refusal) -> HTTPResponse {
    do throws(Refusal) {
      let response = try await body()
      counters.count(outcome)
      return response
    } catch {
      counters.count(.refused)
      throw error
    }
  }

  private func record(
    _ domain: String, _ segment: String, _ request: HTTPRequest
  ) async throws(Refusal) -> HTTPResponse {
    let user = try Self.user(segment)
    let (domain, caller) = try await caller(of: request, domain)
    let record = try await reach { try $0.keyRecord(of: user, in: domain.id) }
    guard let record else { throw Refusal(404, "noKeys", "The user has stored no keys.") }
    return try Self.answer(caller.isSameUser(as: user) ? record : record.publicPart)
  }

  private func changed(
    _ domain: String, _ segment: String, _ request: HTTPRequest
  ) async throws(Refusal) -> HTTPResponse {
    let user = try Self.user(segment)
    let (domain, caller) = try await caller(of: request, domain)
    guard caller.isSameUser(as: user) else { throw Refusal(401, "badCredential", "Users store their own keys only.") }
    let body = request.body
    let changed = try await reach { mailboxes -> KeyRecord? in
      let old = try mailboxes.keyRecord(of: user, in: domain.id) ?? KeyRecord()
      guard let record = old.applying(body), try record.json().count <= KeyRecord.maximumBytes else { return nil }
      try mailboxes.put(record, of: user, in: domain.id)
      return record
    }
    guard let changed else {
      throw Refusal(
        400, "badKeys", "An object with keys and replace is expected, and a record of at most 1 MiB.")
    }
    return try Self.answer(changed)
  }

  /// The user id of a path's segment: as it is, or in base64url after a tilde. A path can't have every user id: its
  /// slashes and dots mean something else.
  static func user(_ segment: String) throws(Refusal) -> String {
    guard segment.hasPrefix("~") else { return segment }
    guard let bytes = Base64URL.decode(segment.dropFirst()), let user = String(validating: bytes, as: UTF8.self) else {
      throw Refusal(400, "badUser", "After a tilde, the user id is expected in base64url.")
    }
    return user
  }

  private func caller(
    of request: HTTPRequest, _ id: String
  ) async throws(Refusal) -> (domain: MessagingDomain, user: String) {
    guard let token = AdminGate.bearer(request.headers["authorization"]) else {
      throw Refusal(401, "badCredential", "Send the identity provider's token as Authorization: Bearer.")
    }
    let found = DomainID.accepts(id) ? try await reach { try $0.domain(DomainID(id)) } : nil
    guard let found, !found.settings.hasKeyManagement else {
      throw Refusal(404, "noSuchDomain", "There is no such domain without key management.")
    }
    do throws(MessagingFailure) {
      return (found, try await authenticator.user(of: token, in: found).userId)
    } catch {
      if error.code == .providerUnavailable { throw Refusal(503, "providerUnavailable", error.message) }
      throw Refusal(401, "badCredential", error.message)
    }
  }

  private func reach<Answer: Sendable>(
    _ body: @Sendable (any MailboxTransaction) throws -> Answer
  ) async throws(Refusal) -> Answer {
    do {
      return try await store.mailboxes(body)
    } catch {
      log.error("messaging.keys", ["reason": "\(error)"])
      throw Refusal(503, "dataFailed", "The server cannot reach its data just now.")
    }
  }

  private static func answer(_ record: KeyRecord) throws(Refusal) -> HTTPResponse {
    guard let json = try? record.json() else { throw Refusal(500, "internal", "The keys cannot be written as JSON.") }
    return HTTPResponse(
      headers: ["Content-Type": "application/json", "Cache-Control": "no-store"], body: json
    ).withCrossOriginAccess()
  }
}
