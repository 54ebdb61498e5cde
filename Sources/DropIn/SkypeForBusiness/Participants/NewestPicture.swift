import Parley
import ParleyViews
import Synchronization

/// Keeps the picture that came last, on any thread, and lets its size be observed.
@MainActor final class NewestPicture: SfBObject {
  /// The size in pixels; zero while there is no picture.
  var dimensions: CGSize {
    // Read for who observes: it changes whenever the size does.
    _ = resizings
    return frame.map { CGSize(width: $0.width, height: $0.height) } ?? .zero
  }

  /// The picture.
  var frame: VideoFrame? { sink.frame }
  /// Where the pictures arrive.
  let sink = Sink()

  @SfBObserved private var resizings = 0

  init() {
    super.init(internal: ())
    sink.onResize = { [weak self] in
      Task { @MainActor in self?.resizings += 1 }
    }
  }

  /// Forgets the picture.
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

    /// Is told, on the thread that gives the pictures, when one has another size than the one before.
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
