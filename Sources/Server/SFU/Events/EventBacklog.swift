import Basics
import RTC

/// Events that nobody has read yet.
///
/// State is never dropped: a later event replaces one of the same subject, so the backlog is bounded by the number of
/// connections, publications and slots. Telemetry is bounded by ``maximumTelemetry``, and the oldest is dropped.
struct EventBacklog: Sendable {
  /// The most telemetry events that are kept.
  static let maximumTelemetry = 1_024

  /// The connection, publication or participant that an event is about.
  private enum Subject: Hashable {
    case connection(ParticipantID)
    case start(PublicationID)
    case codec(PublicationID)
    case layers(PublicationID)
    case pauses(ParticipantID)
    case speakers
    case quality(ParticipantID)
  }

  private struct Slot: Hashable {
    var participant: ParticipantID
    var mid: MID
  }

  private var states = CoalescingQueue<Subject, MediaEvent>()
  /// Apart from the others, so that all changes that wait are delivered as one event.
  private var slots = CoalescingQueue<Slot, SlotUpdate>()
  private var telemetry = CoalescingQueue<Subject, MediaEvent>()

  var isEmpty: Bool { states.isEmpty && slots.isEmpty && telemetry.isEmpty }
  var count: Int { states.count + slots.count + telemetry.count }

  mutating func append(_ event: MediaEvent) {
    switch event {
    case .connected(let id), .lost(let id): states.set(event, for: .connection(id))
    case .publicationStarted(let id): states.set(event, for: .start(id))
    case .codecChanged(let id, _): states.set(event, for: .codec(id))
    case .layersWanted(let id, _): states.set(event, for: .layers(id))
    case .paused(let id, _): states.set(event, for: .pauses(id))
    case .slots(let updates):
      for update in updates { slots.set(update, for: Slot(participant: update.participant, mid: update.mid)) }
    case .speakers: appendTelemetry(event, .speakers)
    case .quality(let id, _): appendTelemetry(event, .quality(id))
    }
  }

  private mutating func appendTelemetry(_ event: MediaEvent, _ subject: Subject) {
    telemetry.set(event, for: subject)
    if telemetry.count > Self.maximumTelemetry { _ = telemetry.popFirst() }
  }

  /// The next event; state comes before telemetry.
  mutating func popFirst() -> MediaEvent? {
    if let event = states.popFirst() { return event }
    var updates: [SlotUpdate] = []
    while let update = slots.popFirst() { updates.append(update) }
    return updates.isEmpty ? telemetry.popFirst() : .slots(updates)
  }

  /// Drops everything about a participant whose connection is closed.
  mutating func removeAll(of participant: ParticipantID) {
    states.removeValue(for: .connection(participant))
    states.removeValue(for: .pauses(participant))
    slots.removeValues { $0.participant == participant }
    telemetry.removeValue(for: .quality(participant))
  }

  /// Drops everything about a publication that has ended.
  mutating func removeAll(of publication: PublicationID) {
    states.removeValue(for: .start(publication))
    states.removeValue(for: .codec(publication))
    states.removeValue(for: .layers(publication))
  }
}
