import Basics
import Crypto
import Encryption
@testable import Parley
import Signaling

/// The signalling of an encrypted call in virtual time: passes on announcements and envelopes, 40 ms later.
final class SimulatedKeys {
  private struct Place {
    let id: String
    let ring: KeyRing
    let session: MediaSession?
    var announcement: String?
  }

  private enum Message {
    case announcement(ParticipantAnnouncement)
    case envelopes([ReceivedEnvelope])
  }

  static let delay = TimeSpan.milliseconds(40)

  let secret: LinkSecret?
  private var places: [Place] = []
  private var queue: [(at: Instant, to: String, message: Message)] = []
  private var timersAt = Instant.zero
  /// How much longer envelopes take.
  var lateness = TimeSpan.zero
  /// Each change of what a client has verified.
  private(set) var states: [String: [MeetingEncryption]] = [:]

  init() { secret = try? LinkSecret() }

  struct NoSecret: Error {}

  /// Joins with keys; `session` is nil for somebody who only listens to signalling.
  func join(_ id: String, _ ring: KeyRing, _ session: MediaSession?, now: Instant) throws {
    guard let secret else { throw NoSecret() }
    let announced = places.compactMap { place in
      place.announcement.map { ParticipantAnnouncement(participant: place.id, announcement: $0) }
    }
    for place in places { place.ring.join(id, now: now) }
    guard
      try ring.begin(
        meeting: "call", participant: id, name: id, identity: Ed25519.PrivateKey(), secret: secret,
        announcements: announced, roster: places.map(\.id), now: now)
    else { throw NoSecret() }
    places.append(Place(id: id, ring: ring, session: session))
    _ = pump(now)
  }

  func leave(_ id: String, isRemoved: Bool = false, now: Instant) {
    places.removeAll { $0.id == id }
    for place in places { place.ring.leave(id, isRemoved: isRemoved, now: now) }
    _ = pump(now)
  }

  /// The media of a session keeps the time of its keys; the others are looked after every 20 ms.
  var deadline: Instant {
    let timers = places.contains { $0.session == nil } ? timersAt : .distantFuture
    return min(queue.map(\.at).min() ?? .distantFuture, timers)
  }

  /// Passes on what is due; whether anything was.
  @discardableResult func step(_ now: Instant) -> Bool {
    let due = queue.filter { $0.at <= now }
    queue.removeAll { $0.at <= now }
    for entry in due {
      guard let place = places.first(where: { $0.id == entry.to }) else { continue }
      switch entry.message {
      case .announcement(let announcement): place.ring.receive([announcement], now: now)
      case .envelopes(let envelopes): place.ring.receive(envelopes, now: now)
      }
    }
    if now >= timersAt {
      timersAt = now + .milliseconds(20)
      for place in places where place.session == nil { _ = place.ring.handleTimeout(now: now) }
    }
    let isNews = pump(now)
    return !due.isEmpty || isNews
  }

  private func pump(_ now: Instant) -> Bool {
    var isNews = false
    for index in places.indices {
      let place = places[index]
      for output in place.ring.takeOutputs() {
        isNews = true
        switch output {
        case .send(.announce(let text)):
          places[index].announcement = text
          for other in places where other.id != place.id {
            queue.append(
              (
                now + Self.delay, other.id,
                .announcement(ParticipantAnnouncement(participant: place.id, announcement: text))
              ))
          }
        case .send(.keyEnvelopes(let envelopes)):
          for envelope in envelopes {
            queue.append(
              (
                now + Self.delay + lateness, envelope.to,
                .envelopes([ReceivedEnvelope(from: place.id, envelope: envelope.envelope)])
              ))
          }
        case .ownKeyframesWanted: place.session?.requestOwnKeyframes()
        case .keyframesWanted(let id): place.session?.openHeldFrames(of: id.rawValue, now: now)
        case .changed(let state): states[place.id, default: []].append(state)
        case .send, .named, .problem, .wrongSecret: break
        }
      }
      place.session?.encryption?.isUnsettled = true
    }
    return isNews
  }
}
