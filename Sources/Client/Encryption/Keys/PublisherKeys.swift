internal import Basics
internal import Crypto

/// The keys of what this client publishes: one base key per epoch, from which each track has its own.
///
/// Somebody who joins gets the next ratchet step, so that earlier frames stay closed to them; everybody else derives
/// it. When somebody leaves, all who remain get a new key, which comes into use when they have acknowledged it, or when
/// its time is up.
struct PublisherKeys {
  /// A key that somebody is to be sent.
  struct Delivery: Equatable {
    let recipient: ParticipantID
    let epoch: UInt64
    let baseKey: SecretBytes
  }

  /// A participant who has left, with the latest key that it was given.
  private struct Eviction {
    let epoch: UInt64
    let deadline: Instant
  }

  private struct Key {
    let epoch: UInt64
    let baseKey: SecretBytes
    let since: Instant
    var holders: Set<ParticipantID>
  }

  private struct Pending {
    var key: Key
    var awaited: Set<ParticipantID>
    let activation: Instant
  }

  let timing: KeyTiming
  let random: @Sendable (Int) throws(CryptoError) -> SecretBytes
  let limits: SFrameSealer.Limits
  /// The source of each track; empty before anything is published.
  private(set) var tracks: [UInt8: FrameSource] = [:]
  private(set) var senderIndex: UInt16
  // By key id, for as long as the base key is in use: a track that ends and comes back goes on counting.
  private var sealers: [UInt64: SFrameSealer] = [:]
  private var current: Key?
  private var pending: Pending?
  private var lastEpoch: UInt64 = 0
  // Joins.
  private var joined: Set<ParticipantID> = []
  private var ratchetAt: Instant?
  private var pace: RatchetPace
  // Leaves.
  private var evictions: [Eviction] = []
  private var rotateAt: Instant?
  private var lastRotation: Instant?
  private var answers: [ParticipantID: Instant] = [:]
  private var hasNewReaders = false

  init(
    senderIndex: UInt16, timing: KeyTiming, limits: SFrameSealer.Limits,
    random: @escaping @Sendable (Int) throws(CryptoError) -> SecretBytes
  ) {
    self.senderIndex = senderIndex
    self.timing = timing
    pace = RatchetPace(timing)
    self.limits = limits
    self.random = random
  }

  /// The epoch in use; nil while nothing is published.
  var epoch: UInt64? { current?.epoch }

  /// Whether a key has come into use since the last call that opens frames for somebody who had none before: their
  /// video begins with a key frame of this key.
  mutating func takeNewReaders() -> Bool {
    defer { hasNewReaders = false }
    return hasNewReaders
  }

  /// When ``handleTimeout(members:now:)`` is to be called next.
  var deadline: Instant? {
    let lifetime = pending == nil ? current.map { $0.since + timing.lifetime } : nil
    return [ratchetAt, rotateAt, pending?.activation, lifetime].compactMap { $0 }.min()
  }

  // MARK: Events

  /// Tracks start or end. The first gets a key, in use at once: there is nobody who would lose frames by it.
  mutating func setTracks(
    _ tracks: [UInt8: FrameSource], members: Set<ParticipantID>, now: Instant
  ) throws(KeyMessageError) -> [Delivery] {
    guard tracks != self.tracks else { return [] }
    self.tracks = tracks
    if tracks.isEmpty {
      discardKeys()
      return []
    }
    guard let current else {
      let key = try makeKey(holders: members, now: now)
      use(key)
      return deliveries(of: key, to: members)
    }
    // The same keys again: what the tracks carry goes with them.
    var again = deliveries(of: current, to: current.holders)
    if let pending { again += deliveries(of: pending.key, to: pending.key.holders) }
    return again
  }

  /// Without tracks there is no key; the next one has a later epoch.
  private mutating func discardKeys() {
    current = nil
    pending = nil
    sealers = [:]
    joined = []
    ratchetAt = nil
    evictions = []
    rotateAt = nil
  }

  /// Another index: the tracks get other key ids of the same base key.
  mutating func setSenderIndex(_ index: UInt16) { senderIndex = index }

  mutating func memberJoined(_ id: ParticipantID, now: Instant) -> [Delivery] {
    guard current != nil else { return [] }
    if var pending {
      pending.key.holders.insert(id)
      pending.awaited.insert(id)
      self.pending = pending
      return deliveries(of: pending.key, to: [id])
    }
    joined.insert(id)
    ratchetAt = ratchetAt ?? pace.earliest(now: now)
    return []
  }

  mutating func memberLeft(_ id: ParticipantID, isRemoved: Bool, now: Instant) {
    joined.remove(id)
    if joined.isEmpty { ratchetAt = nil }
    answers[id] = nil
    var held: UInt64?
    if current?.holders.remove(id) != nil { held = current?.epoch }
    if pending?.key.holders.remove(id) != nil { held = pending?.key.epoch }
    pending?.awaited.remove(id)
    // Somebody who was given no key takes none along.
    if let held {
      let deadline = now + timing.acknowledgements + (isRemoved ? .zero : timing.leaveBatch)
      evictions.append(Eviction(epoch: held, deadline: deadline))
      scheduleRotation(at: isRemoved ? now : now + timing.leaveBatch)
    }
    activateIfAcknowledged()
  }

