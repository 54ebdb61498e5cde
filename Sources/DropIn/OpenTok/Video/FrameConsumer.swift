#if canImport(CoreVideo) && !os(Linux)
  import CoreMedia
  import CoreVideo
#endif
import Foundation
import Media
import Parley
import ParleyViews

/// Takes the frames of a capturer of the app's own.
final class FrameConsumer: OTVideoCaptureConsumer, Sendable {
  private let body: @Sendable (VideoFrame) -> Void
  private let now: @Sendable () -> Instant
  private let clock = Guarded(CaptureClock())

  init(
    now: @escaping @Sendable () -> Instant = { MonotonicClock.now }, _ body: @escaping @Sendable (VideoFrame) -> Void
  ) { (self.now, self.body) = (now, body) }

  /// The age of frames when they come. An invalid delay counts as none.
  func setDelay(milliseconds: Double) {
    guard (0...1_000).contains(milliseconds) else { return }
    clock.delay = TimeSpan(nanoseconds: Int64(milliseconds * 1_000_000))
  }

  private func time(_ timestamp: CMTime) -> Instant {
    let (stamp, now) = (timestamp.stamp, now())
    return clock.update { $0.time(of: stamp, now: now) }
  }

  func consumeFrame(_ frame: OTVideoFrame) {
    guard let picture = frame.picture(at: time(frame.timestamp)) else { return }
    body(picture)
  }

  func consumeImageBuffer(
    _ frame: CVImageBuffer, orientation: OTVideoOrientation, timestamp ts: CMTime, metadata: Data?
  ) -> Bool {
    guard metadata?.count ?? 0 <= OTVideoFrame.maximumMetadata, let picture = frame.picture(at: time(ts))
    else { return false }
    body(picture.rotated(orientation.rotation))
    return true
  }
}
