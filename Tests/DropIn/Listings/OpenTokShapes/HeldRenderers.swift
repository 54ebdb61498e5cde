// A renderer that only its subscriber or publisher holds.
import OpenTok

class FrameWatcher: NSObject, OTVideoRender {
  private let onFrame: @Sendable (OTVideoFrame) -> Void
  init(_ onFrame: @escaping @Sendable (OTVideoFrame) -> Void) { self.onFrame = onFrame }
  func renderVideoFrame(_ frame: OTVideoFrame) { onFrame(frame) }
}

enum HeldRenderers {
  static func watch(_ subscriber: OTSubscriberKit?, _ onFrame: @escaping @Sendable (OTVideoFrame) -> Void) {
    let watcher = FrameWatcher(onFrame)
    subscriber?.videoRender = watcher
  }
  static func watch(_ publisher: OTPublisherKit?, _ onFrame: @escaping @Sendable (OTVideoFrame) -> Void) {
    let watcher = FrameWatcher(onFrame)
    publisher?.videoRender = watcher
  }
}
