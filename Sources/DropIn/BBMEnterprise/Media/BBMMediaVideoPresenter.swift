// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

public import ParleyViews

/// A view that shows the video of a call.
@preconcurrency @MainActor public protocol BBMVideoView: AnyObject {
  /// The size of the newest frame in pixels; zero before the first one.
  var videoSize: CGSize { get }
}

/// Gives the media manager places for the video of a call. The views are put into them and taken out again by the
/// manager; they fill their container until the app sets another frame. Every method but the containers' may be left
/// out.
@preconcurrency @MainActor public protocol BBMMediaVideoPresenter: AnyObject {
  /// The place of the other side's video; nil shows none.
  func incomingVideoContainer() -> UIView!
  /// The place of the local camera's video; nil shows none.
  func outgoingVideoContainer() -> UIView!
  /// Of several presenters, the one with the highest number gets the views. It is read when a presenter is added.
  func videoPresenterPriority() -> Int
  /// The other side's video is in its container.
  func incomingVideoReady(_ view: (any UIView & BBMVideoView)!)
  /// The local camera's video is in its container.
  func outgoingVideoReady(_ view: (any UIView & BBMVideoView)!)
  func incomingVideoDisabled()
  func outgoingVideoDisabled()
  /// The frames have another size than before.
  func videoView(_ view: (any UIView & BBMVideoView)!, didChangeVideoSize size: CGSize)
}

extension BBMMediaVideoPresenter {
  /// 0, unless the presenter implements it.
  public func videoPresenterPriority() -> Int { 0 }
  /// Does nothing, unless the presenter implements it.
  public func incomingVideoReady(_ view: (any UIView & BBMVideoView)!) {}
  /// Does nothing, unless the presenter implements it.
  public func outgoingVideoReady(_ view: (any UIView & BBMVideoView)!) {}
  /// Does nothing, unless the presenter implements it.
  public func incomingVideoDisabled() {}
  /// Does nothing, unless the presenter implements it.
  public func outgoingVideoDisabled() {}
  /// Does nothing, unless the presenter implements it.
  public func videoView(_ view: (any UIView & BBMVideoView)!, didChangeVideoSize size: CGSize) {}
}
