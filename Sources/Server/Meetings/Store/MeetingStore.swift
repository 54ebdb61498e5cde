public import FoundationEssentials

/// Where meetings and tenants are kept. Embedded (``SQLiteMeetingStore``) by default.
///
/// Every method is safe to call from any task and has done its work durably when it returns: what was answered survives
/// the end of the process.
public protocol MeetingStore: Sendable {
  // MARK: Tenants

  /// The tenant that requests without credentials belong to; made on first use, which costs a key generation.
  func defaultTenant(now: Date) async throws(MeetingStoreError) -> Tenant
  /// Every tenant, by name.
  func tenants() async throws(MeetingStoreError) -> [Tenant]
  /// The tenant with that id.
  func tenant(id: TenantID) async throws(MeetingStoreError) -> Tenant?
  /// The tenant of that name.
  func tenant(name: String) async throws(MeetingStoreError) -> Tenant?
  /// The tenant with that API key.
  func tenant(apiKey: String) async throws(MeetingStoreError) -> Tenant?
  /// The tenant whose signing key has the id `keyID`.
  func tenant(signingKeyID: String) async throws(MeetingStoreError) -> Tenant?
  /// Keeps a new tenant with its first secret. Throws ``MeetingStoreError/tenantExists(_:)`` when the name is taken.
  func insert(_ tenant: Tenant, key: APIKey) async throws(MeetingStoreError)
  /// Changes a tenant's rules, from the next meeting and the next join on. `body` is given them as they are kept at that moment, so that of two
  /// changes at once neither undoes the other; it has to be quick, and nothing is kept when it throws. The tenant as it is then, or nil when
  /// there is none of that id.
  /// - Throws: What `body` throws, or ``MeetingStoreError``.
  func changePolicy(
    of tenant: TenantID, by body: @Sendable (inout TenantPolicy) throws -> Void
  ) async throws -> Tenant?

  /// Forgets a tenant with all that is kept of it but the audit log: its secrets, meetings, tokens and webhooks. Which meetings a killed server has
  /// left of it, or nil when there is no such tenant. Throws ``MeetingStoreError/defaultTenant(_:)`` for the default one, and
  /// ``MeetingStoreError/tenantInUse(_:)`` while meetings of it run on another server that lives.
  func removeTenant(_ id: TenantID) async throws(MeetingStoreError) -> [MeetingID]?

  // MARK: Keys

  /// Every secret of a tenant, the newest first, those that are good no more included.
  func apiKeys(of tenant: TenantID) async throws(MeetingStoreError) -> [APIKey]
  /// Makes a further secret. The others are good until `others`, or as long as they were when that is nil.
  /// Throws ``MeetingStoreError/tooManyKeys`` when there are as many as may be.
  func rotateKey(of tenant: TenantID, others: Date?, now: Date) async throws(MeetingStoreError) -> APIKey
  /// Takes a secret out of use at once. False when the tenant has none of that id, or it was retired before.
  func retireKey(_ id: String, of tenant: TenantID, now: Date) async throws(MeetingStoreError) -> Bool

  // MARK: Meetings

  /// The meeting of a room name of `tenant`; made by the tenant's rules when there is none. An expired one is returned as it is.
  func openMeeting(room: RoomName, tenant: Tenant, now: Date) async throws(MeetingStoreError) -> MeetingRecord
  /// Keeps a new meeting. Throws ``MeetingStoreError/exists(_:)`` when the tenant has one of that room name.
  func insert(_ meeting: MeetingRecord) async throws(MeetingStoreError)
  /// The meeting with that id.
  func meeting(id: MeetingID) async throws(MeetingStoreError) -> MeetingRecord?
  /// The tenant's meeting of that room name.
  func meeting(room: RoomName, tenant: TenantID) async throws(MeetingStoreError) -> MeetingRecord?
  /// Every meeting, or those of one tenant, the newest first, at most `limit`.
  func meetings(tenant: TenantID?, limit: Int) async throws(MeetingStoreError) -> [MeetingRecord]
  /// Forgets a meeting; nobody can join it any more. False when there is none.
  func removeMeeting(_ id: MeetingID) async throws(MeetingStoreError) -> Bool
  /// Changes a meeting: its texts, end, doors, chat, schedule and owner. `body` is given the meeting as it is kept at that moment, so that of
  /// two changes at once neither undoes the other; it has to be quick, and nothing is kept when it throws. The meeting as it is then, or
  /// nil when there is none of that id.
  /// - Throws: What `body` throws, or ``MeetingStoreError``.
  func change(_ id: MeetingID, by body: @Sendable (inout MeetingRecord) throws -> Void) async throws -> MeetingRecord?
  /// The room that is somebody's own.
  func personalRoom(of owner: String, tenant: TenantID) async throws(MeetingStoreError) -> MeetingRecord?
  /// Every own room, or those of one tenant, by owner, those after `after`, at most `limit`.
  func personalRooms(
    tenant: TenantID?, after: String?, limit: Int
  ) async throws(MeetingStoreError) -> [MeetingRecord]
  /// Throws ``MeetingStoreError/tooManyMeetings(_:)`` where the tenant of a meeting that is not kept yet has as many as it may have.
  func requirePlace(for meeting: MeetingRecord) async throws(MeetingStoreError)
  /// How many meetings of a tenant are kept.
  func meetingCount(of tenant: TenantID) async throws(MeetingStoreError) -> Int
  /// Notes that someone joined, so that the meeting is not purged as unused.
  func markUsed(_ id: MeetingID, now: Date) async throws(MeetingStoreError)

