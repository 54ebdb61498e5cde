import Foundation
import OpenTok

/// A capturer of an app that hands over what a closure makes, again and again.
// unchecked: the SDK calls it from one queue, one call after the other; `number` is the timer's.
final class TimedCapture: OTVideoCapture, @unchecked Sendable {
  var videoCaptureConsumer: (any OTVideoCaptureConsumer)?
  var videoContentHint = OTVideoContentHint.none
  private var timer: (any DispatchSourceTimer)?
  private var number: Int64 = 0
  private let interval: DispatchTimeInterval
  private let body: (any OTVideoCaptureConsumer, Int64) -> Void

  /// Calls `body` every so often, with a number that begins at 0.
  init(every interval: DispatchTimeInterval, _ body: @escaping (any OTVideoCaptureConsumer, Int64) -> Void) {
    (self.interval, self.body) = (interval, body)
  }

  func initCapture() {}
  func releaseCapture() {}
  func isCaptureStarted() -> Bool { timer != nil }
  func captureSettings(_ videoFormat: OTVideoFormat) -> Int32 { 0 }

  func start() -> Int32 {
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "capture"))
    timer.schedule(deadline: .now(), repeating: interval)
    timer.setEventHandler { [weak self] in
      guard let self else { return }
      if let videoCaptureConsumer { body(videoCaptureConsumer, number) }
      number += 1
    }
    timer.resume()
    self.timer = timer
    return 0
  }

  func stop() -> Int32 {
    timer?.cancel()
    timer = nil
    return 0
  }
}
