public import Basics
public import Crypto

/// The keys of an encrypted meeting, as one client has them. No I/O: announcements, envelopes and the time come in;
/// effects, frames and the next deadline come out. Used by one thread at a time.
///
/// ```swift
/// let keys = try KeyExchange(meeting: "daily", participant: id, name: "Ann", identity: key, secret: secret, now: now)
/// for other in welcome { keys.receive(announcement: other.bytes, from: other.participant, now: now) }
/// try keys.announce(now: now)
/// while let effect = keys.pollEffect() { … }
/// ```
public final class KeyExchange {
  /// Bytes of UTF-8 of the longest name that an announcement carries.
  public static let maximumNameBytes = Announcement.maximumNameLength

  /// As announcements carry it.
  let meeting: String
  let participant: ParticipantID
  let secret: LinkSecret
  let timing: KeyTiming
  let local: LocalKeys
  let codeKey: SecretBytes
  let envelopeKey: SecretBytes
  let binding: [UInt8]
  var own: Announcement
  var ownBytes: [UInt8]
  var announcedAt: Instant?
  var roster = Roster()
  var channels: [ParticipantID: PairChannel] = [:]
  var publisher: PublisherKeys
  var remotes: [ParticipantID: RemoteKeys] = [:]
  var comparison: RosterComparison
  var pending = PendingEnvelopes()
  var sealing = FrameSealing()
  var effects: [KeyEffect] = []
  var firstEffect = 0
  private var lastWaiting: [ParticipantID] = []

  /// 30 digits that people compare, as soon as this client has announced itself.
  public private(set) var safetyCode: String?

  /// The keys of a client in a meeting.
  ///
  /// - Parameters:
  ///   - identity: The key of this meeting for guests, or the lasting one.
  ///   - random: Makes base keys; another source is for tests.
  /// - Throws: ``KeyMessageError/malformed`` when participant or name is too long, ``KeyMessageError/failed``.
  public init(
    meeting: String, participant: ParticipantID, name: String, identity: Ed25519.PrivateKey, secret: LinkSecret,
    timing: KeyTiming = KeyTiming(), limits: SFrameSealer.Limits = .standard, now: Instant,
    random: @escaping @Sendable (Int) throws(CryptoError) -> SecretBytes = KeyExchange.systemRandom
  ) throws(KeyMessageError) {
    guard participant.rawValue.utf8.count <= ParticipantID.maximumLength,
      name.utf8.count <= Announcement.maximumNameLength
    else { throw .malformed }
    self.participant = participant
    self.secret = secret
    self.timing = timing
    do throws(CryptoError) {
      local = LocalKeys(identity: identity, meetingKey: try X25519.PrivateKey(random(X25519.length)))
      codeKey = try secret.key("announcement", meeting: meeting)
      envelopeKey = try secret.key("envelope", meeting: meeting)
      self.meeting = try Announcement.meetingField(for: meeting)
      own = try Announcement(
        meeting: self.meeting, participant: participant, name: name, identity: identity.publicKey,
        meetingKey: local.meetingKey.publicKey, senderIndex: 0, revision: 0)
      ownBytes = []
      binding = try own.binding()
    } catch {
      throw .failed
    }
    publisher = PublisherKeys(senderIndex: 0, timing: timing, limits: limits, random: random)
    comparison = RosterComparison(tolerance: timing.rosterTolerance, joinTolerance: timing.joinTolerance)
  }

  /// Base keys of the system's generator.
  public static let systemRandom: @Sendable (Int) throws(CryptoError) -> SecretBytes = {
    (count: Int) throws(CryptoError) in try SecretBytes.random(count)
  }

  // MARK: State and effects

  /// Participants whose keys have been accepted, this client not among them.
  public var members: [ParticipantID] { roster.members.keys.sorted() }

  /// The announcement of a participant, for its name and for comparing identities.
  public func announcement(of id: ParticipantID) -> Announcement? { roster.members[id]?.announcement }

  /// Those whose frames come and whose key is lacking.
  public var waitingFor: [ParticipantID] { remotes.filter { $0.value.missingSince != nil }.keys.sorted() }

  /// The epoch of this client's key in use; nil while nothing is published.
  public var epoch: UInt64? { publisher.epoch }

  /// The next effect, in the order in which they came up.
  public func pollEffect() -> KeyEffect? {
    if publisher.takeNewReaders() { effects.append(.notify(.ownKeyFrameNeeded)) }
    guard firstEffect < effects.count else {
      effects.removeAll(keepingCapacity: true)
      firstEffect = 0
      return nil
    }
    firstEffect += 1
    return effects[firstEffect - 1]
  }

  /// When ``handleTimeout(now:)`` is to be called next.
  public var deadline: Instant? {
    ([publisher.deadline, comparison.deadline] + remotes.values.map(\.deadline)).compactMap { $0 }.min()
  }

  // MARK: Events

  /// Announces this client, after the announcements of those who are there were received: so it picks an index that
  /// nobody has.
  public func announce(now: Instant) throws(KeyMessageError) {
    try pickIndex(now)
    try rosterChanged(now)
  }

