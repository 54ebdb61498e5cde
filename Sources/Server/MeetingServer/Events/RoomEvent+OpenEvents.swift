import FoundationEssentials
import Meetings
import Signaling

/// Pairs of events that begin and end something. The end is reported even when the server is killed in between.
extension RoomEvent {
  /// The part of a beginning that its end needs.
  private struct Begun: Codable {
    var person: Person
    /// The publication; nil when the event is about the participant itself.
    var publication: PublicationInfo?
    /// Whether they only wait to be let in.
    var waits = false
  }

  /// The reason of who was in when the server was killed.
  static let interrupted = "interrupted"

  /// The end of something that began on a killed server; nil when this version can't read the beginning.
  init?(endOf beginning: OpenEvent, at time: Date = Date()) {
    guard let begun = try? JSONDecoder().decode(Begun.self, from: Data(beginning.body.utf8)) else { return nil }
    meeting = beginning.meeting
    tenant = beginning.tenant
    room = beginning.room
    self.time = time
    lastSeen = beginning.seen
    kind =
      if let publication = begun.publication {
        .publicationRemoved(begun.person, publication)
      } else if begun.waits {
        .lobby(.left, begun.person)
      } else {
        .participantLeft(begun.person, reason: Self.interrupted)
      }
  }

  /// The pair that begins or ends with this event, if webhooks may report it.
  var change: OpenEventChange? {
    switch kind {
    case .participantJoined(let person): begins(person.id, Begun(person: person))
    case .participantLeft(let person, _): .ends(meeting, subject: person.id)
    case .publicationAdded(let person, let publication):
      begins(publication.id, Begun(person: person, publication: publication))
    case .publicationRemoved(_, let publication): .ends(meeting, subject: publication.id)
    case .lobby(.knocked, let person): begins(Self.waiting(person), Begun(person: person, waits: true))
    case .lobby(_, let person): .ends(meeting, subject: Self.waiting(person))
    case .meetingEnded: .allEnd(meeting)
    case .meetingStarted, .chatFile, .error, .rightUsed, .quality: nil
    }
  }

  /// The id in the lobby is also that of the later session.
  private static func waiting(_ person: Person) -> String { "lobby \(person.id)" }

  private func begins(_ subject: String, _ begun: Begun) -> OpenEventChange? {
    guard let body = try? JSONEncoder().encode(begun) else { return nil }
    return .begins(
      OpenEvent(
        meeting: meeting, tenant: tenant, room: room, subject: subject, body: String(decoding: body, as: UTF8.self),
        seen: time))
  }
}

extension RoomEvent.Kind {
  /// The webhook's type of the end that belongs to this beginning; nil when it begins nothing.
  var endType: WebhookEventType? {
    switch self {
    case .participantJoined: .participantLeft
    case .publicationAdded: .publicationRemoved
    case .lobby(.knocked, _): .lobbyLeft
    default: nil
    }
  }
}
