import Basics
import Encryption
import Media
import RTC
import Signaling

/// The receiving end of one slot, from packets to frames.
protocol MediaSlot: AnyObject {
  var mid: MID { get }
  /// Whether it is among the session's slots that took packets since they were last polled. Always true for one that is
  /// never polled.
  var isFilled: Bool { get set }
  /// The publication in the slot; nil while it is empty.
  var remoteTrack: RemoteTrack? { get }
  /// Whether it never carried anything: what came already is of the first thing that it will carry. Media and
  /// signalling take different ways, and the first packets may be faster.
  var isNew: Bool { get }
  /// The counts of the slot's stream when ``remoteTrack`` began.
  var baseline: InboundStreamStatistics? { get set }
  func insert(_ packet: ReceivedPacket, _ payload: Span<UInt8>, _ descriptor: Span<UInt8>?, _ now: Instant)
  /// When ``poll(now:)`` wants to be called.
  var deadline: Instant { get }
  /// Gives out what is due; whether a keyframe is needed.
  func poll(now: Instant) -> Bool
}

/// Video of one slot: a jitter buffer, and the track that decodes what comes out of it.
final class VideoSlot: MediaSlot {
  let mid: MID
  var isFilled = false
  private(set) var track: RemoteVideoTrack?
  var remoteTrack: RemoteTrack? { track.map { .video($0) } }
  private(set) var isNew = true
  var baseline: InboundStreamStatistics?
  private(set) var buffer: VideoJitterBuffer
  /// The last frame given out, and when it is to be shown.
  private(set) var shown: (timestamp: RTPTimestamp, time: Instant)?
  private(set) var participant = ""
  private(set) var ssrc: SSRC?
  /// Gets every frame that is given out, for simulations.
  var onFrame: ((EncodedFrame) -> Void)?
  private let encryption: FrameEncryption?
  private var origin = FrameOrigin()
  /// Whether a frame is lacking that later ones refer to.
  private var needsKeyframe = false
  /// Whether any frame of the track has opened.
  private var hasOpened = false
  private var wantsKeyframe = false
  private var held = HeldFrames()

  init(mid: MID, roundTripTime: TimeSpan?, encryption: FrameEncryption? = nil) {
    self.mid = mid
    self.encryption = encryption
    buffer = VideoJitterBuffer(isEncrypted: encryption != nil)
    buffer.roundTripTime = roundTripTime
  }

  func start(_ track: RemoteVideoTrack, participant: String, source: TrackSource = .camera) {
    self.track = track
    self.participant = participant
    origin = FrameOrigin(participant, source)
    dropHeld()
    (needsKeyframe, hasOpened, wantsKeyframe) = (false, false, false)
    shown = nil
    if !isNew { buffer.reset() }
    isNew = false
  }

  func stop() {
    track = nil
    dropHeld()
  }

  func insert(_ packet: ReceivedPacket, _ payload: Span<UInt8>, _ descriptor: Span<UInt8>?, _ now: Instant) {
    guard track != nil || isNew else { return }
    ssrc = packet.ssrc
    buffer.insert(packet, payload: payload, dependencyDescriptor: descriptor, now: now)
  }

  var deadline: Instant { track == nil ? .distantFuture : buffer.deadline }

  func poll(now: Instant) -> Bool {
    guard let track else { return false }
    while let frame = buffer.poll(now: now) {
      shown = (frame.timestamp, frame.time)
      guard let encryption else {
        show(frame, in: track)
        continue
      }
      receive(frame, with: encryption, in: track, now)
    }
    defer { wantsKeyframe = false }
    return buffer.takeKeyframeRequest() || wantsKeyframe
  }

  private func show(_ frame: EncodedFrame, in track: RemoteVideoTrack) {
    onFrame?(frame)
    track.decode(frame)
  }

  // MARK: Encryption

  private func receive(
    _ frame: EncodedFrame, with encryption: FrameEncryption, in track: RemoteVideoTrack, _ now: Instant
  ) {
    var frame = frame
    switch encryption.open(&frame, from: origin.participant, source: origin.source, now: now) {
    case nil:
      // A key has come that these may lack too; the others are of a key that never comes.
      openHeld(with: encryption, in: track, now)
      dropHeld()
      showOpened(frame, in: track)
    case .noKey?:
      held.append(frame, since: now)
      for entry in held.removeExcess(now: now) { drop(entry.frame) }
    case .refused(.replayed)?: break
    case .wrongSender?, .wrongTrack?, .malformed?, .refused?: if frame.isReference { needsKeyframe = true }
    }
  }

  /// The key of the sender has come: frames that wait for it are played. Whether a key frame is needed all the same.
  func openHeld(now: Instant) -> Bool {
    guard let encryption, let track else { return false }
    openHeld(with: encryption, in: track, now)
    wantsKeyframe = false
    return needsKeyframe || !held.isEmpty || !hasOpened
  }

