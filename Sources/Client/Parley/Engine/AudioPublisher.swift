import Basics
import Media
import RTC
import Synchronization

/// Encodes one audio source with Opus, 20 ms a packet, on the source's own thread.
final class AudioPublisher: Publisher {
  private struct State {
    var encoder: OpusEncoder
    var timeline = MediaTimeline(clockRate: 48_000)
    var isMuted: Bool
    var destination: PublisherDestination?
    /// Failures of the encoder in a row.
    var failures = 0
  }

  let kind = MediaKind.audio
  let rids: [RID] = []
  private let track: LocalAudioTrack
  private let state: Mutex<State>
  private let onProblem = Mutex<(@Sendable (PublisherProblem) -> Void)?>(nil)

  init(_ track: LocalAudioTrack, isMuted: Bool) throws(MediaError) {
    self.track = track
    try track.options.check()
    let encoder = try OpusEncoder(Self.settings(track.options))
    state = Mutex(State(encoder: encoder, isMuted: isMuted))
  }

  /// The first settings of a track's encoder.
  static func settings(_ options: AudioOptions) -> OpusEncoderSettings {
    OpusEncoderSettings(
      channels: options.channels, bitrate: options.bitrate, content: options.channels == 2 ? .music : .voice,
      usesForwardErrorCorrection: options.forwardErrorCorrection, expectedLossPercent: expectedLossPercent(0),
      usesDiscontinuousTransmission: options.discontinuous)
  }

  /// The loss to be ready for when the server reports this share of packets lost, here or by the receiver that loses
  /// most. Never none: the encoder adds copies only for an expected loss, and a report comes a second or two after the
  /// loss began.
  static func expectedLossPercent(_ fraction: Double) -> Int {
    max(minimumExpectedLoss, Int((min(max(fraction, 0), 0.3) * 100).rounded(.up)))
  }

  private static let minimumExpectedLoss = 10

  func codecs(outOf codecs: [Codec]) -> [Codec] { codecs.filter { $0.kind == .audio } }

  func parameters(_ rid: RID?) -> EncodingParameters {
    EncodingParameters(
      minimumBitrate: min(.kilobits(12), track.options.bitrate), maximumBitrate: track.options.bitrate)
  }

  func start(onProblem: @escaping @Sendable (PublisherProblem) -> Void) throws(MediaError) {
    self.onProblem.withLock { $0 = onProblem }
    try track.source.start({ [weak self] frame in self?.take(frame) }, onEnd: { onProblem(.sourceEnded($0)) })
  }

  func stop() {
    track.source.stop()
    attach(nil)
  }

  func setMuted(_ muted: Bool) {
    state.withLock { state in
      state.isMuted = muted
      state.encoder.reset()
    }
  }

  func attach(_ destination: PublisherDestination?) { state.withLock { $0.destination = destination } }

  func requestKeyframe(_ rid: RID?) {}

  func apply(_ allocation: [StreamAllocation]) {
    guard let own = allocation.first else { return }
    let bitrate = min(track.options.bitrate, max(own.bitrate, .kilobits(8)))
    state.withLock { $0.encoder.settings.bitrate = bitrate }
  }

  func prepare(forLoss fraction: Double) {
    let percent = Self.expectedLossPercent(fraction)
    state.withLock { $0.encoder.settings.expectedLossPercent = percent }
  }

  private func take(_ frame: AudioFrame) {
    let (packet, destination, problem) = state.withLock {
      state -> (EncodedFrame?, PublisherDestination?, MediaError?) in
      guard !state.isMuted, state.destination != nil else { return (nil, nil, nil) }
      do throws(MediaError) {
        guard var packet = try state.encoder.encode(frame) else { return (nil, nil, nil) }
        state.failures = 0
        packet.timestamp = state.timeline.timestamp(at: packet.time)
        return (packet, state.destination, nil)
      } catch {
        state.failures += 1
        return (nil, nil, state.failures == PublisherProblem.failureLimit ? error : nil)
      }
    }
    if let problem { onProblem.withLock { $0 }?(.encoderFailed(problem)) }
    guard let packet, let destination else { return }
    destination.connection.post { session, now in
      session.send(packet, mid: destination.mid, rid: nil, now: now)
    }
  }
}
