public import Basics
public import RTC

extension VideoJitterBuffer {
  /// The next thing to do.
  private enum PollOutcome {
    /// Give out the frame at this index, and leave behind what precedes it.
    case give(Int)
    /// The first frame is next and can never be decoded.
    case dropFirst
    case wait(Instant)
  }

  /// The next frame that is complete, decodable and due, in decoding order; its `time` is when to show it. Call it
  /// until it gives nil.
  ///
  /// Frames are due ``VideoJitterConfiguration/decodeLead`` before they are to be shown; late ones at once.
  public mutating func poll(now: Instant) -> EncodedFrame? {
    while true {
      switch step(now) {
      case .give(let index):
        if let frame = give(index, now) {
          schedule(now)
          return frame
        }
      case .dropFirst: dropFirst(now)
      case .wait(let until):
        deadline = until
        return nil
      }
    }
  }

  /// Drops what can be dropped and sets ``deadline``.
  mutating func schedule(_ now: Instant) {
    while true {
      switch step(now) {
      case .give: deadline = now
      case .dropFirst:
        dropFirst(now)
        continue
      case .wait(let until): deadline = until
      }
      return
    }
  }

  private mutating func step(_ now: Instant) -> PollOutcome {
    passPadding()
    if let cursor, let first = frames.first, first.first == cursor {
      guard canDecode(first, missing: 0) else { return .dropFirst }
      let due = dueTime(first, now)
      return due <= now ? .give(0) : .wait(due)
    }
    var wake = Instant.distantFuture
    noteBlocked(now)
    if let index = firstDecodable() {
      let due = dueTime(frames[index], now)
      if due <= now { return .give(index) }
      wake = due
    } else if let blocked, !(need?.wasAsked ?? false) {
      let patience = blocked.since + repairWait
      if patience <= now { requireKeyframe(now) } else { wake = patience }
    }
    askAgain(now)
    if let need { wake = min(wake, need.next) }
    return .wait(wake)
  }

  private func firstDecodable() -> Int? {
    frames.firstIndex { frame in canDecode(frame, missing: frame.first &- (cursor ?? frame.first)) }
  }

  private func canDecode(_ frame: PendingFrame, missing: Int64) -> Bool {
    if codec == .h264, frame.isKeyframe, !frame.hasParameterSets, !hasParameterSets { return false }
    // A decoder that goes on with another source's pictures would show a mixture.
    if frame.isOffTimeLine, !frame.isKeyframe { return false }
    guard !frame.isKeyframe else { return true }
    guard tracker.hasStarted else { return false }
    let link = codec == .av1 ? frame.described(store, structure).0 : frame.link
    return tracker.canDecode(link, isKeyframe: false, missing: max(missing, 0))
  }

  /// When the frame is to be shown. However strange its timestamp, it waits for the longest delay at most; frames of a
  /// former time line do not wait.
  private func showTime(_ frame: PendingFrame) -> Instant {
    guard frame.epoch == timing.epoch else { return frame.completion }
    return min(
      timing.renderTime(timing.mediaTime(frame.timestamp)),
      frame.completion + max(configuration.maximumDelay, minimumDelay))
  }

  /// When the frame is to be given out.
  private func dueTime(_ frame: PendingFrame, _ now: Instant) -> Instant {
    tracker.hasStarted ? showTime(frame) - configuration.decodeLead : now
  }

  /// Hands out the frame at `index`; nil when its payloads make no frame.
  private mutating func give(_ index: Int, _ now: Instant) -> EncodedFrame? {
    for frame in frames[..<index] { forget(frame) }
    let frame = frames[index]
    let missing = max(frame.first &- (cursor ?? frame.first), 0)
    frames.removeFirst(index &+ 1)
    let (link, newStructure) = codec == .av1 ? frame.described(store, structure) : (frame.link, nil)
    var result = assemble(frame)
    if result != nil {
      let group =
        codec == .vp9
        ? store.withPayload(frame.first) { payload in
          (try? VP9Descriptor.parse(payload))?.pictureGroup(in: payload)
        } ?? nil : nil
      tracker.decode(link, isKeyframe: frame.isKeyframe, missing: missing, group: group)
      if let newStructure { structure = newStructure }
      if frame.hasParameterSets { hasParameterSets = true }
      need = nil
      wantsKeyframe = false
    } else {
      statistics.framesDropped &+= 1
      tracker.drop(link, missing: missing)
      if needsRepair(link) { requireKeyframe(now) }
    }
    // Packets from before the first keyframe may lie below it.
    pass(frame, isNext: missing == 0 && !frame.isKeyframe)
    guard result != nil else { return nil }
    let time = max(showTime(frame), now, lastShown)
    lastShown = time
    result?.time = time
    result?.isKeyframe = frame.isKeyframe
    if link.hasNumber { result?.temporalID = link.temporalID }
    if let size = result.map({ (width: $0.width, height: $0.height) }), size.width > 0 { pictureSize = size }
    result?.width = pictureSize.width
    result?.height = pictureSize.height
    count(frame, shownAt: time, now)
    return result
  }

  private func assemble(_ frame: PendingFrame) -> EncodedFrame? {
    guard let codec else { return nil }
    var depacketizer = FrameDepacketizer(codec: codec, isEncrypted: isEncrypted)
    depacketizer.reserve(frame.byteCount &+ 64)
    for sequence in frame.first...frame.last {
      guard let slot = store.slot(sequence) else { return nil }
      guard !slot.marks.contains(.isPadding) else { continue }
      let isFine =
        store.withPayload(sequence) { payload in
          do throws(PayloadError) {
            try depacketizer.append(payload)
            return true
          } catch {
            return false
          }
        } ?? false
      guard isFine else { return nil }
    }
    return try? depacketizer.finish(timestamp: RTPTimestamp(rawValue: frame.timestamp), time: .zero)
  }