  private func openHeld(with encryption: FrameEncryption, in track: RemoteVideoTrack, _ now: Instant) {
    guard !held.isEmpty else { return }
    for entry in held.removeExcess(now: now) { drop(entry.frame) }
    for entry in held.removeAll() {
      var frame = entry.frame
      switch encryption.open(&frame, from: origin.participant, source: origin.source, now: now) {
      case nil:
        // Frames come in the order of their keys, so those before it are of an older one, as before a join.
        dropHeld()
        showOpened(frame, in: track)
      case .noKey?: held.append(frame, since: entry.since)
      // A replayed one has opened in part, when it was tried before.
      case .wrongSender?, .wrongTrack?, .malformed?, .refused?: if frame.isReference { needsKeyframe = true }
      }
    }
  }

  /// Frames after one that is lacking wait for a key frame, which is asked for as soon as the key is there.
  private func showOpened(_ frame: EncodedFrame, in track: RemoteVideoTrack) {
    hasOpened = true
    if needsKeyframe, !frame.isKeyframe {
      wantsKeyframe = true
      return
    }
    needsKeyframe = false
    show(frame, in: track)
  }

  private func dropHeld() {
    guard !held.isEmpty else { return }
    for entry in held.removeAll() { drop(entry.frame) }
  }

  /// Counts a frame that was held, and isn't played.
  private func drop(_ frame: EncodedFrame) {
    encryption?.drop(.noKey)
    if frame.isReference { needsKeyframe = true }
  }

  func setMinimumDelay(_ delay: TimeSpan) { buffer.minimumDelay = delay }

  func setRoundTripTime(_ time: TimeSpan) { buffer.roundTripTime = time }
}

/// Audio of one slot: playout with its jitter buffer and decoder, and the track that is heard.
final class AudioSlot: MediaSlot {
  let mid: MID
  var isFilled: Bool {
    get { true }
    set {}
  }
  private(set) var track: RemoteAudioTrack?
  var remoteTrack: RemoteTrack? { track.map { .audio($0) } }
  private(set) var isNew = true
  var baseline: InboundStreamStatistics?
  private(set) var playout: AudioPlayout?
  private(set) var participant = ""
  private(set) var ssrc: SSRC?
  var isListened = false { didSet { playout?.isPlayed = isPlayed } }
  /// Whether all that is heard in the meeting is mixed.
  var isMixed = false { didSet { playout?.isPlayed = isPlayed } }
  private var isPlayed: Bool { isListened || isMixed }
  private var hasReceived = false
  private let encryption: FrameEncryption?
  private var origin = FrameOrigin()

  init(mid: MID, isMixed: Bool, encryption: FrameEncryption? = nil) {
    self.mid = mid
    self.encryption = encryption
    self.isMixed = isMixed
  }

  func start(_ track: RemoteAudioTrack, participant: String, source: TrackSource = .microphone) {
    self.track = track
    self.participant = participant
    origin = FrameOrigin(participant, source)
    if !isNew {
      playout = nil
      hasReceived = false
    }
    isNew = false
    isListened = track.isListened
  }

  func stop() {
    track = nil
    playout = nil
    isListened = false
  }

  func insert(_ packet: ReceivedPacket, _ payload: Span<UInt8>, _ descriptor: Span<UInt8>?, _ now: Instant) {
    guard track != nil || isNew, packet.codec == .opus else { return }
    ssrc = packet.ssrc
    // A packet without content is padding, which says that its number is not lost.
    guard let encryption, !payload.isEmpty else { return take(packet, payload, now) }
    guard track != nil else { return encryption.drop(.unassigned) }
    encryption.open(payload, from: origin.participant, source: origin.source, now: now) { take(packet, $0, now) }
  }

  private func take(_ packet: ReceivedPacket, _ payload: Span<UInt8>, _ now: Instant) {
    hasReceived = true
    if playout == nil {
      playout = try? AudioPlayout(decoder: OpusDecoder())
      playout?.isPlayed = isPlayed
    }
    playout?.insert(packet, payload: payload, now: now)
  }

  /// The next 10 ms, given to the track's sinks too; nil when nobody listens.
  func playOut(now: Instant, always: Bool) -> AudioFrame? {
    guard let track, let playout, isListened || always else { return nil }
    let frame = playout.next(now: now)
    track.play(frame, isReal: hasReceived)
    return frame
  }

  /// The share of `frame` in the mix, by the track's volume; nil when it is silent.
  func inMix(_ frame: AudioFrame) -> AudioFrame? {
    let volume = track?.volume ?? 1
    guard volume != 1 else { return frame }
    guard volume > 0 else { return nil }
    var frame = frame
    for index in frame.samples.indices {
      frame.samples[index] = Int16(max(-32_768, min(32_767, Double(frame.samples[index]) * volume)))
    }
    return frame
  }

  var deadline: Instant { .distantFuture }
  func poll(now: Instant) -> Bool { false }
}

/// The sender of a slot's frames, by the server's word; the keys have to agree.
struct FrameOrigin {
  var participant = ParticipantID(rawValue: "")
  var source = FrameSource.camera

  init() {}

  init(_ participant: String, _ source: TrackSource) {
    self.participant = ParticipantID(rawValue: participant)
    self.source = FrameSource(source)
  }
}
