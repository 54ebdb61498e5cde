public import ParleyViews
import Parley

/// The guest's own video in a view. It refreshes itself until the conversation is over.
@preconcurrency @MainActor open class SfBVideoPreview: SfBObject, SfBKeyValueObservable {
  /// The size of the video in pixels; zero before the first frame.
  open var dimensions: CGSize { newest.dimensions }

  override class var keys: [ObservableKey] { [.value("dimensions", \SfBVideoPreview.dimensions)] }

  /// The sinks of the camera's frames.
  var sinks: [any VideoSink] { [tile.surface, newest.sink] }

  private let newest = NewestPicture()
  private let tile: VideoView
  private(set) weak var container: UIView?

  init(in view: UIView) {
    tile = VideoView(frame: view.bounds)
    container = view
    tile.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    tile.isMirrored = true
    tile.isUserInteractionEnabled = false
    super.init(internal: ())
    view.insertSubview(tile, at: 0)
  }

  /// Removes the view. The last size stays.
  func end() { tile.removeFromSuperview() }
}
