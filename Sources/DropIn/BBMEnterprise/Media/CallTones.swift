import Foundation
import Parley

/// Plays the tones of calls, one at a time.
@MainActor final class CallTones {
  private var playing: Task<Void, Never>?

  /// Plays a file; over and over until ``stop()`` if it `repeats`. A file that cannot be played is silent.
  func play(_ url: URL?, repeats: Bool, _ devices: CallDevices) {
    stop()
    guard let path = url?.path else { return }
    playing = Task {
      guard let speaker = try? await devices.openSpeaker() else { return }
      repeat {
        guard let source = try? FileSource(path).audio else { return }
        let (frames, end) = AsyncStream<Void>.makeStream()
        let isPlaying = (try? source.start({ speaker.receive($0) }, onEnd: { _ in end.finish() })) != nil
        guard isPlaying else { return }
        // Ends with the file, or when the task is cancelled.
        for await _ in frames {}
        source.stop()
      } while repeats && !Task.isCancelled
    }
  }

  func stop() {
    playing?.cancel()
    playing = nil
  }
}
