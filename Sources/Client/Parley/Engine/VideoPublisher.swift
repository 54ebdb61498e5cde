import Basics
import Dispatch
import Media
import RTC
import Signaling
import Synchronization

/// Encodes one video source on a queue of its own, in one layer or three. A frame that comes while the one before is
/// being encoded is dropped, so a slow machine lowers the frame rate instead of adding delay.
final class VideoPublisher: Publisher {
  struct State {
    var layers: [VideoLayer] = []
    var isMuted: Bool
    var isBusy = false
    /// The newest frame and when it came, so that a keyframe need not wait for the next one.
    var newest: (frame: VideoFrame, arrival: Instant)?
    /// The size of the source's frames; nil before the first.
    var size: (width: Int, height: Int)?
    var destination: PublisherDestination?
    /// The highest frame rate that anybody watches; nil for all frames.
    var wantedRate: Int?
    /// Frames that were left out because the one before was still being encoded.
    var skipped = FrameRateMeter()
  }

  /// State that only the queue touches.
  // unchecked: used on the serial queue only.
  final class Encoders: @unchecked Sendable {
    var byLayer: [Int: any VideoEncoder] = [:]
    var timeline = MediaTimeline(clockRate: 90_000)
    /// Failures in a row of each layer.
    var failures: [Int: Int] = [:]
    /// The time of the last encoded frame; the next one is later.
    var lastTime = Instant.zero
  }

  let kind = MediaKind.video
  let rids: [RID]
  let track: LocalVideoTrack
  let state: Mutex<State>
  private let queue = DispatchQueue(label: "parley.encode")
  let encoders = Encoders()
  let onProblem = Mutex<(@Sendable (PublisherProblem) -> Void)?>(nil)

  init(_ track: LocalVideoTrack, isMuted: Bool) throws(MediaError) {
    try track.options.check()
    self.track = track
    rids = track.options.simulcast ? ["q", "h", "f"].map { RID(rawValue: $0) } : []
    state = Mutex(State(isMuted: isMuted))
  }

  func codecs(outOf codecs: [Codec]) -> [Codec] {
    let possible = codecs.filter { VideoCodecFactory.encodable.contains($0) }
    guard let wanted = track.options.codec else { return possible }
    return possible.filter { $0 == wanted } + possible.filter { $0 != wanted }
  }

  func parameters(_ rid: RID?) -> EncodingParameters {
    let layer = rid.flatMap { rids.firstIndex(of: $0) } ?? max(rids.count - 1, 0)
    let size = state.withLock { $0.size } ?? (width: 640, height: 360)
    let divisor = 1 << max(rids.count - 1 - layer, 0)
    var parameters = EncodingParameters.video(
      width: size.width / divisor, height: size.height / divisor,
      framerate: Double(track.options.maximumFramesPerSecond))
    parameters.maximumBitrate = min(parameters.maximumBitrate, track.options.maximumBitrate)
    parameters.minimumBitrate = min(parameters.minimumBitrate, parameters.maximumBitrate)
    return parameters
  }

  func start(onProblem: @escaping @Sendable (PublisherProblem) -> Void) throws(MediaError) {
    self.onProblem.withLock { $0 = onProblem }
    try track.source.start({ [weak self] frame in self?.take(frame) }, onEnd: { onProblem(.sourceEnded($0)) })
  }

  func stop() {
    track.source.stop()
    attach(nil)
    queue.async { [encoders] in encoders.byLayer = [:] }
  }

  func setMuted(_ muted: Bool) {
    state.withLock { state in
      state.isMuted = muted
      for index in state.layers.indices { state.layers[index].wantsKeyframe = true }
    }
  }

  func attach(_ destination: PublisherDestination?) {
    let options = track.options
    state.withLock { state in
      // Each answer attaches again; an unchanged stream keeps its layers and their rates.
      if let destination, let old = state.destination, old.isSame(as: destination) { return }
      // A change of codec over the same connection doesn't make another stream.
      let goesOn = destination.map { $0.connection === state.destination?.connection } ?? false
      let before = goesOn ? state.layers : []
      // The server hasn't named the layers that it wants of a new stream yet.
      if !goesOn { state.wantedRate = nil }
      state.destination = destination
      let rids: [RID?] = destination.map { $0.rids.isEmpty ? [RID?.none] : $0.rids.map(Optional.some) } ?? []
      state.layers = rids.indices.map { VideoLayer($0, of: rids, options, continuing: before) }
    }
  }

