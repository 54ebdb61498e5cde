#if !canImport(UIKit) || os(Linux)
public import Foundation
public import Parley

/// A tile that shows video: of a participant, of a source, or frames given one by one. Without a display it keeps the
/// newest frame.
///
/// ```swift
/// let tile = VideoView(frame: CGRect(x: 0, y: 0, width: 320, height: 240))
/// tile.track = subscription.video
/// tile.scaling = .fill
/// ```
open class VideoView: UIView {
  /// The destination of its frames; give it to anything that takes a `VideoSink`.
  public let surface = VideoSurface()

  /// A tile without a frame.
  public override init(frame: CGRect) {
    super.init(frame: frame)
    prepare()
  }

  /// A tile from an archive.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
    prepare()
  }

  private func prepare() {
    backgroundColor = .black
    clipsToBounds = true
    follow(surface)
  }

  override var videoSurface: VideoSurface? { surface }

  /// The track it shows. It watches while this is set, so the video is sent and decoded.
  open var track: RemoteVideoTrack? {
    didSet {
      guard track !== oldValue else { return }
      oldValue?.remove(surface)
      surface.clear()
      track?.add(surface)
    }
  }

  /// How frames fit the tile.
  open var scaling: VideoSurface.Scaling {
    get { surface.scaling }
    set { surface.scaling = newValue }
  }

  /// Whether left and right change places, as in a mirror.
  open var isMirrored: Bool {
    get { surface.isMirrored }
    set { surface.isMirrored = newValue }
  }

  public var currentFrame: VideoFrame? { surface.frame }
  /// How many frames came so far.
  public var frameCount: Int { surface.frameCount }

  /// Shows a frame; may be called on any thread.
  nonisolated public func show(_ frame: VideoFrame) { surface.receive(frame) }
}
#endif