  /// Signalling goes on after it was lost; the announcements of those who are there follow. This client's own goes out
  /// again unless the server has it, and gives way to others who have claimed its index by now.
  public func resume(isAnnounced: Bool, now: Instant) {
    guard announcedAt != nil else { return }
    announcedAt = now
    comparison.resume(now)
    if !isAnnounced { effects.append(.announce(ownBytes)) }
  }

  /// Announces this client under another name; its keys and index stay.
  public func rename(_ name: String, now: Instant) throws(KeyMessageError) {
    guard name.utf8.count <= Announcement.maximumNameLength else { throw .malformed }
    guard announcedAt != nil, name != own.name else { return }
    do throws(CryptoError) { try sign(name: name, senderIndex: own.senderIndex) } catch { throw .failed }
    effects.append(.announce(ownBytes))
  }

  /// Tracks start or end; `tracks` says what each carries.
  public func publish(_ tracks: [UInt8: FrameSource], now: Instant) throws(KeyMessageError) {
    guard tracks.keys.allSatisfy({ $0 < FrameKeyID.tracks }) else { throw .malformed }
    try deliver(publisher.setTracks(tracks, members: Set(roster.members.keys), now: now))
  }

  /// A participant has left or was removed, as signalling says.
  public func remove(_ id: ParticipantID, isRemoved: Bool, now: Instant) throws(KeyMessageError) {
    pending.remove(id)
    guard roster.remove(id, ownIndex: own.senderIndex) else { return }
    channels[id] = nil
    remotes[id] = nil
    comparison.remove(id)
    effects.append(.notify(.memberLeft(id)))
    publisher.memberLeft(id, isRemoved: isRemoved, now: now)
    try rosterChanged(now)
    // Somebody who was removed is shut out without waiting for the clock.
    try handleTimeout(now: now)
  }

  /// Does what is due.
  public func handleTimeout(now: Instant) throws(KeyMessageError) {
    try deliver(publisher.handleTimeout(members: Set(roster.members.keys), now: now))
    var asked: Set<ParticipantID> = []
    for id in remotes.keys where remotes[id]?.handleTimeout(now: now) == true { asked.insert(id) }
    comparison.handleTimeout(now: now) { id in
      asked.insert(id)
    } alarm: { id in
      effects.append(.notify(.rosterMismatch(id)))
    }
    var requests: [KeyEnvelope] = []
    for id in asked.sorted() {
      if let channel = channels[id] { requests.append(KeyEnvelope(recipient: id, bytes: try channel.seal(.request))) }
    }
    if !requests.isEmpty { effects.append(.send(requests)) }
    noteWaiting()
  }

  // MARK: Steps

  /// Picks an index that nobody claims, from where the identity's hash says on, and announces it.
  func pickIndex(_ now: Instant) throws(KeyMessageError) {
    do throws(CryptoError) {
      var writer = ByteWriter()
      writer.write(binding)
      writer.write(own.revision)
      let hash = try Digest.sha256(writer.bytes)
      var index = UInt16(hash[0])
      // Up to 255 the key id has 16 bits, above 24.
      var attempts = 0
      while index == 0 || roster.isClaimed(index) {
        attempts += 1
        index = attempts < 256 ? (index + 1) % 256 : UInt16(truncatingIfNeeded: attempts)
      }
      try sign(name: own.name, senderIndex: index)
      publisher.setSenderIndex(index)
    } catch {
      throw .failed
    }
    announcedAt = now
    effects.append(.announce(ownBytes))
  }

  /// Makes the next announcement of this client.
  private func sign(name: String, senderIndex: UInt16) throws(CryptoError) {
    own = try Announcement(
      meeting: meeting, participant: participant, name: name, identity: own.identity, meetingKey: own.meetingKey,
      senderIndex: senderIndex, revision: own.revision + 1)
    ownBytes = try own.signed(by: local.identity, code: codeKey)
  }

  /// Seals keys for those who are to have them, all in one effect.
  func deliver(_ deliveries: [PublisherKeys.Delivery]) throws(KeyMessageError) {
    guard !deliveries.isEmpty else { return }
    let hash: [UInt8]
    do throws(CryptoError) { hash = try roster.hash(own: own) } catch { throw .failed }
    var envelopes: [KeyEnvelope] = []
    for delivery in deliveries {
      guard let channel = channels[delivery.recipient] else { continue }
      let message = SenderKeyMessage(
        epoch: delivery.epoch, baseKey: delivery.baseKey, rosterHash: hash, tracks: publisher.tracks)
      envelopes.append(KeyEnvelope(recipient: delivery.recipient, bytes: try channel.seal(.key(message))))
    }
    if !envelopes.isEmpty { effects.append(.send(envelopes)) }
  }

  func rosterChanged(_ now: Instant) throws(KeyMessageError) {
    do throws(CryptoError) {
      comparison.update(try roster.hash(own: own), now: now)
      let code = try SafetyCode.digits(of: roster.members.values.map(\.announcement.identity) + [own.identity])
      if code != safetyCode {
        safetyCode = code
        effects.append(.notify(.safetyCodeChanged))
      }
    } catch {
      throw .failed
    }
    noteWaiting()
  }

  func noteWaiting() {
    let waiting = waitingFor
    if waiting != lastWaiting {
      lastWaiting = waiting
      effects.append(.notify(.waitingChanged))
    }
  }
}
