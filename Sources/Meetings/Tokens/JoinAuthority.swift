public import Basics
public import FoundationEssentials

/// The one place that decides who gets into a meeting. Every door (WebSocket, HTTP, relays, recordings) asks it.
public actor JoinAuthority {
  private let store: any MeetingStore
  private var keys: [String: (tenant: TenantID, key: SigningKey)] = [:]

  /// An authority over the meetings of `store`.
  public init(store: any MeetingStore) { self.store = store }

  /// Signs a token of `tenant`.
  public func sign(_ token: JoinToken, tenant: Tenant) throws -> Secret<String> {
    try token.signed(with: try key(of: tenant))
  }

  /// Checks everything about a token: its form, signature, time, revocation, meeting and the page it is used from.
  ///
  /// `origin` is the `Origin` header, nil when there was none (not a browser). `ownOrigin` is the origin under which
  /// the caller reached this server; pages from there are always allowed. `room` is the room that the caller means, nil
  /// when only the token says which.
  public func admit(
    token: Secret<String>, origin: String?, ownOrigin: WebOrigin?, room: RoomName? = nil, now: Date
  ) async throws(JoinRefusal) -> Admission {
    let proved = try await prove(token)
    guard proved.notBefore <= now.addingTimeInterval(JoinToken.leeway) else { throw .badToken }
    guard now < proved.expires else { throw .tokenExpired }
    if let origin {
      guard let origin = WebOrigin(origin), origin == ownOrigin || proved.allowedOrigins.contains(origin) else {
        throw .wrongOrigin
      }
    }
    let meeting: MeetingRecord?
    do {
      if try await store.isRevoked(proved.id) { throw JoinRefusal.badToken }
      meeting = try await store.meeting(id: proved.meeting)
    } catch let error as JoinRefusal {
      throw error
    } catch {
      throw .unavailable("\(error)")
    }
    guard let meeting, meeting.tenant == proved.tenant else { throw .noSuchMeeting }
    if let room, room != meeting.room { throw .wrongMeeting(token: meeting.room.display, address: room.display) }
    guard !meeting.isExpired(at: now) else { throw .meetingExpired }
    return Admission(meeting: meeting, token: proved)
  }

  /// Refuses a token from now on, for instance of someone who was removed.
  public func revoke(_ token: JoinToken) async throws(MeetingStoreError) {
    try await store.revoke(token.id, expires: token.expires)
  }

  private func prove(_ token: Secret<String>) async throws(JoinRefusal) -> JoinToken {
    var text = Substring(token.value)
    guard text.utf8.count <= JoinToken.maximumLength else { throw .badToken }
    if text.hasPrefix(JoinToken.prefix) { text = text.dropFirst(JoinToken.prefix.count) }
    let compact = String(text)
    guard let keyID = SigningKey.claimedKeyID(of: compact), keyID.utf8.count <= 64 else { throw .badToken }
    if keys[keyID] == nil {
      do {
        if let tenant = try await store.tenant(signingKeyID: keyID) { _ = try key(of: tenant) }
      } catch {
        throw .unavailable("\(error)")
      }
    }
    guard let entry = keys[keyID] else { throw .badToken }
    let proved = try JoinToken(proving: compact, with: entry.key)
    guard proved.tenant == entry.tenant else { throw .badToken }
    return proved
  }

  private func key(of tenant: Tenant) throws(SigningKeyError) -> SigningKey {
    if let entry = keys[tenant.signingKeyID] { return entry.key }
    let key = try SigningKey(privateJWK: tenant.signingKey, keyID: tenant.signingKeyID)
    keys[tenant.signingKeyID] = (tenant.id, key)
    return key
  }
}

/// The authority's yes: the meeting, and what the holder of the token may do in it.
public struct Admission: Sendable, Hashable {
  /// The meeting to enter.
  public var meeting: MeetingRecord
  /// The proved token.
  public var token: JoinToken

  /// An admission.
  public init(meeting: MeetingRecord, token: JoinToken) {
    self.meeting = meeting
    self.token = token
  }
}

/// The authority's no. The codes are those of the signalling protocol.
public enum JoinRefusal: Error, Sendable, Equatable {
  case badToken, tokenExpired, wrongOrigin, noSuchMeeting, meetingExpired
  /// The token is good, and for another room than the one that was asked for.
  case wrongMeeting(token: String, address: String)
  /// The store failed; the text is for the log, not for the client.
  case unavailable(String)

  /// The stable code.
  public var code: String {
    switch self {
    case .badToken: "badToken"
    case .tokenExpired: "tokenExpired"
    case .wrongOrigin: "wrongOrigin"
    case .noSuchMeeting: "noSuchMeeting"
    case .meetingExpired: "meetingExpired"
    case .wrongMeeting: "wrongMeeting"
    case .unavailable: "internal"
    }
  }
}

extension JoinRefusal: CustomStringConvertible {
  /// What happened and what to do, as a sentence. Says nothing that helps to forge a token.
  public var description: String {
    switch self {
    case .badToken: "The join token is not valid for this server. Ask for a new one."
    case .tokenExpired: "The join token has expired. Ask for a new one."
    case .wrongOrigin: "The join token may not be used from this web page's origin."
    case .noSuchMeeting: "There is no such meeting."
    case .meetingExpired: "The meeting is over."
    case .wrongMeeting(let token, let address):
      "The join token is for the meeting \(token), and the address names \(address). Use the address that the token was given for, or ask for a token for \(address)."
    case .unavailable: "The server cannot check the token just now. Try again in a moment."
    }
  }
}