  mutating func acknowledged(by id: ParticipantID, epoch: UInt64) {
    guard let pending, pending.key.epoch == epoch else { return }
    self.pending?.awaited.remove(id)
    activateIfAcknowledged()
  }

  /// The answer to a participant that lacks a key; empty for those that must not have one yet.
  mutating func requested(by id: ParticipantID, now: Instant) -> [Delivery] {
    if let last = answers[id], now - last < timing.requestSpacing { return [] }
    var found: [Delivery] = []
    if let current, current.holders.contains(id) { found += deliveries(of: current, to: [id]) }
    if let pending, pending.key.holders.contains(id) { found += deliveries(of: pending.key, to: [id]) }
    if !found.isEmpty { answers[id] = now }
    return found
  }

  mutating func handleTimeout(members: Set<ParticipantID>, now: Instant) throws(KeyMessageError) -> [Delivery] {
    if let pending, now >= pending.activation { activate(pending) }
    if pending == nil, let current, now - current.since >= timing.lifetime { scheduleRotation(at: now) }
    var out: [Delivery] = []
    if let rotateAt, now >= rotateAt { out += try rotate(members: members, now: now) }
    if let ratchetAt, now >= ratchetAt { out += try ratchet(now) }
    return out
  }

  // MARK: Frames

  mutating func seal(
    _ frame: Span<UInt8>, track: UInt8, metadata: Span<UInt8>, now: Instant, appendingTo output: inout [UInt8]
  ) throws(FrameDrop) {
    guard senderIndex > 0, tracks[track] != nil, let current else { throw .noKey }
    let sealer: SFrameSealer
    do throws(SFrameError) {
      let id = FrameKeyID(sender: senderIndex, track: track, epoch: current.epoch).rawValue
      if let known = sealers[id] {
        sealer = known
      } else {
        sealer = try SFrameSealer(baseKey: current.baseKey, keyID: id, limits: limits)
        sealers[id] = sealer
      }
      if sealer.isWorn, pending == nil { scheduleRotation(at: now) }
      try sealer.seal(frame, metadata: metadata, appendingTo: &output)
    } catch {
      throw .refused(error)
    }
  }

  // MARK: Rotation

  private mutating func scheduleRotation(at wanted: Instant) {
    let earliest = max(wanted, lastRotation.map { $0 + timing.rotationSpacing } ?? wanted)
    rotateAt = min(rotateAt ?? earliest, earliest)
  }

  private mutating func makeKey(holders: Set<ParticipantID>, now: Instant) throws(KeyMessageError) -> Key {
    lastEpoch += 1
    do throws(CryptoError) {
      let key = try random(SenderKeyMessage.keyLength)
      return Key(epoch: lastEpoch, baseKey: key, since: now, holders: holders)
    } catch {
      throw .failed
    }
  }

  /// A new key for all who are there. One that is pending was never used and goes.
  private mutating func rotate(members: Set<ParticipantID>, now: Instant) throws(KeyMessageError) -> [Delivery] {
    rotateAt = nil
    lastRotation = now
    joined = []
    ratchetAt = nil
    let key = try makeKey(holders: members, now: now)
    let activation = evictions.map(\.deadline).min() ?? .distantFuture
    let next = Pending(key: key, awaited: members, activation: min(activation, now + timing.acknowledgements))
    pending = next
    activateIfAcknowledged()
    return deliveries(of: key, to: members)
  }

  private mutating func activateIfAcknowledged() {
    if let pending, pending.awaited.isEmpty { activate(pending) }
  }

  private mutating func activate(_ next: Pending) {
    pending = nil
    // Those who left later have this key too: their turn comes.
    evictions.removeAll { $0.epoch < next.key.epoch }
    use(next.key)
  }

  private mutating func ratchet(_ now: Instant) throws(KeyMessageError) -> [Delivery] {
    ratchetAt = nil
    pace.noteStep(now: now)
    guard let current, !joined.isEmpty else { return [] }
    lastEpoch = max(lastEpoch, current.epoch) + 1
    let key: Key
    do throws(SFrameError) {
      key = Key(
        epoch: lastEpoch, baseKey: try SFrameSuite.aes128GCM.ratchet(current.baseKey), since: current.since,
        holders: current.holders.union(joined))
    } catch {
      throw .failed
    }
    let recipients = joined
    joined = []
    use(key)
    return deliveries(of: key, to: recipients)
  }

  private mutating func use(_ key: Key) {
    if let current, !key.holders.isSubset(of: current.holders) { hasNewReaders = true }
    current = key
    sealers = [:]
  }

  private func deliveries(of key: Key, to recipients: Set<ParticipantID>) -> [Delivery] {
    recipients.sorted().map { Delivery(recipient: $0, epoch: key.epoch, baseKey: key.baseKey) }
  }
}
