import Foundation
import Parley

/// One subscriber of a stream: what it plays now.
@MainActor final class SubscriberWork {
  weak var subscriber: OTSubscriberKit?
  /// The subscriber's view, which a superview may keep for longer.
  weak var view: OTVideoView?
  /// Held in sessions of version 2, which keep what is subscribed; in version 1 letting go of a subscriber ends it.
  private let kept: OTSubscriberKit?
  /// Of the subscriber's ``Membership``.
  let number: Int
  let streamID: String
  var reception = StreamReception()
  var isConnecting: Bool { reception.isConnecting }
  var isOver = false
  var timer: Task<Void, Never>?
  let sink: SubscriberSink
  let receiver: StreamReceiver
  /// The publisher whose audio is measured, when it is an own stream.
  var ownSound: OTPublisherKit?
  /// The stream as its delegate of statistics last saw it.
  var quality = StreamQuality()

  init(_ subscriber: OTSubscriberKit, _ number: Int, _ streamID: String, isKept: Bool) {
    self.subscriber = subscriber
    self.number = number
    kept = isKept ? subscriber : nil
    self.streamID = streamID
    sink = SubscriberSink()
    receiver = StreamReceiver(sink: sink)
  }

  /// Ends it: nothing is played any more, and the view is out of its superview unless the subscriber has begun again.
  func stop() {
    isOver = true
    timer?.cancel()
    receiver.stop()
    ownSound = nil
    sink.state.exchange(\.render, with: nil)
    guard let subscriber else {
      // The app has let go of it, and of what could take the view away.
      view?.removeFromSuperview()
      view?.surface.clear()
      return
    }
    let isLatest = subscriber.state.read { $0.membership.number == number }
    subscriber.release(number)
    guard let view = (subscriber as? OTSubscriber)?.viewIfAny else { return }
    if isLatest { view.removeFromSuperview() }
    view.surface.clear()
  }
}

/// The destination of a subscriber's frames: its view, the app's renderer.
final class SubscriberSink: VideoSink {
  struct State {
    var surface: (any VideoSink)?
    /// The subscriber's own until it is stopped.
    var render: (any OTVideoRender)?
    var size: CGSize?
    var onFirst: (@Sendable () -> Void)?
    var onSize: (@Sendable (CGSize) -> Void)?
  }

  let state = Guarded(State())

  func receive(_ frame: VideoFrame) {
    let size = CGSize(width: frame.width, height: frame.height)
    let (surface, render) = state.read { ($0.surface, $0.render) }
    surface?.receive(frame)
    render?.renderVideoFrame(OTVideoFrame(frame))
    let (first, sized) = state.update { state -> ((@Sendable () -> Void)?, (@Sendable (CGSize) -> Void)?) in
      let first = state.onFirst
      state.onFirst = nil
      guard state.size != size else { return (first, nil) }
      state.size = size
      return (first, state.onSize)
    }
    sized?(size)
    first?()
  }
}
