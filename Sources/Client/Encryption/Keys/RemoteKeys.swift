internal import Basics
internal import Crypto

/// The keys of what one other participant publishes.
///
/// A key comes in an envelope, or is derived from the one before when a frame says so; a derived one counts only once a
/// frame has opened with it, so that neither a forged frame nor an envelope that is late leads to a wrong key.
struct RemoteKeys {
  private struct Key {
    let epoch: UInt64
    let baseKey: SecretBytes
    /// Whether it came in an envelope.
    let isGiven: Bool
    /// Set when a later key came into use.
    var expiry: Instant?
    var openers: [UInt8: SFrameOpener] = [:]

    mutating func opener(sender: UInt16, track: UInt8) throws(SFrameError) -> SFrameOpener {
      if let known = openers[track] { return known }
      let id = FrameKeyID(sender: sender, track: track, epoch: epoch)
      let opener = try SFrameOpener(baseKey: baseKey, keyID: id.rawValue)
      openers[track] = opener
      return opener
    }
  }

  private let timing: KeyTiming
  // By epoch, at most as many as epochs have bits for.
  private var keys: [Key] = []
  // Derived keys that no frame has confirmed yet, by the epoch's bits.
  private var candidates: [UInt8: Key] = [:]
  private(set) var tracks: [UInt8: FrameSource] = [:]
  private var newestUsed: UInt64 = 0
  private(set) var missingSince: Instant?
  private var requestAt: Instant?
  private var lastMissing = Instant.zero
  // An envelope may be lost although there is a key: frames come of a track that the table lacks, or of an epoch whose
  // bits are those of a known one. The sender is asked, and the state stays as it is.
  private var isInDoubt = false
  private var doubtRequestAt: Instant?
  private var lastDoubtRequest: Instant?
  /// Frames in a row that a key did not open; more of them than ``toleratedFailures`` are a reason to ask.
  private var failures = 0
  private static let toleratedFailures = 10
  private var hasRatcheted = false

  init(timing: KeyTiming) { self.timing = timing }

  /// When ``handleTimeout(now:)`` is to be called next.
  var deadline: Instant? { (keys.compactMap(\.expiry) + [requestAt, doubtRequestAt].compactMap { $0 }).min() }

  /// The sender has another index: its key ids need other openers.
  mutating func resetOpeners() {
    candidates = [:]
    for index in keys.indices { keys[index].openers = [:] }
  }

  /// Takes a key from an envelope.
  ///
  /// - Returns: Whether frames were waiting for it, so that a key frame is wanted.
  /// - Throws: ``KeyMessageError/replayed`` where the same epoch had another key in an earlier envelope.
  mutating func receive(_ message: SenderKeyMessage, now: Instant) throws(KeyMessageError) -> Bool {
    // A key before the one in use cannot come back.
    guard message.epoch >= newestUsed else { return false }
    let wasInDoubt = isInDoubt
    isInDoubt = false
    doubtRequestAt = nil
    failures = 0
    if message.epoch >= keys.last?.epoch ?? 0 { tracks = message.tracks }
    if let index = keys.firstIndex(where: { $0.epoch == message.epoch }) {
      if keys[index].baseKey == message.baseKey { return wasInDoubt }
      guard !keys[index].isGiven else { throw .replayed }
      keys.remove(at: index)
    }
    insert(Key(epoch: message.epoch, baseKey: message.baseKey, isGiven: true, expiry: nil))
    candidates = [:]
    defer {
      missingSince = nil
      requestAt = nil
    }
    return missingSince != nil || wasInDoubt
  }

  private mutating func insert(_ key: Key) {
    keys.removeAll { $0.epoch % FrameKeyID.epochs == key.epoch % FrameKeyID.epochs }
    keys.insert(key, at: keys.firstIndex { $0.epoch > key.epoch } ?? keys.endIndex)
  }

