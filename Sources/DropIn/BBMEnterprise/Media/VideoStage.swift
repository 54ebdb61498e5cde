import ParleyViews
import Parley

/// Puts the video of a call into the containers of the presenter with the highest priority.
@MainActor final class VideoStage {
  private struct Entry {
    weak var presenter: (any BBMMediaVideoPresenter)?
    let id: ObjectIdentifier
    let priority: Int
  }

  private var entries: [Entry] = []
  private weak var current: (any BBMMediaVideoPresenter)?
  private(set) var incoming: CallVideoView?
  private(set) var outgoing: CallVideoView?

  func add(_ presenter: any BBMMediaVideoPresenter) {
    let id = ObjectIdentifier(presenter)
    entries.removeAll { $0.id == id || $0.presenter == nil }
    entries.append(Entry(presenter: presenter, id: id, priority: presenter.videoPresenterPriority()))
    choose()
  }

  func remove(_ presenter: any BBMMediaVideoPresenter) {
    let id = ObjectIdentifier(presenter)
    entries.removeAll { $0.id == id }
    choose()
  }

  /// Shows the other side's video; nil ends it.
  func setIncoming(_ view: CallVideoView?) {
    let had = incoming != nil
    incoming?.removeFromSuperview()
    incoming = view
    if let view { present(incoming: view) } else if had { current?.incomingVideoDisabled() }
  }

  /// Shows the local camera's video; nil ends it.
  func setOutgoing(_ view: CallVideoView?) {
    let had = outgoing != nil
    outgoing?.removeFromSuperview()
    outgoing = view
    if let view { present(outgoing: view) } else if had { current?.outgoingVideoDisabled() }
  }

  private func choose() {
    let best = entries.filter { $0.presenter != nil }.max { $0.priority < $1.priority }?.presenter
    guard best !== current else { return }
    for view in [incoming, outgoing] { view?.removeFromSuperview() }
    current = best
    if let incoming { present(incoming: incoming) }
    if let outgoing { present(outgoing: outgoing) }
  }

  private func present(incoming view: CallVideoView) {
    guard let current, put(view, into: current.incomingVideoContainer()) else { return }
    current.incomingVideoReady(view)
  }

  private func present(outgoing view: CallVideoView) {
    guard let current, put(view, into: current.outgoingVideoContainer()) else { return }
    current.outgoingVideoReady(view)
  }

  private func put(_ view: CallVideoView, into container: UIView?) -> Bool {
    guard let container else { return false }
    view.frame = container.bounds
    view.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    container.addSubview(view)
    view.onResize { [weak self] view in
      // The frame's size comes a turn later: the view may have been taken away.
      guard let self, view === incoming || view === outgoing else { return }
      current?.videoView(view, didChangeVideoSize: view.videoSize)
    }
    return true
  }
}
