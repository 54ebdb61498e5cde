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
    guard let json = try await reach({ try $0.keyRecord(of: user, in: domain.id) }) else {
      throw Refusal(404, "noKeys", "The user has stored no keys.")
    }
    if caller.isSameUser(as: user) { return Self.answer(Array(json.utf8)) }
    guard let part = try? KeyRecord(json: Array(json.utf8))?.publicPart.json() else {
      throw Refusal(500, "internal", "The keys cannot be read as JSON.")
    }
    return Self.answer(part)
  }

  private func changed(
    _ domain: String, _ segment: String, _ request: HTTPRequest
  ) async throws(Refusal) -> HTTPResponse {
    let user = try Self.user(segment)
    let (domain, caller) = try await caller(of: request, domain)
    guard caller.isSameUser(as: user) else { throw Refusal(401, "badCredential", "Users store their own keys only.") }
    for _ in 0..<Self.rounds {
      let known = try await reach { try $0.keyRecord(of: user, in: domain.id) }
      let old = known.flatMap { KeyRecord(json: Array($0.utf8)) } ?? KeyRecord()
      guard let json = try? old.applying(request.body)?.json(), json.count <= KeyRecord.maximumBytes else {
        throw Refusal(
          400, "badKeys",
          "An object with keys and replace is expected, and a record of at most 1 MiB (keyRecordBytes) and "
            + "\(MessagingLimits.keyRecordValues) values (keyRecordValues), nested at most "
            + "\(MessagingLimits.keyRecordDepth) deep (keyRecordDepth).")
      }
      let text = String(decoding: json, as: UTF8.self)
      let added = json.count - (known?.utf8.count ?? 0)
      let isStored = try await reach { transaction -> Bool? in
        let usage = try transaction.usage(of: domain.id)
        guard added <= 0 || usage.bytes + added <= usage.limit else { return nil }
        return try transaction.put(keyRecord: text, ifStill: known, of: user, in: domain.id)
      }
      guard let isStored else {
        throw Refusal(
          507, "domainBytes", "The domain stores as many bytes as it may. Its operator can raise the bound.")
      }
      if isStored { return Self.answer(json) }
    }
    throw Refusal(409, "keysChanged", "Others of the user's devices change the record at this moment. Try again.")
  }

  /// How often a change is tried when others are faster.
  private static let rounds = 3

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
    guard let token = request.bearerToken else {
      throw Refusal(401, "badCredential", "Send the identity provider's token as Authorization: Bearer.")
    }
    let found = DomainID.accepts(id) ? try await reach { try $0.domain(DomainID(id)) } : nil
    guard let found, !found.isBeingRemoved, !found.settings.hasKeyManagement else {
      throw Refusal(404, "noSuchDomain", "There is no such domain without key management.")
    }
    do throws(MessagingFailure) {
      return (found, try await authenticator.user(of: token, in: found).userId)
    } catch {
      if error.code == .providerUnavailable { throw Refusal(503, "providerUnavailable", error.message) }
      if error.code == .unavailable { throw Refusal(503, "unavailable", error.message) }
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

  private static func answer(_ json: [UInt8]) -> HTTPResponse {
    HTTPResponse(
      headers: ["Content-Type": "application/json", "Cache-Control": "no-store"], body: json
    ).withCrossOriginAccess()
  }
}
