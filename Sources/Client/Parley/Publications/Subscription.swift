import Basics
import RTC
public import Signaling

/// A publication of somebody else that this client receives. The server decides which: everything while there is room,
/// and the screens and the latest speakers first when there is not.
///
/// ```swift
/// for await case .subscribed(let subscription) in meeting.events {
///   subscription.video?.add(ClosureVideoSink { frame in show(frame) })
/// }
/// ```
@MainActor public final class Subscription {
  public let publication: RemotePublication

  /// The received track, to attach sinks to.
  public let track: RemoteTrack

  /// The slot (m-section) that carries it.
  let mid: MID

  /// Whether the server does not send it for now, because this client's network has no room for it. It goes on by
  /// itself.
  public var isPaused: Bool { pauseReason != nil }

  /// Why the server does not send it for now; nil while it does.
  public internal(set) var pauseReason: PauseReason?

  /// The size at which it is shown, 0 for audio that nobody listens to; nil when none was set.
  private(set) var view: SlotView?
  private weak var meeting: Meeting?

  init(_ publication: RemotePublication, track: RemoteTrack, mid: MID, meeting: Meeting) {
    self.publication = publication
    self.track = track
    self.mid = mid
    self.meeting = meeting
  }

  /// Reports the size at which the video is shown, so that the server sends no more than that: a view calls this
  /// whenever its size changes. Without it the best there is comes. For audio there is ``listen(_:)``.
  ///
  /// ```swift
  /// subscription.show(width: 320, height: 180)  // a tile
  /// subscription.show(width: 0, height: 0)  // scrolled away: nothing is sent until it is shown again
  /// ```
  ///
  /// - Parameters:
  ///   - width: In pixels of the screen; 0 for hidden.
  ///   - height: Likewise.
  ///   - isPinned: Whether it matters more than what is not pinned, when the network does not take everything.
  public func show(width: Int, height: Int, isPinned: Bool = false) {
    guard publication.kind == .video else { return }
    let most = Int(UInt16.max)
    tell(
      SlotView(
        mid: mid.rawValue, width: min(max(width, 0), most), height: min(max(height, 0), most), pinned: isPinned,
        maxFrameRate: view?.maxFrameRate))
  }

  /// The highest useful frame rate, 1 to 240 (anything else counts as the nearest of them); nil, as at first, for all
  /// there are. The server leaves frames out for it, without a keyframe or a pause, where the sender codes its video in
  /// temporal layers (``VideoOptions/temporalLayers``; browsers do): it comes with a half or a quarter of its rate
  /// then. It never comes with less than its lowest layer. A sender without layers that heeds the server sends as many
  /// as are wanted by who wants most. Without effect on audio.
  public var maximumFramesPerSecond: Int? {
    get { view?.maxFrameRate }
    set {
      guard publication.kind == .video, view != nil || newValue != nil else { return }
      let most = Int(UInt16.max)
      var new = view ?? SlotView(mid: mid.rawValue, width: most, height: most, pinned: false)
      let rates = SlotView.frameRates
      new.maxFrameRate = newValue.map { min(max($0, rates.lowerBound), rates.upperBound) }
      tell(new)
    }
  }

  /// Reports whether somebody listens: the server doesn't send audio that nobody hears, which saves some 40 kb/s a
  /// voice. Without it everything comes. Sinks and what ``Meeting/playSound(to:)`` plays are silent during it; audio
  /// goes on a moment after `true`. For video there is ``show(width:height:isPinned:)``.
  ///
  /// ```swift
  /// subscription.listen(false)  // a bot that only watches
  /// ```
  public func listen(_ listens: Bool) {
    guard publication.kind == .audio, view != nil || !listens else { return }
    let size = listens ? Int(UInt16.max) : 0
    tell(SlotView(mid: mid.rawValue, width: size, height: size))
  }

  private func tell(_ new: SlotView) {
    guard new != view else { return }
    view = new
    meeting?.viewChanged()
  }

  /// The publisher; nil when that participant has left.
  public var participant: RemoteParticipant? { publication.participant }

  /// The video track; nil for audio.
  public var video: RemoteVideoTrack? { if case .video(let track) = track { track } else { nil } }

  /// The audio track; nil for video.
  public var audio: RemoteAudioTrack? { if case .audio(let track) = track { track } else { nil } }
}

/// A received track of either kind.
///
/// ```swift
/// switch subscription.track {
/// case .video(let pictures): pictures.add(ClosureVideoSink { frame in show(frame) })
/// case .audio(let sound): sound.add(NullSink())
/// }
/// ```
public enum RemoteTrack: Sendable {
  case video(RemoteVideoTrack)
  case audio(RemoteAudioTrack)

  func isSame(as other: RemoteTrack) -> Bool {
    switch (self, other) {
    case (.video(let one), .video(let two)): one === two
    case (.audio(let one), .audio(let two)): one === two
    default: false
    }
  }
}
