public import Basics
public import RTC

/// Orders packets of one video stream, makes frames of them, and gives each frame out when it is due: complete,
/// decodable, and at an even pace.
///
///     jitter.insert(packet, payload: payload, dependencyDescriptor: nil, now: now)
///     while let frame = jitter.poll(now: now) { decode(frame) }      // again at jitter.deadline
///     if jitter.takeKeyframeRequest() { receiver.requestKeyframe(mid, now: now) }
///
/// **Never a broken frame.** A frame is given out only if everything that it refers to was, by the rules of its codec
/// (see `FrameDependencyTracker`). Frames that cannot be decoded are dropped. The buffer waits for a gap while nothing
/// behind it can be shown. As soon as a frame that does not need the missing ones is due, the gap is left behind: a
/// keyframe, a frame of the base layer behind a lost one of a higher layer. When nothing can continue for a while
/// (eight round trips), it requests a keyframe; a late repair is still used.
///
/// **Timing.** See `VideoPlayoutTiming`: the delay follows the jitter, `EncodedFrame.time` is when to show the frame.
/// The first frame is shown at once. A sender that changes (other SSRC, other codec, timestamps that no network can
/// explain) is noticed and begins with a keyframe on a time line of its own.
///
/// **Bounded.** Packets, bytes and frames are limited (``VideoJitterConfiguration``); when memory runs out, everything
/// before the newest keyframe is dropped.
///
/// H.264, and AV1 without dependency descriptor, do not name a frame's references. There a lost packet of mere padding
/// that is not repaired looks like a lost frame.
///
/// Cost: constant per packet on average, plus a look at each waiting frame while there is a gap; per frame one copy of
/// its bytes and one allocation. A pure value: time comes in with every call and must not go back.
public struct VideoJitterBuffer: Sendable {
  let configuration: VideoJitterConfiguration
  let isEncrypted: Bool
  var store: VideoPacketStore
  var timing: VideoPlayoutTiming
  var tracker = FrameDependencyTracker()
  var freezes = FreezeDetector()
  /// Complete frames in order of their numbers.
  var frames: [PendingFrame] = []
  /// The number behind the last frame that was given out or dropped; nil until a keyframe's start was seen.
  var cursor: Int64?
  var codec: Codec?
  private var ssrc: SSRC?
  private var formerSSRC: SSRC?
  private var changedAt = Instant.zero
  /// A packet far below the others whose successor would mean that numbering started again.
  private var restartCandidate: Int64?
  var hasParameterSets = false
  var structure: DependencyStructure?
  /// The frame with the highest number so far, for its place in time.
  private var newest: (first: Int64, media: Int64)?
  var lastShown = Instant.zero
  var pictureSize = (width: 0, height: 0)

  /// The first number that is missing, and since when, while something waits behind it.
  var blocked: (at: Int64, since: Instant)?
  /// While nothing can be decoded without a keyframe.
  var need: KeyframeNeed?
  /// Since when packets have come of which none could be decoded, before the first keyframe.
  var waitingSince: Instant?
  /// The start of a keyframe with missing packets, and when it was seen.
  var coming: (first: Int64, since: Instant)?

  /// Whether a keyframe is wanted; ``takeKeyframeRequest()`` takes it once. Raised once per need, then again after
  /// ``VideoJitterConfiguration/keyframeRetry``, which doubles, until a keyframe came or a repair made it unnecessary.
  public internal(set) var wantsKeyframe = false
  /// When to call ``poll(now:)`` next, if no packet comes before; `Instant.distantFuture` when nothing waits.
  public internal(set) var deadline = Instant.distantFuture
  /// The counts at this moment.
  public internal(set) var statistics = VideoJitterStatistics()
  /// The round trip to whoever repairs losses, if known; a long one makes gaps be waited for longer.
  public var roundTripTime: TimeSpan?

  /// A buffer without packets.
  ///
  /// `isEncrypted` says that frames are encrypted end to end: what is read of them is what their form leaves clear.
  public init(configuration: VideoJitterConfiguration = VideoJitterConfiguration(), isEncrypted: Bool = false) {
    self.configuration = configuration
    self.isEncrypted = isEncrypted
    store = VideoPacketStore(maximumPackets: configuration.maximumPackets, maximumBytes: configuration.maximumBytes)
    timing = VideoPlayoutTiming(maximumDelay: configuration.maximumDelay, decodeLead: configuration.decodeLead)
  }

