import Basics
import Crypto
import Encryption
import Media
import Signaling

/// Carries keys between signalling and media. ``MeetingKeys`` decides; this only does it in order.
extension Meeting {
  /// Whether everything that this client sends is end-to-end encrypted.
  var isEncrypted: Bool { secret != nil }

  /// 60 digits that two people compare, the same on both sides; nil before the other's key is known. With lasting
  /// identities they stay the same in each meeting.
  ///
  /// ```swift
  /// if let code = meeting.pairCode(with: participant) { print("Compare with \(participant.name): \(code)") }
  /// ```
  public func pairCode(with participant: RemoteParticipant) -> String? {
    guard let own = secret?.publicKey, let bytes = participant.identity?.publicKey else { return nil }
    return try? SafetyCode.digits(of: own, and: Ed25519.PublicKey(bytes))
  }

  /// Trusts a participant who came with ``ParticipantIdentity/Recognition/changed``, once the codes of
  /// ``pairCode(with:)`` were compared: their key is remembered under their name.
  ///
  /// ```swift
  /// if participant.identity?.recognition == .changed { meeting.trust(participant) }
  /// ```
  public func trust(_ participant: RemoteParticipant) {
    guard let secret, let identity = participant.identity, identity.recognition == .changed,
      let name = secret.names[participant.id], let key = try? Ed25519.PublicKey(identity.publicKey)
    else { return }
    knownIdentities?.remember(key, named: name, in: secret.meetingID)
    let trusted = ParticipantIdentity(publicKey: identity.publicKey, recognition: .newDevice, earlierName: nil)
    secret.recognised[key] = (name, trusted)
    secret.identities[participant.id] = trusted
    participant.identity = trusted
    emit(.participantUpdated(participant))
  }

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

  /// The welcome is there: makes the keys of this place, and announces them.
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
      place?.channel.send(.leave)
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
      case .keyframesWanted(let id): connection?.post { $0.requestKeyframes(of: id.rawValue, now: $1) }
      case .named(let id, let name, let key):
        recognise(key, named: name, of: id.rawValue, secret)
        takeSignedName(name, of: id.rawValue, secret)
      case .problem(let id, let problem):
        let name = id.rawValue == local.id ? nil : secret.names[id.rawValue] ?? participantsByID[id.rawValue]?.name
        let isOwn = id.rawValue == local.id
        if let text = problem.sentence(isOwn ? nil : name ?? "Somebody") { emit(.problem(text)) }
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

  /// Compares somebody's identity with those of earlier meetings, once for each name that it signs.
  private func recognise(_ key: Ed25519.PublicKey, named name: String, of id: String, _ secret: MeetingSecret) {
    let known = secret.recognised[key]
    if let known, known.name == name, secret.identities[id] == known.identity { return }
    var identity = ParticipantIdentity(publicKey: key.rawValue, recognition: nil, earlierName: nil)
    if let known, known.name == name {
      identity = known.identity
    } else {
      // The ones that this meeting adds don't count: they were seen nowhere before.
      if let before = options.knownIdentities {
        identity = before.recognition(of: key, named: name)
        recognised(identity, key, named: name, secret)
      }
      secret.recognised[key] = (name, identity)
    }
    secret.identities[id] = identity
    guard let present = participantsByID[id] else { return }
    present.identity = identity
    emit(.participantUpdated(present))
  }

  private func recognised(
    _ identity: ParticipantIdentity, _ key: Ed25519.PublicKey, named name: String, _ secret: MeetingSecret
  ) {
    switch identity.recognition {
    case .sameDevice, .newDevice, .renamed, nil: knownIdentities?.remember(key, named: name, in: secret.meetingID)
    case .changed:
      // It isn't remembered under this name, or it would be trusted the next time.
      emit(
        .problem(
          "\(name) comes with another key than in earlier meetings: it is a new device, or somebody else. Compare the safety code."
        ))
    }
  }

  /// A signed name counts more than the server's word.
  private func takeSignedName(_ name: String, of id: String, _ secret: MeetingSecret) {
    secret.names[id] = name
    guard let known = participantsByID[id], known.name != name else { return }
    known.name = name
    emit(.participantUpdated(known))
  }

  // MARK: Messages

  /// The track of messages has a key from the first message on.
  private func openMessageTrack(_ ring: KeyRing) {
    // Its key is to be there before the message is.
    if ring.setTrack(KeyRing.messageTrack, .chat, now: MonotonicClock.now) { pumpKeys() }
  }

  /// A chat message as it goes out; nil while it cannot be sealed.
  func onTheWire(_ message: SentChatMessage) -> ClientMessage? {
    guard let secret else { return message.onTheWire }
    guard let ring = secret.ring else { return nil }
    openMessageTrack(ring)
    let own = local.id
    return secret.sealed(message.id) { (messages, ring) throws(FrameDrop) in
      let text = try messages.seal(chat: message.text, of: own, with: ring, now: MonotonicClock.now)
      return .chat(text: text, to: message.recipient, id: message.id)
    }
  }

  /// A signal as it goes out; nil while it cannot be sealed.
  func onTheWire(_ signal: OutgoingSignal) -> ClientMessage? {
    guard let secret else { return signal.onTheWire }
    guard let ring = secret.ring else { return nil }
    openMessageTrack(ring)
    return secret.sealed(signal.id) { (messages, ring) throws(FrameDrop) in
      .signal(
        try messages.seal(signal.signal, with: ring, now: MonotonicClock.now), to: signal.recipient, id: signal.id)
    }
  }