  /// Appends the plain frame to `output`.
  mutating func open(
    _ frame: Span<UInt8>, keyID: FrameKeyID, source: FrameSource, metadata: Span<UInt8>, now: Instant,
    appendingTo output: inout [UInt8]
  ) throws(FrameDrop) {
    guard !keys.isEmpty else {
      noteMissing(now)
      throw .noKey
    }
    guard let known = tracks[keyID.track] else {
      noteDoubt(now)
      throw .wrongTrack
    }
    guard known == source else { throw .wrongTrack }
    if let index = keys.lastIndex(where: { $0.epoch % FrameKeyID.epochs == UInt64(keyID.epochBits) }) {
      do throws(SFrameError) {
        let opener = try keys[index].opener(sender: keyID.sender, track: keyID.track)
        try opener.open(frame, metadata: metadata, appendingTo: &output)
      } catch {
        // After many joins and leaves within the grace, an earlier key has the bits of the next epoch.
        if keys[index].epoch < newestUsed,
          openWithNext(frame, keyID: keyID, metadata: metadata, now: now, appendingTo: &output)
        {
          return
        }
        // Another key counts its frames from the beginning, so most of them look replayed.
        if [.authenticationFailed, .replayed, .tooOld].contains(error) {
          failures += 1
          if failures > Self.toleratedFailures { noteDoubt(now) }
        }
        throw .refused(error)
      }
      noteUsed(keys[index].epoch, now)
      return
    }
    guard openWithNext(frame, keyID: keyID, metadata: metadata, now: now, appendingTo: &output) else {
      noteMissing(now)
      throw .noKey
    }
  }

  /// Whether a key that is derived from those in use opens the frame; it is in use from then on.
  private mutating func openWithNext(
    _ frame: Span<UInt8>, keyID: FrameKeyID, metadata: Span<UInt8>, now: Instant, appendingTo output: inout [UInt8]
  ) -> Bool {
    do throws(SFrameError) {
      var candidate = try candidate(keyID.epochBits)
      let opener = try candidate.opener(sender: keyID.sender, track: keyID.track)
      candidates[keyID.epochBits] = candidate
      try opener.open(frame, metadata: metadata, appendingTo: &output)
      insert(candidate)
      candidates = [:]
      hasRatcheted = true
      noteUsed(candidate.epoch, now)
      return true
    } catch {
      return false
    }
  }

  /// Whether a ratchet step has come into use since the last call.
  mutating func takeRatchet() -> Bool {
    defer { hasRatcheted = false }
    return hasRatcheted
  }

  /// A key ratcheted to the next epoch with these bits: the first that has room for it before the next known epoch.
  private func candidate(_ bits: UInt8) throws(SFrameError) -> Key {
    if let known = candidates[bits] { return known }
    for index in keys.indices where keys[index].epoch >= newestUsed {
      var baseKey = keys[index].baseKey
      var epoch = keys[index].epoch
      let steps = (UInt64(bits) &- epoch) % FrameKeyID.epochs
      if index + 1 < keys.count, keys[index + 1].epoch <= epoch + steps { continue }
      for _ in 0..<steps { baseKey = try SFrameSuite.aes128GCM.ratchet(baseKey) }
      epoch += steps
      return Key(epoch: epoch, baseKey: baseKey, isGiven: false, expiry: nil)
    }
    throw .unknownKey
  }

  private mutating func noteUsed(_ epoch: UInt64, _ now: Instant) {
    missingSince = nil
    requestAt = nil
    failures = 0
    guard epoch > newestUsed else { return }
    newestUsed = epoch
    for index in keys.indices where keys[index].epoch < epoch && keys[index].expiry == nil {
      keys[index].expiry = now + timing.grace
    }
  }

  private mutating func noteMissing(_ now: Instant) {
    lastMissing = now
    guard missingSince == nil else { return }
    missingSince = now
    requestAt = now + timing.requestDelay
  }

  private mutating func noteDoubt(_ now: Instant) {
    isInDoubt = true
    guard doubtRequestAt == nil else { return }
    let earliest = lastDoubtRequest.map { $0 + timing.requestSpacing } ?? now
    doubtRequestAt = max(now + timing.requestDelay, earliest)
  }

  /// Lets keys go whose time is over.
  ///
  /// - Returns: Whether the sender is to be asked for its key now.
  mutating func handleTimeout(now: Instant) -> Bool {
    keys.removeAll { $0.expiry.map { now >= $0 } ?? false }
    var asks = false
    if let due = doubtRequestAt, now >= due {
      // The next frame of the kind brings it back.
      doubtRequestAt = nil
      lastDoubtRequest = now
      asks = true
    }
    if let due = requestAt, now >= due {
      // A sender that has stopped has no key to give, and nothing is lacking.
      let isOver = now - lastMissing > timing.missingEnd
      if isOver { missingSince = nil }
      requestAt = isOver ? nil : now + timing.requestSpacing
      asks = asks || !isOver
    }
    return asks
  }
}