  func setWanted(_ wanted: WantedLayers) {
    let isMore = state.withLock { state -> Bool in
      var isMore = false
      for index in state.layers.indices {
        let name = state.layers[index].rid?.rawValue
        let isWanted = wanted.active && (name.map { wanted.rids?.contains($0) ?? true } ?? true)
        if isWanted, !state.layers[index].isWanted {
          state.layers[index].wantsKeyframe = true
          isMore = true
        }
        state.layers[index].isWanted = isWanted
      }
      if state.wantedRate != wanted.maxFrameRate {
        state.wantedRate = wanted.maxFrameRate
        // At a low rate the next picture may be due in a second only.
        for index in state.layers.indices { state.layers[index].nextTime = .zero }
      }
      return isMore
    }
    if isMore { encodeNewestAgain() }
  }

  func requestKeyframe(_ rid: RID?) {
    wantKeyframe(rid)
    encodeNewestAgain()
  }

  /// The next encoded frame becomes a keyframe.
  func wantKeyframe(_ rid: RID?) {
    state.withLock { state in
      for index in state.layers.indices where rid == nil || state.layers[index].rid == rid {
        state.layers[index].wantsKeyframe = true
      }
    }
  }

  /// Somebody waits for a keyframe: the newest frame is sent once more rather than letting them wait for the next one,
  /// which takes most of the time between two frames, or for ever when the source stands still. A frame that has left
  /// already is encoded a second time for it. That is cheap: `MediaSender` lets few requests through, keys change
  /// seldom, and one that comes while a frame waits for the encoder costs nothing: that frame becomes the keyframe.
  private func encodeNewestAgain() {
    let now = MonotonicClock.now
    let frame = state.withLock { state -> VideoFrame? in
      guard !state.isMuted, !state.isBusy, state.destination != nil, let (frame, arrival) = state.newest
      else { return nil }
      state.isBusy = true
      return frame.with(time: frame.time + (now - arrival))
    }
    guard let frame else { return }
    queue.async {
      self.encode(frame, isRepeated: true)
      self.state.withLock { $0.isBusy = false }
    }
  }

  func apply(_ allocation: [StreamAllocation]) {
    let options = track.options
    state.withLock { state in
      for stream in allocation {
        guard let index = state.layers.firstIndex(where: { $0.rid == stream.rid }) else { continue }
        let wasActive = state.layers[index].isActive
        state.layers[index].isActive = !stream.isPaused
        if !stream.isPaused && !wasActive { state.layers[index].wantsKeyframe = true }
        state.layers[index].bitrate = min(stream.bitrate, options.maximumBitrate)
        if stream.framerate >= 1 {
          state.layers[index].framesPerSecond = min(Int(stream.framerate.rounded()), options.maximumFramesPerSecond)
        }
        state.layers[index].scale = stream.scaleDown
      }
    }
  }

  /// Called on the source's thread.
  private func take(_ frame: VideoFrame) {
    let (goes, resized) = state.withLock { state -> (Bool, PublisherDestination?) in
      let isNew = state.size.map { $0 != (frame.width, frame.height) } ?? true
      if isNew { state.size = (frame.width, frame.height) }
      state.newest = (frame, MonotonicClock.now)
      guard !state.isMuted, !state.isBusy, state.destination != nil else {
        if state.isBusy, !state.isMuted { state.skipped.add(MonotonicClock.now) }
        return (false, isNew ? state.destination : nil)
      }
      state.isBusy = true
      return (true, isNew ? state.destination : nil)
    }
    if let resized { resized.connection.post { session, _ in session.updateParameters(resized.mid) } }
    guard goes else { return }
    queue.async {
      self.encode(frame)
      self.state.withLock { $0.isBusy = false }
    }
  }

  func encoderStatistics(_ rid: RID?) -> VideoEncoderStatistics? {
    let now = MonotonicClock.now
    let most = track.options.maximumFramesPerSecond
    return state.withLock { state in
      guard let layer = state.layers.first(where: { $0.rid == rid }) else { return nil }
      let rate = layer.counts.rate.framesPerSecond(now: now)
      let skipped = state.skipped.framesPerSecond(now: now)
      let reason: QualityLimitationReason =
        if state.isMuted {
          .none
        } else if !layer.isWanted {
          .other
        } else if !layer.isActive || layer.scale > 1 || layer.framesPerSecond < most {
          .bandwidth
        } else {
          skipped * 10 > skipped + rate ? .cpu : .none
        }
      return VideoEncoderStatistics(
        counts: layer.counts, framesPerSecond: rate, qualityLimitationReason: reason, isWanted: layer.isWanted)
    }
  }
}
