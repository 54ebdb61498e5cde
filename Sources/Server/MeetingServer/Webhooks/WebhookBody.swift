import FoundationEssentials
import Meetings
import Signaling

/// The body of a webhook request (`docs/webhooks.md`).
struct WebhookBody: Encodable {
  private struct Meeting: Encodable {
    var id: String
    var room: String
  }
  private struct Person: Encodable {
    var id: String
    var name: String
    var role: String

    init(_ person: RoomEvent.Person) {
      id = person.id
      name = person.name
      role = person.role
    }
  }
  private struct Details: Encodable {
    var participant: Person?
    var publication: PublicationInfo?
    var file: ChatFile?
    var reason: String?
    var lastSeen: String?
    var code: String?
    var message: String?
  }

  private var id: String
  private var type: String
  private var time: String
  private var tenant: String
  private var meeting: Meeting?
  private var data = Details()

  /// The body of an event.
  init(id: String, type: WebhookEventType, event: RoomEvent, tenant: String) {
    self.id = id
    self.type = type.rawValue
    time = Self.text(event.time)
    self.tenant = tenant
    meeting = Meeting(id: event.meeting.rawValue, room: event.room)
    switch event.kind {
    case .meetingStarted, .rightUsed, .quality: break
    case .meetingEnded(let reason): data.reason = reason
    case .participantJoined(let person), .lobby(_, let person): data.participant = Person(person)
    case .participantLeft(let person, let reason):
      data.participant = Person(person)
      data.reason = reason
    case .publicationAdded(let person, let publication), .publicationRemoved(let person, let publication):
      data.participant = Person(person)
      data.publication = publication
    case .chatFile(let person, let file):
      data.participant = Person(person)
      data.file = file
    case .error(let code, let message):
      data.code = code
      data.message = message
    }
    data.lastSeen = event.lastSeen.map { Self.text($0) }
  }

  /// The body of a test.
  init(test id: String, tenant: String, at time: Date) {
    self.id = id
    type = WebhookEventType.test.rawValue
    self.time = Self.text(time)
    self.tenant = tenant
    meeting = nil
  }

  /// The JSON text, its keys in a fixed order.
  var text: String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// A time with milliseconds, in UTC.
  static func text(_ time: Date) -> String {
    time.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))
  }
}