  /// The least delay against the fastest transit of the network. Set by lip-sync; the delay moves there without a jump.
  public var minimumDelay: TimeSpan {
    get { timing.minimumDelay }
    set { timing.minimumDelay = newValue }
  }

  /// How much later than by the fastest transit frames are shown now.
  public var currentDelay: TimeSpan { timing.currentDelay }

  /// The delay that jitter and decoding ask for now, whatever ``minimumDelay`` is.
  public var networkDelay: TimeSpan { timing.networkDelay }

  /// The delay that jitter, decoding and lip-sync ask for now; ``currentDelay`` moves toward it.
  public var targetDelay: TimeSpan { timing.targetDelay }

  /// When the frame with `timestamp` is shown or would have been, for lip-sync; nil before the first frame.
  public func renderTime(of timestamp: RTPTimestamp) -> Instant? {
    timing.hasStarted ? timing.renderTime(timing.mediaTime(timestamp.rawValue)) : nil
  }

  /// Packets in the buffer, of complete and incomplete frames.
  public var packetCount: Int { store.packetCount }
  /// Bytes of payload kept now.
  public var byteCount: Int { store.byteCount }

  /// True once for each time that a keyframe is wanted: send a PLI (RFC 4585 section 6.3.1).
  public mutating func takeKeyframeRequest() -> Bool {
    defer { wantsKeyframe = false }
    return wantsKeyframe
  }

  /// Drops everything, ``statistics`` included, and begins with the next keyframe. Not needed when a forwarder puts
  /// another source into the stream: that begins with a keyframe anyway, which this would throw away if it came first.
  public mutating func reset() {
    clear()
    need = nil
    wantsKeyframe = false
    ssrc = nil
    formerSSRC = nil
    codec = nil
    timing.restart()
    newest = nil
    statistics = VideoJitterStatistics()
    // The time since the last frame of another source isn't a freeze.
    freezes = FreezeDetector()
  }

  /// The decoder failed: what follows is of no use until a keyframe, which is wanted now.
  public mutating func decodingFailed(now: Instant) {
    tracker.invalidate()
    requireKeyframe(now)
    schedule(now)
  }

  /// Takes a packet, in any order. Duplicates, and packets of frames that have been given out, are counted and ignored.
  ///
  /// - Parameters:
  ///   - packet: Its header, and what the receiver knows about it.
  ///   - payload: May be empty, for packets of padding only: give them too, or they would look lost.
  ///   - dependencyDescriptor: The header extension's data (AOM, appendix A), where the packet has it.
  ///   - now: The present time.
  public mutating func insert(
    _ packet: ReceivedPacket, payload: Span<UInt8>, dependencyDescriptor: Span<UInt8>?, now: Instant
  ) {
    guard follow(packet, now) else {
      statistics.packetsDiscarded &+= 1
      return
    }
    let marks = VideoPacketStore.Marks.read(
      packet, payload: payload, descriptor: dependencyDescriptor,
      hasSpatialLayers: structure.map { $0.maximumSpatialID > 0 } ?? false)
    guard let marks else {
      statistics.packetsDiscarded &+= 1
      return
    }
    note(keyframeStart: packet.sequence, marks, now)
    var result = store.insert(packet, marks: marks, payload: payload, descriptor: dependencyDescriptor)
    if result == .full {
      makeRoom(now)
      if cursor.map({ packet.sequence >= $0 }) ?? true {
        result = store.insert(packet, marks: marks, payload: payload, descriptor: dependencyDescriptor)
      }
    }
    if result == .full {
      clear()
      requireKeyframe(now)
      note(keyframeStart: packet.sequence, marks, now)
      result = store.insert(packet, marks: marks, payload: payload, descriptor: dependencyDescriptor)
    }
    guard result == .stored else {
      statistics.packetsDiscarded &+= 1
      return
    }
    if !tracker.hasStarted {
      // The packet that starts a keyframe may have been overtaken, or have to be sent again.
      beginNeed(now + .milliseconds(100))
      if waitingSince == nil { waitingSince = now }
    }
    collect(now)
    schedule(now)
  }

