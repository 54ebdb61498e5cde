import Basics
import Dispatch
import Media
import RTC
import Signaling
import Synchronization

/// Encodes one video source on a queue of its own, in one layer or three. A frame that comes while the one before is
/// being encoded is dropped, so a slow machine lowers the frame rate instead of adding delay.
final class VideoPublisher: Publisher {
  private struct Layer {
    var rid: RID?
    /// How much smaller than the source, a divisor of width and height.
    var divisor: Int
    var bitrate: DataRate
    var framesPerSecond: Int
    var scale: Double = 1
    /// Whether the network has room for it.
    var isActive = true
    /// Whether somebody watches it.
    var isWanted = true
    var wantsKeyframe = true
    var nextTime = Instant.zero
    var counts = VideoEncoderCounts()
  }

  private struct State {
    var layers: [Layer] = []
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
  private final class Encoders: @unchecked Sendable {
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
  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "parley.encode")
  private let encoders = Encoders()
  private let onTrouble = Mutex<(@Sendable (PublisherTrouble) -> Void)?>(nil)

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

  func start(onTrouble: @escaping @Sendable (PublisherTrouble) -> Void) throws(MediaError) {
    self.onTrouble.withLock { $0 = onTrouble }
    try track.source.start({ [weak self] frame in self?.take(frame) }, onEnd: { onTrouble(.sourceEnded($0)) })
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
      state.layers = rids.enumerated().map { index, rid in
        let divisor = 1 << (rids.count - 1 - index)
        if var layer = before.first(where: { $0.rid == rid && $0.divisor == divisor }) {
          // The estimate of the network is the same, and comes again only when it changes.
          layer.wantsKeyframe = true
          return layer
        }
        // Until the first estimate: a start that most networks bear.
        let start = min(
          options.maximumBitrate, rids.count == 1 ? .kilobits(600) : .kilobits([150, 300, 600][min(index, 2)]))
        return Layer(
          rid: rid, divisor: divisor, bitrate: start, framesPerSecond: options.maximumFramesPerSecond,
          isActive: index == 0 || rids.count == 1,
          counts: before.first { $0.rid == rid }?.counts ?? VideoEncoderCounts())
      }
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
  private func wantKeyframe(_ rid: RID?) {
    state.withLock { state in
      for index in state.layers.indices where rid == nil || state.layers[index].rid == rid {
        state.layers[index].wantsKeyframe = true
      }
    }
  }

  /// Somebody waits for a keyframe: the newest frame is sent once more rather than letting them wait for the next one,
  /// which takes most of the time between two frames, or for ever when the source stands still. A frame that has left
  /// already is encoded a second time for it. `MediaSender` lets so few requests through that this is cheap, and one
  /// that comes while a frame waits for the encoder costs nothing: that frame becomes the keyframe.
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

  /// - Parameter isRepeated: Whether it is only for the layers that want a keyframe, outside the source's rhythm.
  private func encode(_ picture: VideoFrame, isRepeated: Bool = false) {
    // A picture that was sent again may have overtaken the time of the one that was on its way.
    let isLate = picture.time <= encoders.lastTime
    let frame = isLate ? picture.with(time: encoders.lastTime + .milliseconds(1)) : picture
    encoders.lastTime = frame.time
    let (due, destination) = state.withLock { state -> ([(Int, Layer)], PublisherDestination?) in
      var due: [(Int, Layer)] = []
      for index in state.layers.indices where state.layers[index].isActive && state.layers[index].isWanted {
        var layer = state.layers[index]
        if let most = state.wantedRate { layer.framesPerSecond = max(min(layer.framesPerSecond, most), 1) }
        // A little early counts as due, or a source at just the wanted rate would lose every other frame.
        let interval = TimeSpan(nanoseconds: 1_000_000_000 / Int64(max(layer.framesPerSecond, 1)))
        let slack = TimeSpan(nanoseconds: interval.nanoseconds / 4)
        guard layer.wantsKeyframe || (!isRepeated && frame.time + slack >= layer.nextTime) else { continue }
        if !isRepeated {
          let isLate = frame.time > layer.nextTime + interval
          state.layers[index].nextTime = (isLate ? frame.time : layer.nextTime) + interval
        }
        state.layers[index].wantsKeyframe = false
        due.append((index, layer))
      }
      return (due, state.destination)
    }
    guard let destination else { return }
    for (index, layer) in due {
      let start = MonotonicClock.now
      do throws(MediaError) {
        guard let encoded = try encode(frame, layer, index, destination.codec) else {
          if layer.wantsKeyframe { wantKeyframe(layer.rid) }
          continue
        }
        count(encoded, of: layer.rid, since: start)
        destination.connection.post { session, now in
          session.send(encoded, mid: destination.mid, rid: layer.rid, now: now)
        }
        encoders.failures[index] = nil
      } catch {
        encoders.byLayer[index] = nil
        encoders.failures[index, default: 0] += 1
        wantKeyframe(layer.rid)
        if encoders.failures[index] == PublisherTrouble.patience { onTrouble.withLock { $0 }?(.encoderFailed(error)) }
      }
    }
  }

  private func encode(
    _ frame: VideoFrame, _ layer: Layer, _ index: Int, _ codec: Codec
  ) throws(MediaError) -> EncodedFrame? {
    let divisor = Double(layer.divisor) * max(layer.scale, 1)
    let settings = VideoEncoderSettings(
      width: Self.even(Double(frame.width) / divisor), height: Self.even(Double(frame.height) / divisor),
      framesPerSecond: layer.framesPerSecond, bitrate: layer.bitrate, isScreen: track.options.isScreen,
      // Packets of H.264 do not say of which layer they are.
      temporalLayers: codec == .h264 ? 1 : track.options.temporalLayers)
    let encoder: any VideoEncoder
    if let existing = encoders.byLayer[index], existing.codec == codec {
      encoder = existing
      if encoder.settings != settings { encoder.settings = settings }
    } else {
      encoder = try VideoCodecFactory.encoder(for: codec, settings: settings)
      encoders.byLayer[index] = encoder
    }
    guard var encoded = try encoder.encode(frame, forceKeyframe: layer.wantsKeyframe) else { return nil }
    encoded.timestamp = encoders.timeline.timestamp(at: frame.time)
    encoded.time = frame.time
    return encoded
  }

  private func count(_ frame: EncodedFrame, of rid: RID?, since start: Instant) {
    let end = MonotonicClock.now
    state.withLock { state in
      guard let index = state.layers.firstIndex(where: { $0.rid == rid }) else { return }
      state.layers[index].counts.encoded(isKeyframe: frame.isKeyframe, from: start, to: end)
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

  private static func even(_ size: Double) -> Int { max(2, Int(size.rounded()) & ~1) }
}
