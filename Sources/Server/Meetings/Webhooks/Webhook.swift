public import Basics
public import FoundationEssentials

public struct WebhookID: Sendable, Hashable, RawRepresentable, Codable, CustomStringConvertible {
  /// The text form, `w_…`.
  public let rawValue: String
  /// Wraps a text form.
  public init(rawValue: String) { self.rawValue = rawValue }
  public static func random() -> WebhookID { WebhookID(rawValue: "w_" + RandomID.text(characters: 16)) }
  public var description: String { rawValue }
}

/// An address of a tenant that gets the events of the tenant's meetings.
public struct Webhook: Sendable, Hashable {
  public var id: WebhookID
  /// The tenant whose meetings it hears of.
  public var tenant: TenantID
  /// The address that events are posted to.
  public var url: String
  /// The key that signs events, so that the receiver knows that they come from here.
  public var secret: Secret<String>
  /// The events that it gets; empty for all.
  public var events: [WebhookEventType]
  /// Whether events are sent. While it is off none are kept for it, and what waits goes on waiting.
  public var isEnabled: Bool
  /// When it was made.
  public var created: Date

  /// The most webhooks of one tenant.
  public static let maximumPerTenant = 10
  /// The longest address, in bytes.
  public static let maximumURL = 2_048

  public init(
    id: WebhookID = .random(), tenant: TenantID, url: String, secret: Secret<String> = Webhook.randomSecret(),
    events: [WebhookEventType] = [], isEnabled: Bool = true, created: Date
  ) {
    self.id = id
    self.tenant = tenant
    self.url = url
    self.secret = secret
    self.events = events
    self.isEnabled = isEnabled
    self.created = created
  }

  /// A new secret: 200 random bits.
  public static func randomSecret() -> Secret<String> { Secret("whsec_" + RandomID.text(characters: 40)) }

  /// Whether it hears of events of `type`. A test is for the one webhook it was asked for.
  public func wants(_ type: WebhookEventType) -> Bool { isEnabled && (events.isEmpty || events.contains(type)) }
}

/// The events for webhooks.
public enum WebhookEventType: String, Sendable, Hashable, Codable, CaseIterable {
  /// Somebody is in a meeting that was not running.
  case meetingStarted = "meeting.started"
  /// A meeting runs no more.
  case meetingEnded = "meeting.ended"
  /// Somebody could not join, or something failed in a meeting.
  case meetingError = "meeting.error"
  case participantJoined = "participant.joined"
  case participantLeft = "participant.left"
  /// Somebody sends a further track.
  case publicationAdded = "publication.added"
  /// Somebody sends a track no more.
  case publicationRemoved = "publication.removed"
  /// Somebody waits to be let in.
  case lobbyKnocked = "lobby.knocked"
  /// A host let somebody in who waited.
  case lobbyAdmitted = "lobby.admitted"
  /// A host sent somebody away who waited.
  case lobbyDenied = "lobby.denied"
  /// Somebody waits no more, and was neither let in nor sent away by a host.
  case lobbyLeft = "lobby.left"
  /// Somebody sent a file to everybody in the chat.
  case chatFile = "chat.file"
  /// Sent on request, to try a webhook.
  case test = "webhook.test"

  /// Those that a webhook can be limited to.
  public static let selectable = allCases.filter { $0 != .test }
}
