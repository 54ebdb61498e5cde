import Basics
import RTC

/// One layer of a published video: its rates, and when its next frame is due.
struct VideoLayer {
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

  /// The layer `index` of a stream with these ids, the smallest first. One of `before` with the same id and size goes
  /// on.
  init(_ index: Int, of rids: [RID?], _ options: VideoOptions, continuing before: [VideoLayer] = []) {
    let rid = rids[index]
    let divisor = 1 << (rids.count - 1 - index)
    let known = before.first { $0.rid == rid }
    if let known, known.divisor == divisor {
      self = known
      // The estimate of the network is the same, and comes again only when it changes.
      wantsKeyframe = true
      return
    }
    self.rid = rid
    self.divisor = divisor
    // Until the first estimate: a start that most networks bear.
    bitrate = min(options.maximumBitrate, rids.count == 1 ? .kilobits(600) : .kilobits([150, 300, 600][min(index, 2)]))
    framesPerSecond = options.maximumFramesPerSecond
    isActive = index == 0 || rids.count == 1
    counts = known?.counts ?? VideoEncoderCounts()
  }

  /// The layer as a frame of this time is to be encoded for it, with at most `most` frames a second; nil when the frame
  /// isn't due. Its request for a keyframe is then carried out.
  ///
  /// - Parameter isRepeated: Whether the frame is only for layers that want a keyframe, outside the source's rhythm.
  mutating func takeDue(at time: Instant, most: Int?, isRepeated: Bool) -> VideoLayer? {
    guard isActive, isWanted else { return nil }
    var layer = self
    if let most { layer.framesPerSecond = max(min(layer.framesPerSecond, most), 1) }
    // A little early counts as due, or a source at just the wanted rate would lose every other frame.
    let interval = TimeSpan(nanoseconds: 1_000_000_000 / Int64(max(layer.framesPerSecond, 1)))
    let slack = TimeSpan(nanoseconds: interval.nanoseconds / 4)
    guard wantsKeyframe || (!isRepeated && time + slack >= nextTime) else { return nil }
    if !isRepeated {
      let isLate = time > nextTime + interval
      nextTime = (isLate ? time : nextTime) + interval
    }
    wantsKeyframe = false
    return layer
  }
}
