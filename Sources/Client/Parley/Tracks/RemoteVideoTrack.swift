import Basics
import Dispatch
public import Media
import RTC
import Synchronization

/// Video of somebody else. They are decoded only while somebody watches, on a queue of the track's own.
///
/// ```swift
/// for await frame in video.frames { show(frame) }  // the newest picture, never an old one
/// video.add(ClosureVideoSink { frame in show(frame) })  // every picture, on the decoder's queue
/// ```
public final class RemoteVideoTrack: Sendable {
  private struct State {
    var sinks: [any VideoSink] = []
    var decoder: (any VideoDecoder)?
    var waiting = 0
    var needsKeyframe = true
    /// The frames that came while nobody watches.
    var recent = RecentFrames()
    var isOver = false
    var counts = VideoDecoderCounts()
    var streams: [Int: AsyncStream<VideoFrame>.Continuation] = [:]
    var nextStream = 0
    var onFirstFrame: (@Sendable () -> Void)?
    var onKeyframeNeeded: (@Sendable () -> Void)?

    var isWatched: Bool { !(sinks.isEmpty && streams.isEmpty) }
  }

  /// How many frames may wait for the decoder before it skips to the next keyframe.
  static let maximumWaiting = 60

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "parley.decode")

  init(
    onKeyframeNeeded: @escaping @Sendable () -> Void, onFirstFrame: @escaping @Sendable () -> Void
  ) {
    state.withLock {
      $0.onKeyframeNeeded = onKeyframeNeeded
      $0.onFirstFrame = onFirstFrame
    }
  }

  /// Shows every frame to `sink` from now on.
  ///
  /// ```swift
  /// video.add(ClosureVideoSink { frame in show(frame) })
  /// ```
  public func add(_ sink: any VideoSink) {
    let ask = state.withLock { state -> (@Sendable () -> Void)? in
      guard !state.isOver else { return nil }
      let isFirst = !state.isWatched
      state.sinks.append(sink)
      return isFirst ? begin(&state) : nil
    }
    ask?()
  }

  /// Shows no more frames to `sink`; a call under way may still be running.
  ///
  /// ```swift
  /// let sink = ClosureVideoSink { frame in show(frame) }
  /// video.add(sink)
  /// video.remove(sink)
  /// ```
  public func remove(_ sink: any VideoSink) {
    state.withLock { state in state.sinks.removeAll { $0 === sink } }
  }

  /// The frames as they are decoded; ends when the track does. A slow reader gets the newest.
  public var frames: AsyncStream<VideoFrame> {
    let (stream, continuation) = AsyncStream.makeStream(of: VideoFrame.self, bufferingPolicy: .bufferingNewest(1))
    let (id, ask) = state.withLock { state -> (Int?, (@Sendable () -> Void)?) in
      guard !state.isOver else { return (nil, nil) }
      let isFirst = !state.isWatched
      state.nextStream += 1
      state.streams[state.nextStream] = continuation
      return (state.nextStream, isFirst ? begin(&state) : nil)
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    ask?()
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { state in state.streams[id] = nil }
    }
    return stream
  }

  /// How many frames were decoded so far.
  public var framesDecoded: Int { Int(clamping: state.withLock { $0.counts.framesDecoded }) }

  /// The size of the last frame in pixels; 0 × 0 before the first one.
  public var size: (width: Int, height: Int) {
    let size = state.withLock { $0.counts.size }
    return (size.width, size.height)
  }

  var decoderCounts: VideoDecoderCounts { state.withLock { $0.counts } }

  var isWatched: Bool { state.withLock { !$0.isOver && $0.isWatched } }

  /// Somebody begins to watch: what came since a keyframe a moment ago is decoded at once, or a keyframe is to be asked
  /// for.
  private func begin(_ state: inout State) -> (@Sendable () -> Void)? {
    let frames = state.recent.take(now: MonotonicClock.now)
    state.needsKeyframe = frames.isEmpty
    state.waiting += frames.count
    // With the lock held, so that the next frame of the media thread comes after these.
    for frame in frames { queue.async { self.run(frame) } }
    return frames.isEmpty ? state.onKeyframeNeeded : nil
  }

  /// Takes a frame that is due; called on the media thread, returns at once.
  func decode(_ frame: EncodedFrame) {
    let (taken, ask) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
      guard !state.isOver else { return (false, nil) }
      guard state.isWatched else {
        state.recent.add(frame, now: MonotonicClock.now)
        return (false, nil)
      }
      if state.needsKeyframe {
        guard frame.isKeyframe else {
          state.counts.framesDropped &+= 1
          return (false, nil)
        }
        state.needsKeyframe = false
      }
      guard state.waiting < Self.maximumWaiting else {
        // The machine is too slow for this stream: what waits is decoded, and then it starts afresh.
        state.needsKeyframe = true
        state.counts.framesDropped &+= 1
        return (false, state.onKeyframeNeeded)
      }
      state.waiting += 1
      return (true, nil)
    }
    ask?()
    if taken { queue.async { self.run(frame) } }
  }

  private func run(_ frame: EncodedFrame) {
    // The decoder is used on this serial queue only; the lock is not held while it works.
    let known = state.withLock { state -> DecoderBox in
      state.waiting -= 1
      let decoder = state.decoder
      return DecoderBox(decoder: decoder?.codec == frame.codec ? decoder : nil)
    }
    let start = MonotonicClock.now
    do throws(MediaError) {
      let decoder: any VideoDecoder
      if let existing = known.decoder {
        decoder = existing
      } else {
        decoder = try VideoCodecFactory.decoder(for: frame.codec)
        let box = DecoderBox(decoder: decoder)
        state.withLock { $0.decoder = box.decoder }
      }
      guard let picture = try decoder.decode(frame) else { return }
      show(picture, isKeyframe: frame.isKeyframe, since: start)
    } catch {
      let ask = state.withLock { state in
        state.needsKeyframe = true
        state.counts.framesDropped &+= 1
        state.decoder = nil
        return state.onKeyframeNeeded
      }
      ask?()
    }
  }

  private func show(_ picture: VideoFrame, isKeyframe: Bool, since start: Instant) {
    let end = MonotonicClock.now
    let (sinks, streams, first) = state.withLock { state in
      state.counts.decoded(
        PictureExtent(width: picture.width, height: picture.height), isKeyframe: isKeyframe, from: start, to: end)
      let isFirst = state.counts.framesDecoded == 1
      return (state.sinks, Array(state.streams.values), isFirst ? state.onFirstFrame : nil)
    }
    for sink in sinks { sink.receive(picture) }
    for stream in streams { stream.yield(picture) }
    first?()
  }

  /// The track is over: nothing is decoded or shown any more, and readers of ``frames`` end.
  func finish() {
    let streams = state.withLock { state in
      state.isOver = true
      state.sinks = []
      let streams = Array(state.streams.values)
      state.streams = [:]
      state.recent = RecentFrames()
      state.onKeyframeNeeded = nil
      state.onFirstFrame = nil
      return streams
    }
    for stream in streams { stream.finish() }
    queue.async { self.state.withLock { $0.decoder = nil } }
  }
}

/// Carries a decoder out of and into the lock.
// unchecked: the decoder inside is used on the track's serial queue only.
private struct DecoderBox: @unchecked Sendable {
  var decoder: (any VideoDecoder)?
}
