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
    needsKeyframe = false
    shown = nil
    if !isNew { buffer.reset() }
    isNew = false
  }

  func stop() { track = nil }

  func insert(_ packet: ReceivedPacket, _ payload: Span<UInt8>, _ descriptor: Span<UInt8>?, _ now: Instant) {
    guard track != nil || isNew else { return }
    ssrc = packet.ssrc
    buffer.insert(packet, payload: payload, dependencyDescriptor: descriptor, now: now)
  }

  var deadline: Instant { track == nil ? .distantFuture : buffer.deadline }

  func poll(now: Instant) -> Bool {
    guard let track else { return false }
    var wantsKeyframe = false
    while var frame = buffer.poll(now: now) {
      shown = (frame.timestamp, frame.time)
      if let encryption, !opens(&frame, with: encryption, &wantsKeyframe, now) { continue }
      onFrame?(frame)
      track.decode(frame)
    }
    return buffer.takeKeyframeRequest() || wantsKeyframe
  }

  /// Opens a frame; false where it is not to be decoded. Frames after one that is lacking wait for a key frame, which
  /// is asked for as soon as the key is there.
  private func opens(
    _ frame: inout EncodedFrame, with encryption: FrameEncryption, _ wantsKeyframe: inout Bool, _ now: Instant
  ) -> Bool {
    switch encryption.open(&frame, from: origin.participant, source: origin.source, now: now) {
    case nil:
      if needsKeyframe, !frame.isKeyframe {
        wantsKeyframe = true
        return false
      }
      needsKeyframe = false
      return true
    case .refused(.replayed)?: return false
    case .noKey?, .wrongSender?, .wrongTrack?, .malformed?, .refused?:
      if frame.isReference { needsKeyframe = true }
      return false
    }
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