  /// A text of the chat as it goes out, for changes of messages.
  func onTheWire(chat text: String) throws(JoinError) -> String {
    guard let secret else { return text }
    guard let ring = secret.ring else { throw .unreachable("The server cannot be reached just now.") }
    openMessageTrack(ring)
    do throws(FrameDrop) {
      return try secret.messages.seal(chat: text, of: local.id, with: ring, now: MonotonicClock.now)
    } catch { throw .refused(code: "internal", message: "The message could not be encrypted.") }
  }

  /// The message about a file as it goes out.
  func onTheWire(_ file: SealedFile) throws(JoinError) -> String {
    guard let secret, let ring = secret.ring, place?.isWelcome == true else {
      throw .unreachable("The server cannot be reached just now.")
    }
    openMessageTrack(ring)
    do throws(FrameDrop) {
      return try secret.messages.seal(file: file, of: local.id, with: ring, now: MonotonicClock.now)
    } catch { throw .refused(code: "internal", message: "The file could not be encrypted.") }
  }

  /// The payload of a data message as it goes out; nil while there are no keys.
  func onTheWire(data bytes: [UInt8]) -> [UInt8]? {
    guard let secret else { return bytes }
    guard let ring = secret.ring, place?.isWelcome == true else { return nil }
    openMessageTrack(ring)
    return try? secret.messages.seal(bytes, with: ring, now: MonotonicClock.now)
  }

  /// A chat message as people may see it; nil when it waits for its key.
  func opened(_ entry: ChatEntry, isHistory: Bool, mayWait: Bool = true) -> ChatEntry? {
    guard let secret else { return entry }
    var entry = entry
    if entry.deleted != nil {
      // Nobody has sealed what the server puts in its place.
      entry.text = ""
      entry.file = nil
      return entry
    }
    let sealed = entry
    // A name and a type that nobody has sealed.
    entry.file = nil
    do throws(FrameDrop) {
      guard let ring = secret.ring else { throw .noKey }
      switch try secret.messages.open(sealed, with: ring, now: MonotonicClock.now) {
      case .text(let text): entry.text = text
      case .file(let file):
        entry.text = file.file.name
        // The file is the one that its sender means, and no other message has it.
        if sealed.file?.id == file.file.id, secret.files.add(file, from: entry.from) { entry.file = file.file }
      }
    } catch {
      // Messages from before this client came have keys that it never gets.
      if mayWait, !isHistory, waits(for: error, .chat(sealed, isHistory: isHistory), from: entry.from, secret) {
        return nil
      }
      entry.text = MessageSealing.unreadable
    }
    return entry
  }

  /// A signal as the app may see it; nil when it waits for its key, or never opens.
  func opened(_ signal: Signal, from id: String?, mayWait: Bool = true) -> Signal? {
    // A signal of the app's own server is from no participant.
    guard let secret, let id else { return signal }
    do throws(FrameDrop) {
      guard let ring = secret.ring else { throw .noKey }
      return try secret.messages.open(signal, from: id, own: local.id, with: ring, now: MonotonicClock.now)
    } catch {
      if !mayWait || !waits(for: error, .signal(signal), from: id, secret) { dropped("A signal", from: id) }
      return nil
    }
  }

  /// Data as the app may see it; nil when it waits for its key, or never opens.
  func opened(_ data: ReceivedData, mayWait: Bool = true) -> ReceivedData? {
    guard let secret else { return data }
    var plain = data
    do throws(FrameDrop) {
      guard let ring = secret.ring else { throw .noKey }
      plain.bytes = try secret.messages.open(data.bytes, from: data.from, with: ring, now: MonotonicClock.now)
      return plain
    } catch {
      // A lossy message is worth something now or never.
      if !mayWait || !data.isReliable || !waits(for: error, .data(data), from: data.from, secret) {
        if data.isReliable { dropped("Data", from: data.from) }
      }
      return nil
    }
  }

  private func dropped(_ what: String, from id: String) {
    emit(.problem("\(what) from \(participant(id)?.name ?? "somebody") could not be opened, and is left out."))
  }

  // MARK: Waiting for keys

  private func waits(
    for drop: FrameDrop, _ message: MeetingSecret.Held.Message, from sender: String, _ secret: MeetingSecret
  ) -> Bool {
    switch drop {
    case .noKey, .wrongTrack, .wrongSender: break
    case .malformed, .refused: return false
    }
    guard secret.held.count < MeetingSecret.maximumHeld else { return false }
    let now = MonotonicClock.now
    secret.held.append(MeetingSecret.Held(message: message, sender: sender, end: now + MeetingSecret.patience))
    tasks.run { [weak self] in
      try? await Task.sleep(nanoseconds: UInt64(MeetingSecret.patience.nanoseconds))
      if !Task.isCancelled { self?.openHeld() }
    }
    return true
  }

  /// Tries messages again that wait, in their order. One that has waited long enough counts as unreadable.
  private func openHeld() {
    guard let secret, !secret.held.isEmpty else { return }
    let waiting = secret.held
    secret.held = []
    let now = MonotonicClock.now
    for entry in waiting {
      let mayWait = now < entry.end
      let before = secret.held.count
      switch entry.message {
      case .chat(let message, let isHistory): takeChat(message, isHistory: isHistory, mayWait: mayWait)
      case .signal(let signal): takeSignal(signal, from: entry.sender, mayWait: mayWait)
      case .data(let data): takeData(data, mayWait: mayWait)
      }
      // Its time goes on from when it came.
      if secret.held.count > before { secret.held[secret.held.count - 1] = entry }
    }
  }
}
