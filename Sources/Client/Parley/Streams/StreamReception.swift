/// The state of a received stream, and the events that a receiver gets: of its connection, and of its video.
package struct StreamReception: Sendable {
  /// Why there is no video.
  package enum VideoOff: Hashable, Sendable {
    /// The receiver doesn't want any.
    case unwanted
    /// Its sender has muted it.
    case muted
    /// This client cannot decode it.
    case undecodable
    /// The network has no room for it.
    case paused
  }

  package enum Event: Hashable, Sendable {
    case connected
    case firstFrame
    case videoStopped(VideoOff)
    /// There is video again; with the reason why there was none.
    case videoResumed(VideoOff)
    /// The video may stop soon, because the network can hardly carry it.
    case videoAtRisk
    case videoSafe
    case interrupted
    case restored
  }

  package private(set) var isConnecting = true
  /// Whether the first frame came during the connecting, and is still to be reported.
  private var owesFirstFrame = false
  private var isInterrupted = false
  private var isWarned = false
  private var off: VideoOff?

  package init() {}

  /// Nothing came in time.
  package mutating func fail() { isConnecting = false }

  /// The stream's tracks are as they are now.
  ///
  /// - Parameters:
  ///   - off: Why there is no video; nil when there is some.
  ///   - isComplete: Whether everything of the stream is there that is wanted.
  ///   - isSlow: Whether the network can hardly carry the video; nil for a stream that is not warned of.
  package mutating func update(off: VideoOff?, isComplete: Bool, isSlow: Bool?) -> [Event] {
    var events: [Event] = []
    if isConnecting, isComplete {
      isConnecting = false
      // The stream itself says whether its sender sends video; nothing else reports its codec.
      self.off = off == .undecodable ? nil : off
      events.append(.connected)
      if owesFirstFrame { events.append(.firstFrame) }
      events += warn(isSlow: isSlow)
    }
    guard !isConnecting, off != self.off else { return events }
    let before = self.off
    self.off = off
    if let off {
      events.append(.videoStopped(off))
    } else if let before {
      events.append(.videoResumed(before))
    }
    // The loss that was warned of has come; another warning is one of its own.
    if off != nil { isWarned = false }
    return events + warn(isSlow: isSlow)
  }

  /// Warns that the video may stop soon, or lifts the warning. A receiver without video is warned when it has some.
  package mutating func warn(isSlow: Bool?) -> [Event] {
    guard !isConnecting, off == nil, let isSlow, isWarned != isSlow else { return [] }
    isWarned = isSlow
    return [isSlow ? .videoAtRisk : .videoSafe]
  }

  /// The first frame is there. It may come before the audio, which is waited for.
  package mutating func receiveFirstFrame() -> [Event] {
    guard !isConnecting else {
      owesFirstFrame = true
      return []
    }
    return [.firstFrame]
  }

  /// The connection of one side is lost, or back.
  package mutating func setInterrupted(_ new: Bool) -> [Event] {
    guard !isConnecting, isInterrupted != new else { return [] }
    isInterrupted = new
    return [new ? .interrupted : .restored]
  }
}