  /// Whether the packet belongs to the stream as it is now; starts again when the stream does.
  private mutating func follow(_ packet: ReceivedPacket, _ now: Instant) -> Bool {
    guard packet.codec.kind == .video, packet.codec != .rtx else { return false }
    // Numbers are far below 2⁶⁰ unless somebody made them up; so that nothing below overflows.
    guard packet.sequence.magnitude < 1 << 60 else { return false }
    if let ssrc, packet.ssrc != ssrc {
      // Retransmissions of the former stream may come for a while.
      if packet.ssrc == formerSSRC, now - changedAt < .seconds(2) { return false }
      clear()
      need = nil
      newest = nil
      timing.restart()
      formerSSRC = ssrc
      changedAt = now
      codec = nil
    }
    ssrc = packet.ssrc
    if let codec, packet.codec != codec {
      if let highest = store.highest, packet.sequence < highest { return false }
      clear()
      timing.restart()
    }
    codec = packet.codec
    if let highest = store.highest ?? cursor, highest &- packet.sequence > 10_000 {
      guard restartCandidate == packet.sequence else {
        restartCandidate = packet.sequence &+ 1
        return false
      }
      clear()
    }
    restartCandidate = nil
    if let cursor, packet.sequence < cursor {
      // The first packets of the first keyframe may have been reordered.
      guard !tracker.hasStarted, coming?.first == cursor else { return false }
    }
    return true
  }

  private mutating func note(keyframeStart sequence: Int64, _ marks: VideoPacketStore.Marks, _ now: Instant) {
    guard marks.contains(.starts), !marks.isDisjoint(with: [.isKey, .hasSPS]) else { return }
    coming = (sequence, now)
    if cursor.map({ !tracker.hasStarted && sequence < $0 }) ?? true {
      cursor = sequence
      store.boundary = sequence
    }
  }

  /// Takes the frames that have become complete out of the store.
  private mutating func collect(_ now: Instant) {
    guard let codec, !store.completed.isEmpty else { return }
    let completed = store.completed
    store.completed.removeAll(keepingCapacity: true)
    for range in completed {
      guard var frame = PendingFrame(store, range, codec: codec, isEncrypted: isEncrypted) else { continue }
      statistics.framesReceived &+= 1
      if frame.packetCount > 1 {
        statistics.framesAssembledFromMultiplePackets &+= 1
        statistics.totalAssemblyTime = statistics.totalAssemblyTime + max(frame.completion - frame.firstArrival, .zero)
      }
      if coming?.first == frame.first { coming = nil }
      if let cursor, frame.first < cursor {
        statistics.framesDropped &+= 1
        continue
      }
      placeInTime(&frame)
      if cursor == nil, !frame.isKeyframe, !mayFollowKeyframe(frame, now) {
        // Nothing to start with: it and what precedes it can never be shown.
        statistics.framesDropped &+= 1 &+ UInt64(frames.count)
        frames.removeAll(keepingCapacity: true)
        beginNeed(now + .milliseconds(10))
        store.releaseAll(below: frame.last &+ 1)
        store.boundary = frame.last &+ 1
        continue
      }
      var index = frames.count
      while index > 0, frames[index &- 1].first > frame.first { index &-= 1 }
      frames.insert(frame, at: index)
    }
    if frames.count > configuration.maximumFrames { makeRoom(now) }
  }

  /// Whether packets before the frame, of which the first is missing, may be a keyframe that is still coming.
  private func mayFollowKeyframe(_ frame: PendingFrame, _ now: Instant) -> Bool {
    guard let waitingSince, now - waitingSince < repairWait else { return false }
    return store.hasPackets(below: frame.first)
  }

  /// Notices a jump that only another source explains, and feeds the timing with all other frames.
  private mutating func placeInTime(_ frame: inout PendingFrame) {
    let media = timing.mediaTime(frame.timestamp)
    frame.isOffTimeLine = timing.isImpossible(mediaTime: media, firstArrival: frame.firstArrival)
    if let newest, frame.first > newest.first, newest.media &- media > 1_000_000_000 { frame.isOffTimeLine = true }
    if frame.isOffTimeLine {
      guard frame.isKeyframe else { return }
      timing.restart()
    }
    timing.complete(timestamp: frame.timestamp, firstArrival: frame.firstArrival, completion: frame.completion)
    frame.epoch = timing.epoch
    if newest.map({ frame.first > $0.first }) ?? true { newest = (frame.first, media) }
  }
}

/// That nothing can go on without a keyframe.
struct KeyframeNeed: Hashable, Sendable {
  /// When to ask next.
  var next: Instant
  /// How long to wait after that.
  var interval: TimeSpan
  var wasAsked = false
}
