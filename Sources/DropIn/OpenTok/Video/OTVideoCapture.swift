#if canImport(CoreVideo) && !os(Linux)
  public import CoreMedia
  public import CoreVideo
#endif
public import Foundation
public import ParleyViews

/// The subject of an app's own video.
public enum OTVideoContentHint: Int, Sendable {
  case none = 0
  /// Motion should be smooth, as in sport.
  case motion = 1
  /// Frames should be sharp, as in a shared document.
  case detail = 2
  /// There is text to read.
  case text = 3
}

/// A source of video: a capturer of the app's own. Called in the order `initCapture`, `captureSettings`, `start` …
/// `stop`, `releaseCapture`, on a thread of the module's.
public protocol OTVideoCapture: AnyObject {
  /// The consumer of frames; set before `initCapture()`.
  var videoCaptureConsumer: (any OTVideoCaptureConsumer)? { get set }
  /// The subject of the video. Text or detail asks for sharp frames, also of a camera; motion asks for smooth ones,
  /// also of a screen. Read when it is published.
  var videoContentHint: OTVideoContentHint { get set }
  /// The first call: opens the capturer's device.
  func initCapture()
  func releaseCapture()
  /// Begins to give frames; 0 when all is well, less when it cannot.
  func start() -> Int32
  /// Ends it; 0 when all is well.
  func stop() -> Int32
  /// Whether it gives frames. Not asked: what ``start()`` gave counts.
  func isCaptureStarted() -> Bool
  /// Fills in what frames it gives; 0 when all is well, less when it cannot.
  func captureSettings(_ videoFormat: OTVideoFormat) -> Int32
}

/// Takes the frames of a capturer, on any thread.
public protocol OTVideoCaptureConsumer: AnyObject {
  /// Takes a frame; its planes are read before the call returns. One that is not complete is dropped.
  func consumeFrame(_ frame: OTVideoFrame)
  /// Takes an image buffer of Core Video, which is read before the call returns. False when it is refused: its layout
  /// isn't one of 420 in two or three planes, 32ARGB, 32BGRA and 24RGB, or the metadata has more than 32 bytes.
  /// Metadata is not sent.
  @discardableResult
  func consumeImageBuffer(
    _ frame: CVImageBuffer, orientation: OTVideoOrientation, timestamp ts: CMTime, metadata: Data?
  ) -> Bool
}

/// A destination of video: a renderer of the app's own.
public protocol OTVideoRender: AnyObject {
  /// Shows a frame; called on the thread that made it. Return soon, or frames are dropped.
  func renderVideoFrame(_ frame: OTVideoFrame)
}

/// Draws into each frame before it is sent.
public protocol OTCustomVideoTransformer: AnyObject {
  /// Changes a frame in its place.
  func transform(_ videoFrame: OTVideoFrame)
}
