import Basics

/// The layers that one receiver wants, gets and waits for.
struct LayerState {
  /// Decides packet by packet within the stream that is forwarded.
  var selector = LayerSelector()
  /// The most that the receiver can show.
  var limit = LayerIndex.highest
  /// The layer that the bandwidth allows; nil for nothing.
  var target: LayerIndex? = .highest
  /// The size at which the video is shown; nil while the receiver has not said.
  var shown: ShownSize?
  /// The simulcast stream whose keyframe is waited for, while ``Subscription/stream`` goes on.
  var next: SourceStream?
  /// The stream before the one that is forwarded, for retransmissions.
  var previous: SourceStream?
  /// By what ``StreamRewriter`` knows it.
  var previousSerial: UInt32 = 0
  /// By how much the outgoing time line runs ahead of the source's: what a switch cost that had to stay behind the last
  /// packet.
  var lead: UInt32 = 0
  /// Since when nothing could be sent for want of a keyframe.
  var waitingSince: Instant?
}

/// The size at which a receiver shows a video.
struct ShownSize: Hashable, Sendable {
  var width: Int
  var height: Int
  /// The highest useful frame rate; 0 for no limit.
  var frameRate: Int

  /// In pixels.
  var area: UInt32 { UInt32(min(max(width, 0), 0xFFFF)) &* UInt32(min(max(height, 0), 0xFFFF)) }

  /// Whether nothing is shown.
  var isHidden: Bool { width <= 0 || height <= 0 }

  /// Whether a frame of this size is large enough, within a tenth. The longer sides are compared with each other, since
  /// a frame or a tile may be turned.
  func isSatisfied(byWidth width: UInt16, height: UInt16) -> Bool {
    let picture = (Int(max(width, height)), Int(min(width, height)))
    let tile = (max(self.width, self.height), min(self.width, self.height))
    return picture.0 &* 10 >= tile.0 &* 9 && picture.1 &* 10 >= tile.1 &* 9
  }
}
