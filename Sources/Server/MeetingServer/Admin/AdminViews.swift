import Basics
import FoundationEssentials
import Meetings
import Signaling

/// A page of a list; `next` is the `after` of the next page, absent at the end.
struct AdminPage<Entry: Encodable>: Encodable {
  var items: [Entry]
  var next: String?
}

/// A tenant as the administration shows it.
struct TenantView: Encodable {
  var name: String
  var id: String
  var apiKey: String
  var isDefault: Bool
  var signIn: String
  var allowedOrigins: [String]
  var accessLevel: String
  var capacity: Int?
  var maximumMeetings: Int?
  var maximumParticipants: Int?
  var chat: ChatView
  var maximumChatBytes: Int?
  var maximumStoredMeetings: Int?
  var maximumRequests: Int?
  var tokenExpiry: String?
  var encryption: String?
  var waitForHost: Bool
  var announce: Bool
  var lobbySeconds: Int?
  var provider: ProviderView?
  var created: Date
  /// Only in the answer that makes the tenant.
  var key: KeyView?

  init(_ tenant: Tenant) {
    name = tenant.name
    id = tenant.id.rawValue
    apiKey = tenant.apiKey
    isDefault = tenant.isDefault
    signIn = tenant.policy.signIn.rawValue
    allowedOrigins = tenant.policy.allowedOrigins.map(\.description)
    accessLevel = tenant.policy.accessLevel.rawValue
    capacity = tenant.policy.capacity
    maximumMeetings = tenant.policy.maximumMeetings
    maximumParticipants = tenant.policy.maximumParticipants
    chat = ChatView(tenant.policy.chat)
    maximumChatBytes = tenant.policy.maximumChatBytes
    maximumStoredMeetings = tenant.policy.maximumStoredMeetings
    maximumRequests = tenant.policy.maximumRequests
    tokenExpiry = tenant.policy.tokenExpiry?.rawValue
    encryption = tenant.policy.encryption?.rawValue
    waitForHost = tenant.policy.lobby.waitsForHost
    announce = tenant.policy.lobby.announces
    lobbySeconds = tenant.policy.lobby.timeout.map { Int($0.seconds) }
    provider = tenant.policy.identityProvider.map(ProviderView.init)
    created = tenant.created
  }
}

/// A secret of a tenant's API key; the secret itself only in the answer that makes it.
struct KeyView: Encodable {
  /// The state of a secret.
  enum State: String, Encodable, CaseIterable { case live, expired, retired }

  var id: String
  var state: State
  var created: Date
  var expires: Date?
  var retired: Date?
  var secret: String?

  init(_ key: APIKey, at now: Date, showing: Bool = false) {
    id = key.id
    state = key.isLive(at: now) ? .live : key.retired != nil ? .retired : .expired
    created = key.created
    expires = key.expires
    retired = key.retired
    secret = showing ? key.secret.value : nil
  }
}

/// A meeting, running or not.
struct MeetingView: Encodable {
  var id: String
  var tenant: String
  var room: String
  var kind: String
  var subject: String
  var summary: String
  var accessLevel: String
  var capacity: Int?
  var passcode: Bool
  var waitForHost: Bool
  var announce: Bool
  var lobbySeconds: Int?
  var chat: ChatView
  /// Absent while it is not decided.
  var encrypted: Bool?
  var created: Date
  var expires: Date?
  var schedule: ScheduleView?
  var owner: String?
  var running: Bool
  var participants: Int

  /// `count` is how many are in it; nil when it does not run.
  init(_ record: MeetingRecord, tenant: String, count: Int?) {
    id = record.id.rawValue
    self.tenant = tenant
    room = record.room.display
    kind = record.kind.rawValue
    subject = record.subject
    summary = record.summary
    accessLevel = record.accessLevel.rawValue
    capacity = record.capacity
    passcode = record.passcode != nil
    waitForHost = record.lobby.waitsForHost
    announce = record.lobby.announces
    lobbySeconds = record.lobby.timeout.map { Int($0.seconds) }
    chat = ChatView(record.chat)
    encrypted = record.isEncrypted
    created = record.created
    expires = record.expires
    schedule = record.schedule.map { ScheduleView($0, at: Date()) }
    owner = record.owner
    running = count != nil
    participants = count ?? 0
  }
}

/// Somebody in a meeting, with the quality of the connection over the last minutes.
struct ParticipantView: Encodable {
  /// One sample; without a quality where nothing was known.
  struct Sample: Encodable {
    var time: Date
    var quality: ConnectionQuality?
  }

  var id: String
  var name: String
  var role: String
  var connection: ConnectionState
  var publications: [PublicationInfo]
  var permissions: [String]
  /// The id of the token it came with, so that the token can be revoked.
  var token: String
  /// When the participant joined.
  var since: Date
  var quality: ConnectionQuality?
  var samples: [Sample] = []
}

/// A join token that was just signed.
struct TokenView: Encodable {
  var token: String
  var id: String
  var tenant: String
  var room: String
  var role: String
  var permissions: [String]
  var expires: Date
}

/// A webhook; its secret only in the answer that makes it.
struct WebhookView: Encodable {
  var id: String
  var tenant: String
  var url: String
  var events: [String]
  var enabled: Bool
  var created: Date
  var secret: String?

  init(_ webhook: Webhook, tenant: String, showing: Bool = false) {
    id = webhook.id.rawValue
    self.tenant = tenant
    url = webhook.url
    events = webhook.events.map(\.rawValue)
    enabled = webhook.isEnabled
    created = webhook.created
    secret = showing ? webhook.secret.value : nil
  }
}

/// An event on its way to a webhook; the body only where one delivery is asked for.
struct DeliveryView: Encodable {
  var id: String
  var event: String
  var type: String
  var meeting: String?
  var state: String
  var attempts: Int
  var created: Date
  var next: Date?
  var status: Int?
  var problem: String?
  var finished: Date?
  var waitsBehind: Int?
  var body: String?
  /// For the page's end; not part of the answer.
  var sequence: Int

  enum CodingKeys: String, CodingKey {
    case id, event, type, meeting, state, attempts, created, next, status, problem, finished, waitsBehind, body
  }

  init(_ delivery: WebhookDelivery, showing: Bool = false) {
    id = delivery.id
    event = delivery.event
    type = delivery.type
    meeting = delivery.ofMeeting
    state = delivery.state.rawValue
    attempts = delivery.attempts
    created = delivery.created
    next = delivery.next
    status = delivery.status
    problem = delivery.problem
    finished = delivery.finished
    waitsBehind = delivery.waitsBehind
    body = showing ? delivery.body : nil
    sequence = delivery.sequence
  }
}

/// A line of the audit log.
struct AuditView: Encodable {
  var id: Int
  var time: Date
  var actor: String
  var tenant: String
  var action: String
  var target: String
  var detail: String

  init(_ entry: AuditEntry) {
    id = entry.sequence
    time = entry.time
    actor = entry.actor
    tenant = entry.tenant
    action = entry.action
    target = entry.target
    detail = entry.detail
  }
}
