public import Basics
public import FoundationEssentials

/// The people who enter a meeting without an admission by somebody.
///
/// The values are those of the Skype for Business service. Hosts always go straight in, whoever else does not waits in
/// the lobby, and a guest goes straight in only with ``everyone``.
public enum AccessLevel: String, Sendable, Hashable, Codable, CaseIterable {
  case locked = "Locked"
  /// Invited people of the organiser's company: those whose token names the meeting.
  case invited = "Invited"
  /// Everybody of the organiser's company.
  case sameEnterprise = "SameEnterprise"
  /// Everybody who has the address.
  case everyone = "Everyone"
}

/// A meeting as the store knows it: the lasting facts, not who is in it just now.
public struct MeetingRecord: Sendable, Hashable {
  /// How the meeting came to be.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Opened by its name, on first use; has no end.
    case room
    /// Made by request under an unguessable name; has an end.
    case adHoc
    /// Made by request under a name of its own; stays until it is removed, or until its end if it has one.
    case named
    /// One person's own, permanently: they are its organizer whatever their token says, and others wait for them.
    case personal
  }

  /// Names the meeting for ever.
  public var id: MeetingID
  /// The tenant of the meeting.
  public var tenant: TenantID
  /// The name in its URL.
  public var room: RoomName
  /// How it came to be.
  public var kind: Kind
  public var subject: String
  /// A longer text about it; may be empty.
  public var summary: String
  /// The people who enter without waiting.
  public var accessLevel: AccessLevel
  /// When it was made.
  public var created: Date
  /// When it ends by itself; nil when it does not.
  public var expires: Date?
  /// The most participants at a time; nil for as many as the server's setting allows.
  public var capacity: Int?
  /// The passcode for people without a host's token; nil when there is none.
  public var passcode: PasscodeHash?
  /// Its rules for entering and leaving.
  public var lobby: LobbySettings
  /// The rules for its chat.
  public var chat: ChatPolicy
  /// When it takes place; nil for a room that is open at any time.
  public var schedule: MeetingSchedule?
  /// The user whose personal room it is, as tokens name their holder; nil for everybody's.
  public var owner: String?
  /// Whether it was made by somebody without a credential, and the tenant has not changed it since. Such a meeting
  /// ends, whatever its hosts have made of it.
  public var isAnonymous = false
  /// Whether it is end-to-end encrypted, for the life of the record; nil until its first join decides.
  public var isEncrypted: Bool?
  /// How often it was changed since it was made. The store counts.
  public internal(set) var revision: Int

  /// The longest subject kept, in characters.
  public static let maximumSubject = 250
  /// The longest description kept, in characters.
  public static let maximumSummary = 2_000
  /// How long a room that was opened by its name and never changed, or an anonymous meeting, is kept after somebody
  /// came into it: no token for it lasts longer.
  public static let roomKept = JoinGrant.longest
  public init(
    id: MeetingID = .random(), tenant: TenantID, room: RoomName, kind: Kind, subject: String, summary: String = "",
    accessLevel: AccessLevel = .everyone, created: Date, expires: Date? = nil,
    capacity: Int? = nil, passcode: PasscodeHash? = nil, lobby: LobbySettings = LobbySettings(),
    chat: ChatPolicy = ChatPolicy(), schedule: MeetingSchedule? = nil, owner: String? = nil,
    revision: Int = 0
  ) {
    self.id = id
    self.tenant = tenant
    self.room = room
    self.kind = kind
    self.subject = String(subject.prefix(Self.maximumSubject))
    self.summary = String(summary.prefix(Self.maximumSummary))
    self.accessLevel = accessLevel
    self.created = created
    self.expires = expires
    self.capacity = capacity
    self.passcode = passcode
    self.lobby = lobby
    self.chat = chat
    self.schedule = schedule
    self.owner = owner
    // A session's id says it.
    isEncrypted = OpenTokSession(room.display)?.options.isEncrypted
    self.revision = revision
  }

  /// The meeting that a room name has by the rules of its tenant, where nobody has made another one.
  public init(opening room: RoomName, of tenant: Tenant, now: Date) {
    self.init(
      tenant: tenant.id, room: room, kind: .room, subject: room.display, accessLevel: tenant.policy.accessLevel,
      created: now, capacity: tenant.policy.capacity, lobby: tenant.policy.lobby, chat: tenant.policy.chat)
  }

  /// Whether its time is over at `now`.
  public func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }
}
