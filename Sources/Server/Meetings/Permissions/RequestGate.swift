/// A limit that is reached: of an address, a token, a tenant, a meeting or the server.
public struct LimitReached: Error, Sendable, Hashable {
  /// The name of the limit where it is set.
  public var limit: Limit
  /// The limit that was reached and the remedy, as sentences.
  public var text: String

  /// A limit that is reached.
  public init(_ limit: Limit, _ text: String) {
    self.limit = limit
    self.text = text
  }

  /// The limits there are, by the names of their settings.
  public enum Limit: String, Sendable, Hashable, CaseIterable {
    /// Requests a second of one address.
    case addressRate
    /// Requests a second of one address that make or change something, without a credential.
    case addressWriteRate
    /// Requests a second with one token.
    case tokenRate
    /// Requests a second of one tenant.
    case maximumRequests
    /// Meetings of a tenant at once.
    case maximumMeetings
    /// Participants of a tenant at once.
    case maximumParticipants
    /// Meetings that are kept for a tenant.
    case maximumStoredMeetings
    /// Participants in one meeting.
    case capacity
    /// Rights used in meetings whose entries in the audit log wait to be written.
    case auditBacklog
    /// Wrong tokens of the administration from one address.
    case adminAttempts
    /// Connections at once of one address.
    case addressConnections
    /// Connections at once of everybody.
    case connections
    /// Bytes of a tenant's chat files at once.
    case maximumChatBytes
    /// Bytes of a meeting's chat files at once.
    case chatMeetingLimit
    /// Bytes of one chat file.
    case chatFileLimit
    /// Chat files that one participant sends at once or one after the other.
    case chatFileRate
    /// Bytes of chat files that are on their way at once.
    case chatUploads
    /// People who wait to be let into a meeting.
    case lobbyPlaces
    /// Wrong passcodes for a meeting.
    case passcodeAttempts
    /// Passcodes that wait to be checked or set.
    case passcodeQueue
    /// Signalling messages a second of one client.
    case messageRate
    /// Bytes a second of one participant's messages that are passed on to others.
    case senderRate
    /// Bytes and messages a second that are passed on in one meeting.
    case meetingRate
    /// Bytes of data messages a second that are passed on in one meeting.
    case meetingDataRate
    /// Bytes a second of one participant's keys that are passed on in an encrypted meeting.
    case keyRate
    /// Bytes a second of all participants' keys that one of them gets.
    case keyReceiverRate
    /// Webhooks of a tenant.
    case webhooks
    /// Secrets of a tenant that are good at once.
    case secrets

    /// The place where it is set: an option of `parley serve`, a command, or `fixed`.
    public var setting: String {
      switch self {
      case .addressRate: "--address-rate"
      case .addressWriteRate: "--address-write-rate"
      case .tokenRate: "--token-rate"
      case .maximumRequests: "parley tenant set --max-requests"
      case .maximumMeetings: "parley tenant set --max-meetings"
      case .maximumParticipants: "parley tenant set --max-participants"
      case .maximumStoredMeetings: "--max-stored-meetings, also of parley tenant set"
      case .capacity: "--max-participants, parley meeting create --capacity"
      case .adminAttempts: "--admin-attempts"
      case .addressConnections: "--address-connections"
      case .connections: "--connections"
      case .maximumChatBytes: "parley tenant set --max-chat-kib, --chat-tenant-limit"
      case .chatMeetingLimit: "--chat-meeting-limit"
      case .senderRate: "--sender-rate"
      case .meetingRate: "--meeting-rate"
      case .meetingDataRate: "--meeting-data-rate"
      case .chatFileLimit: "--chat-file-limit, also of parley tenant set and parley meeting create"
      case .auditBacklog, .chatFileRate, .chatUploads, .lobbyPlaces, .passcodeAttempts, .passcodeQueue, .messageRate,
        .keyRate, .keyReceiverRate,
        .webhooks, .secrets:
        "fixed"
      }
    }
  }
}

/// Says whether a tenant, or the holder of a token, asks too often. Every endpoint that knows whose request it is asks
/// here.
public struct RequestGate: Sendable {
  /// Why a tenant's request is refused; nil when it is not.
  public var tenant: @Sendable (Tenant) -> LimitReached?
  /// Why a request with a token is refused; nil when it is not.
  public var token: @Sendable (JoinGrant) -> LimitReached?

  /// A gate. Without anything it is always open.
  public init(
    tenant: @escaping @Sendable (Tenant) -> LimitReached? = { _ in nil },
    token: @escaping @Sendable (JoinGrant) -> LimitReached? = { _ in nil }
  ) {
    self.tenant = tenant
    self.token = token
  }
}
