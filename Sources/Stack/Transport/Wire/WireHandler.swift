import Basics
import CWebSockets

/// An event of libwebsockets, by the names of its own reasons.
typealias WireEvent = lws_callback_reasons

/// One socket's side of a ``WireService``: every call happens on the service thread.
protocol WireHandler: AnyObject {
  /// An event of the connection `wsi`. The range `bytes`/`count` is valid during the call. Nonzero closes.
  @unsafe func handle(
    _ event: WireEvent, _ wsi: OpaquePointer, _ bytes: UnsafeMutableRawPointer?, _ count: Int
  ) -> Int32
  /// The connection is gone; its handle must not be used again.
  func wireClosed()
  /// Some time has passed: check deadlines.
  func tick(now: Instant)
}
