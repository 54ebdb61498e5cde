import Foundation
public import ParleyViews

/// Receives a stream and shows it in ``view``.
open class OTSubscriber: OTSubscriberKit {
  @MainActor private var shown: OTVideoView?

  /// The video, in an ``OTVideoView``. It leaves its superview when the stream ends, and in version 1 when the app
  /// releases the subscriber.
  @preconcurrency @MainActor open var view: UIView? { videoView }

  @MainActor var videoView: OTVideoView {
    if let shown { return shown }
    let view = OTVideoView(frame: CGRect(x: 0, y: 0, width: 320, height: 240))
    view.name = stream?.name
    shown = view
    view.addTool { [weak self] in
      guard let self, currentSession?.isLegacy == true, stream?.hasAudio == true else { return nil }
      return subscribeToAudio ? "Mute" : "Unmute"
    } _: { [weak self] in
      self?.subscribeToAudio.toggle()
    }
    return view
  }

  /// The view, when somebody has asked for it, or frames have come.
  @MainActor var viewIfAny: OTVideoView? { shown }

  /// How frames fit the view.
  @preconcurrency @MainActor open var viewScaleBehavior: OTVideoViewScaleBehavior {
    get { videoView.scaling == .fit ? .fit : .fill }
    set { videoView.scaling = newValue == .fit ? .fit : .fill }
  }
}