  // MARK: Tokens

  /// Refuses a token of `tenant` from now on; the note is kept until `expires`.
  func revoke(_ token: TokenID, tenant: TenantID, expires: Date) async throws(MeetingStoreError)
  /// Notes that tokens were made or used; those that are known are brought up to date.
  func note(_ tokens: [TokenRecord]) async throws(MeetingStoreError)
  /// The tokens that were made here or seen, those of one tenant or of one room (`*` for every), the newest first: those before the place `before`.
  func tokens(
    tenant: TenantID?, room: String?, before: Int?, limit: Int
  ) async throws(MeetingStoreError) -> [TokenRecord]
  /// Whether a token of `tenant` was revoked.
  func isRevoked(_ token: TokenID, tenant: TenantID) async throws(MeetingStoreError) -> Bool

  // MARK: Upkeep

  /// Forgets what nobody needs any more: ad-hoc meetings a week after their end, rooms by name that nobody joined for a
  /// day, or into which nobody came for ``MeetingRecord/roomKept`` and of which nothing was ever changed, revocations of expired tokens. Those
  /// `running` count as used just now. Returns how many rows went.
  func purge(now: Date, running: [MeetingID]) async throws(MeetingStoreError) -> Int
  /// Whether the store can be read and written just now.
  func check() async throws(MeetingStoreError)
  /// Ends all work and closes the files. Later calls throw ``MeetingStoreError/closed``.
  func close() async
}

/// What can go wrong with a store. Each says what to do.
public enum MeetingStoreError: Error, Sendable, Equatable {
  /// The data folder or a file in it cannot be created or written.
  case notWritable(path: String, reason: String)
  /// No space is left for the data folder.
  case diskFull(path: String)
  /// The file is no database, or a damaged one.
  case damaged(path: String, reason: String)
  /// A newer version of the server has written the file.
  case newerVersion(path: String, found: Int, known: Int)
  /// Another process holds the file for longer than the busy timeout.
  case busy(path: String)
  /// The room name is taken.
  case exists(String)
  /// There is a tenant of that name.
  case tenantExists(String)
  /// It is the default tenant, which there always is.
  case defaultTenant(String)
  /// Meetings of the tenant run.
  case tenantInUse(String)
  /// As many meetings of a tenant are kept as may be.
  case tooManyMeetings(LimitReached)
  /// As many secrets of a tenant are good as may be at a time.
  case tooManyKeys
  /// The store was closed.
  case closed
  /// Anything else.
  case failed(path: String, reason: String)

  /// The stable code.
  public var code: String {
    switch self {
    case .notWritable: "dataNotWritable"
    case .diskFull: "diskFull"
    case .damaged: "dataDamaged"
    case .newerVersion: "dataTooNew"
    case .busy: "dataBusy"
    case .exists: "roomTaken"
    case .tenantExists: "nameTaken"
    case .defaultTenant: "defaultTenant"
    case .tenantInUse: "tenantInUse"
    case .tooManyMeetings: "quotaReached"
    case .tooManyKeys: "tooManyKeys"
    case .closed: "shuttingDown"
    case .failed: "dataFailed"
    }
  }
}

extension MeetingStoreError: CustomStringConvertible {
  /// What happened and what to do, as sentences.
  public var description: String {
    switch self {
    case .notWritable(let path, let reason):
      "The data folder \(path) cannot be written (\(reason)). "
        + "Make it writable for the user the server runs as, or name another with --data."
    case .diskFull(let path):
      "No space is left for the data folder \(path). Free some; nothing that was stored before is lost."
    case .damaged(let path, let reason):
      "\(path) cannot be read as a database (\(reason)). Restore it from a backup, or move it away to start anew."
    case .newerVersion(let path, let found, let known):
      "\(path) was written by a newer version (format \(found), this one knows \(known)). Start that version instead."
    case .busy(let path):
      "\(path) is held by another process. End it, or name another folder with --data."
    case .exists(let room): "There is already a meeting named \(room). Choose another name."
    case .tenantExists(let name): "There is already a tenant named \(name). Choose another name."
    case .defaultTenant(let name):
      "\(name) is the default tenant, whose people come without a token: it stays. Only others can be removed."
    case .tenantInUse(let name):
      "Meetings of \(name) are running. End them first: `parley meeting list --tenant \(name)`, `parley meeting end`."
    case .tooManyMeetings(let reached): reached.text
    case .tooManyKeys:
      "The tenant has \(APIKey.maximumLive) secrets that are good. Retire one before another is made."
    case .closed: "The server is shutting down. Try again in a moment."
    case .failed(let path, let reason): "The database \(path) failed: \(reason)."
    }
  }
}
