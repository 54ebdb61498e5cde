import ParleyViews
import Parley
import Synchronization

/// The view of one side's video.
final class CallVideoView: VideoView, BBMVideoView {
  private(set) var videoSize = CGSize.zero
  private let sizes = SizeSink()

  /// The destinations of the video's frames.
  var sinks: [any VideoSink] { [surface, sizes] }

  /// Calls `body` with the size of the first frame, and with every other size.
  func onResize(_ body: @escaping @MainActor (CallVideoView) -> Void) {
    sizes.setHandler { [weak self] width, height in
      Task { @MainActor in
        guard let self else { return }
        self.videoSize = CGSize(width: width, height: height)
        body(self)
      }
    }
  }
}

/// Notices frames of another size, on any thread.
private final class SizeSink: VideoSink {
  private struct State {
    var width = 0
    var height = 0
    var handler: (@Sendable (Int, Int) -> Void)?
  }

  private let state = Mutex(State())

  /// The size that is known is reported at once.
  func setHandler(_ handler: @escaping @Sendable (Int, Int) -> Void) {
    let (width, height) = state.withLock { state in
      state.handler = handler
      return (state.width, state.height)
    }
    if width > 0 { handler(width, height) }
  }

  func receive(_ frame: VideoFrame) {
    let handler = state.withLock { state in
      guard state.width != frame.width || state.height != frame.height else {
        return nil as (@Sendable (Int, Int) -> Void)?
      }
      (state.width, state.height) = (frame.width, frame.height)
      return state.handler
    }
    handler?(frame.width, frame.height)
  }
}
