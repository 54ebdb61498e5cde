import Basics
import Crypto
import Encryption
import Signaling
import Synchronization

/// The keys of one connection to an encrypted meeting, shared by signalling, which exchanges them, and the media
/// thread, which seals and opens with them.
///
/// There are none before the welcome: until then nothing is sealed, so that nothing leaves, and nothing opens.
final class KeyRing: Sendable {
  private struct State {
    var keys: MeetingKeys?
    /// The tracks of this client, also before there are keys.
    var tracks: [UInt8: FrameSource] = [:]
    /// Whether the media thread has said that there are outputs, and nobody has taken them since.
    var isTold = false

    /// Whether it is to be said now.
    mutating func tells() -> Bool {
      guard !isTold, keys?.hasOutputs == true else { return false }
      isTold = true
      return true
    }
  }

  /// The track of chat messages, signals and data.
  static let messageTrack: UInt8 = 15

  private let state = Mutex(State())

  /// The place is known: announces this client to those who are there.
  ///
  /// - Returns: False when the meeting has another secret.
  func begin(
    meeting: String, participant: String, name: String, identity: Ed25519.PrivateKey, secret: LinkSecret,
    announcements: [ParticipantAnnouncement], roster: [String], now: Instant
  ) throws(KeyMessageError) -> Bool {
    try state.withLock { (state) throws(KeyMessageError) -> Bool in
      let keys = try MeetingKeys(
        meeting: meeting, participant: ParticipantID(rawValue: participant), name: name, identity: identity,
        secret: secret, now: now)
      state.keys = keys
      guard keys.begin(announcements, roster: roster.map { ParticipantID(rawValue: $0) }, now: now) else {
        return false
      }
      keys.publish(state.tracks, now: now)
      return true
    }
  }

  /// Does something with the keys, where there are any.
  private func with(_ body: (MeetingKeys) -> Void) {
    state.withLock { state in if let keys = state.keys { body(keys) } }
  }

  func resume(_ announcements: [ParticipantAnnouncement], roster: [String], now: Instant) {
    with { $0.resume(announcements, roster: roster.map { ParticipantID(rawValue: $0) }, now: now) }
  }

  func join(_ id: String, now: Instant) { with { $0.join(ParticipantID(rawValue: id), now: now) } }

  func leave(_ id: String, isRemoved: Bool, now: Instant) {
    with { $0.leave(ParticipantID(rawValue: id), isRemoved: isRemoved, now: now) }
  }

  func receive(_ announcements: [ParticipantAnnouncement], now: Instant) {
    with { $0.receive(announcements, now: now) }
  }

  func receive(_ envelopes: [ReceivedEnvelope], now: Instant) {
    // The lock is let go between them: each costs a key agreement at first, and sound does not wait.
    for envelope in envelopes { with { $0.receive([envelope], now: now) } }
  }

  func rename(_ name: String, now: Instant) { with { $0.rename(name, now: now) } }

  /// A track begins; nil in place of a source ends it. Whether that is news.
  @discardableResult func setTrack(_ index: UInt8, _ source: FrameSource?, now: Instant) -> Bool {
    state.withLock { state in
      guard state.tracks[index] != source else { return false }
      state.tracks[index] = source
      state.keys?.publish(state.tracks, now: now)
      return true
    }
  }

  /// Takes everything that is to be done, in order. One thread takes it, so that messages leave in their order.
  func takeOutputs() -> [KeyOutput] {
    state.withLock { state in
      state.isTold = false
      return state.keys?.takeOutputs() ?? []
    }
  }

  var status: MeetingEncryption { state.withLock { $0.keys?.status ?? MeetingEncryption(.waiting) } }

  // MARK: Time

  /// When ``handleTimeout(now:)`` is to be called next.
  var deadline: Instant { state.withLock { $0.keys?.deadline ?? .distantFuture } }

  /// Does what is due, and takes what frames have changed. True once when ``takeOutputs()`` has something.
  func handleTimeout(now: Instant) -> Bool {
    state.withLock { state in
      if let keys = state.keys {
        if keys.deadline <= now { keys.handleTimeout(now: now) } else { keys.framesCame(now: now) }
      }
      return state.tells()
    }
  }

  // MARK: Frames

  /// Appends the sealed form of a frame of an own track.
  func seal(
    _ frame: Span<UInt8>, codec: FrameCodec, track: UInt8, now: Instant, appendingTo output: inout [UInt8]
  ) throws(FrameDrop) {
    try state.withLock { (state) throws(FrameDrop) in
      guard let keys = state.keys else { throw .noKey }
      try keys.exchange.seal(frame, codec: codec, track: track, now: now, appendingTo: &output)
    }
  }

  /// Appends the plain form of somebody's frame.
  func open(
    _ frame: Span<UInt8>, codec: FrameCodec, from sender: ParticipantID, source: FrameSource, now: Instant,
    appendingTo output: inout [UInt8]
  ) throws(FrameDrop) {
    try state.withLock { (state) throws(FrameDrop) in
      guard let keys = state.keys else { throw .noKey }
      try keys.exchange.open(frame, codec: codec, from: sender, source: source, now: now, appendingTo: &output)
    }
  }
}
