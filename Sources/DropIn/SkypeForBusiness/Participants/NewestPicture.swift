import Parley
import ParleyViews
import Synchronization

/// Keeps the newest frame, on any thread, and lets its size be observed.
@MainActor final class NewestPicture: SfBObject {
  /// The size in pixels; zero while there is no frame.
  var dimensions: CGSize {
    // Read for who observes: it changes whenever the size does.
    _ = resizings
    return frame.map { CGSize(width: $0.width, height: $0.height) } ?? .zero
  }

  /// The newest frame; nil before the first one.
  var frame: VideoFrame? { sink.frame }
  /// The sink that receives the frames.
  let sink = Sink()

  @SfBObserved private var resizings = 0

  init() {
    super.init(internal: ())
    sink.onResize = { [weak self] in
      Task { @MainActor in self?.resizings += 1 }
    }
  }

  /// Forgets the newest frame.
  func clear() {
    sink.clear()
    resizings += 1
  }

  final class Sink: VideoSink {
    private struct State {
      var frame: VideoFrame?
      var onResize: @Sendable () -> Void = {}
    }

    private let state = Mutex(State())

    var frame: VideoFrame? { state.withLock { $0.frame } }

    /// Called on the delivering thread when a frame has another size than the one before.
    var onResize: @Sendable () -> Void {
      get { state.withLock { $0.onResize } }
      set { state.withLock { $0.onResize = newValue } }
    }

    func receive(_ frame: VideoFrame) {
      let onResize = state.withLock { state in
        let isResized = state.frame?.width != frame.width || state.frame?.height != frame.height
        state.frame = frame
        return isResized ? state.onResize : nil
      }
      onResize?()
    }

    func clear() { state.withLock { $0.frame = nil } }
  }
}
