import Basics
import Crypto
import Encryption
import Media
import Signaling

/// Carries keys between signalling and media. ``MeetingKeys`` decides; this only does it in order.
extension Meeting {
  /// Whether everything that this client sends is end-to-end encrypted.
  var isEncrypted: Bool { secret != nil }

  /// Refuses to go on where this client and the meeting do not agree on encryption. This client decides: no server can
  /// talk a secret away.
  func checkEncryption(_ isOn: Bool?) throws(JoinError) {
    switch (isEncrypted, isOn) {
    case (false, true?): throw refusal(.encryptionRequired)
    case (true, false?): throw refusal(.notEncrypted)
    case (true, true?), (false, false?), (_, nil): break
    }
  }

  private func refusal(_ error: JoinError) -> JoinError {
    set(MeetingEncryption(.refused))
    return error
  }

  /// Notes what the server says of encryption when it refuses.
  func noteRefusal(_ error: JoinError) {
    switch error {
    case .encryptionRequired, .notEncrypted, .wrongSecret: set(MeetingEncryption(.refused))
    default: break
    }
  }

  func set(_ status: MeetingEncryption) {
    guard encryption != status else { return }
    encryption = status
    emit(.encryptionChanged(status))
  }

  // MARK: Keys

  /// The welcome is there: makes the keys of this session, and announces them.
  func beginEncryption(_ welcome: ServerMessage.Welcome) throws(JoinError) {
    try checkEncryption(welcome.meeting.e2ee ?? false)
    guard let secret, let ring = secret.ring else { return }
    secret.meetingID = welcome.meeting.id
    let name = welcome.participants.first { $0.id == welcome.participant }?.name ?? local.name
    let isRight: Bool
    do {
      isRight = try ring.begin(
        meeting: welcome.meeting.name, participant: welcome.participant, name: name,
        identity: try secret.makeIdentity(), secret: secret.secret, announcements: welcome.announcements ?? [],
        roster: welcome.participants.map(\.id), now: MonotonicClock.now)
    } catch { throw .mediaFailed("The keys of this meeting could not be made: \(error)") }
    guard isRight else {
      signaling?.channel.send(.leave)
      throw refusal(.wrongSecret)
    }
    set(ring.status)
  }

  /// Does what the keys want, in order.
  func pumpKeys() {
    guard let secret, let ring = secret.ring else { return }
    for output in ring.takeOutputs() {
      switch output {
      case .send(let message): send(message)
      case .changed(let status): set(status)
      case .keyframesWanted(let id): connection?.post { $0.openHeldFrames(of: id.rawValue, now: $1) }
      case .ownKeyframesWanted: connection?.post { session, _ in session.requestOwnKeyframes() }
      case .named(let id, let name, let key):
        recognise(key, named: name, of: id.rawValue, secret)
        takeSignedName(name, of: id.rawValue, secret)
      case .problem(let id, let problem):
        let name = id.rawValue == local.id ? nil : secret.names[id.rawValue] ?? roster[id.rawValue]?.name
        let isOwn = id.rawValue == local.id
        if let text = problem.sentence(isOwn ? nil : name ?? "Somebody") { emit(.problem(text)) }
      case .wrongSecret:
        signaling?.channel.send(.leave)
        return end(.failed, message: refusal(.wrongSecret).description)
      }
    }
    // The media thread keeps the time.
    connection?.post { session, _ in session.encryption?.isUnsettled = true }
  }

  /// Changes the keys, and does what they want then.
  func withKeys(_ body: (KeyRing, Instant) -> Void) {
    guard let ring = secret?.ring else { return }
    body(ring, MonotonicClock.now)
    pumpKeys()
  }

  func take(_ announcement: ParticipantAnnouncement) { withKeys { $0.receive([announcement], now: $1) } }

  func take(_ envelopes: [ReceivedEnvelope]) {
    withKeys { $0.receive(envelopes, now: $1) }
    openHeld()
  }
}