  private mutating func count(_ frame: PendingFrame, shownAt time: Instant, _ now: Instant) {
    statistics.framesDecoded &+= 1
    if frame.isKeyframe { statistics.keyFramesDecoded &+= 1 }
    statistics.jitterBufferEmittedCount &+= 1
    statistics.jitterBufferDelay = statistics.jitterBufferDelay + max(now - frame.firstArrival, .zero)
    statistics.jitterBufferTargetDelay = statistics.jitterBufferTargetDelay + timing.targetDelay
    statistics.jitterBufferMinimumDelay =
      statistics.jitterBufferMinimumDelay + timing.jitterDelay + configuration.decodeLead
    freezes.shown(at: time, &statistics)
  }

  /// Moves on behind the frame and releases its packets.
  private mutating func pass(_ frame: PendingFrame, isNext: Bool) {
    if isNext { store.release(frame.first..<(frame.last &+ 1)) } else { store.releaseAll(below: frame.last &+ 1) }
    cursor = frame.last &+ 1
    store.boundary = cursor
    blocked = nil
    if let coming, coming.first <= frame.last { self.coming = nil }
  }

  /// Drops the first frame, which is next and cannot be decoded.
  private mutating func dropFirst(_ now: Instant) {
    let frame = frames.removeFirst()
    let link = forget(frame)
    if frame.isOffTimeLine { tracker.invalidate() }
    if needsRepair(link) || frame.isOffTimeLine { requireKeyframe(now) }
  }

  @discardableResult private mutating func forget(_ frame: PendingFrame) -> FrameLink {
    statistics.framesDropped &+= 1
    let link = codec == .av1 ? frame.described(store, structure).0 : frame.link
    let missing = max(frame.first &- (cursor ?? frame.first), 0)
    tracker.drop(link, missing: missing)
    pass(frame, isNext: missing == 0)
    return link
  }

  /// Whether nothing can follow a frame that was dropped: of higher layers the next base layer frame knows nothing.
  private func needsRepair(_ link: FrameLink) -> Bool { link.temporalID == 0 && link.isReference }

  /// Packets of padding between frames belong to no frame.
  private mutating func passPadding() {
    while let next = cursor, let slot = store.slot(next), slot.marks.contains(.isPadding) {
      store.release(next..<(next &+ 1))
      cursor = next &+ 1
      store.boundary = cursor
    }
  }

  /// Finds out whether something waits behind a gap, or behind a frame that was cut off, and since when.
  private mutating func noteBlocked(_ now: Instant) {
    guard let cursor, let highest = store.highest else {
      blocked = nil
      return
    }
    var frontier = max(blocked?.at ?? cursor, cursor)
    while frontier <= highest, store.slot(frontier) != nil { frontier &+= 1 }
    if frontier > highest, frames.isEmpty {
      blocked = nil
    } else if blocked?.at != frontier, frontier <= highest || blocked == nil {
      blocked = (frontier, now)
    }
  }

  /// Time for four tries. Never less than what was configured, since the server may have to ask a publisher who is
  /// farther away.
  var repairWait: TimeSpan {
    guard let roundTripTime else { return configuration.repairWait }
    return max(configuration.repairWait, min(roundTripTime * 4 + .milliseconds(100), .seconds(1)))
  }

  /// A keyframe is needed from `time` on, unless it is already.
  mutating func beginNeed(_ time: Instant) {
    guard let current = need else {
      need = KeyframeNeed(next: time, interval: configuration.keyframeRetry)
      return
    }
    if !current.wasAsked, time < current.next { need?.next = time }
  }

  /// A keyframe is needed now.
  mutating func requireKeyframe(_ now: Instant) {
    beginNeed(now)
    askAgain(now)
  }

  private mutating func askAgain(_ now: Instant) {
    guard let current = need, current.next <= now else { return }
    if let coming, coming.since + repairWait > now {
      // One is on its way.
      let patience = coming.since + repairWait
      need?.next = patience
      return
    }
    wantsKeyframe = true
    statistics.keyframeRequests &+= 1
    need = KeyframeNeed(
      next: now + current.interval, interval: min(current.interval * 2, configuration.maximumKeyframeRetry),
      wasAsked: true)
  }

  /// Memory is used up: goes on with the newest keyframe that is complete, or else with the next one to come.
  mutating func makeRoom(_ now: Instant) {
    guard let index = frames.lastIndex(where: \.isKeyframe), index > 0 || frames[index].first != cursor else {
      clear()
      requireKeyframe(now)
      return
    }
    let first = frames[index].first
    statistics.framesDropped &+= UInt64(index)
    frames.removeFirst(index)
    store.releaseAll(below: first)
    cursor = first
    store.boundary = first
    tracker.invalidate()
    blocked = nil
    if let coming, coming.first < first { self.coming = nil }
  }

  /// Forgets all packets and frames; a keyframe must follow. Whether one is wanted already stays known, or a sender
  /// that gives none would be asked ever more often.
  mutating func clear() {
    statistics.framesDropped &+= UInt64(frames.count)
    frames.removeAll(keepingCapacity: true)
    store.removeAll()
    cursor = nil
    tracker.invalidate()
    structure = nil
    hasParameterSets = false
    blocked = nil
    coming = nil
    waitingSince = nil
    deadline = .distantFuture
  }
}
