import Parley

/// An app's ``OTVideoCapture`` as Parley captures from it.
// unchecked: `consumer` and the app's capturer are used on the queue of its `LocalCapture`.
final class CapturerAdapter: VideoCapturer, @unchecked Sendable {
  let capture: any OTVideoCapture
  /// Held while it runs: a capturer may hold it weakly.
  private var consumer: FrameConsumer?

  init(_ capture: any OTVideoCapture) { self.capture = capture }

  func start(_ sink: @escaping @Sendable (VideoFrame) -> Void) throws(MediaError) {
    let consumer = FrameConsumer(sink)
    self.consumer = consumer
    capture.videoCaptureConsumer = consumer
    capture.initCapture()
    let format = OTVideoFormat()
    var (name, result) = ("captureSettings", capture.captureSettings(format))
    consumer.setDelay(milliseconds: format.estimatedCaptureDelay)
    if result >= 0 { (name, result) = ("start", capture.start()) }
    guard result < 0 else { return }
    release()
    throw .invalid("The capturer does not give pictures: its \(name) gave \(result), where 0 is expected.")
  }

  func stop() {
    _ = capture.stop()
    release()
  }

  private func release() {
    capture.releaseCapture()
    capture.videoCaptureConsumer = nil
    consumer = nil
  }

  var prefersDetail: Bool? {
    switch capture.videoContentHint {
    case .none: nil
    case .motion: false
    case .detail, .text: true
    }
  }
}
