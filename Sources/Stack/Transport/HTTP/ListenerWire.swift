import Basics
import CWebSockets
import Glibc

/// A listener watched by the service thread.
@safe final class ListenerWire: ServerSide {
  private let listener: TCPListener
  private weak var server: HTTPServer?
  // Valid until `wireClosed`; touched on the service thread only.
  private var wsi: OpaquePointer?

  private init(_ listener: TCPListener, server: HTTPServer) {
    self.listener = listener
    self.server = server
    unsafe wsi = nil
  }

  /// Watches `listener` on the service thread of `server`.
  static func start(_ listener: TCPListener, server: HTTPServer, host: OpaquePointer) {
    let wire = ListenerWire(listener, server: server)
    let tag = server.service.add(wire)
    // The library closes what it watches; the listener closes its own.
    let watched = dup(listener.descriptor)
    server.service.isNew(watched)
    unsafe wire.wsi = parley_ws_adopt_file(host, watched, tag)
    if unsafe wire.wsi == nil { server.service.remove(tag) }
  }

  @unsafe func handle(
    _ event: WireEvent, _ wsi: OpaquePointer, _ bytes: UnsafeMutableRawPointer?, _ count: Int
  ) -> Int32 {
    guard event == LWS_CALLBACK_RAW_RX_FILE else { return 0 }
    var taken = 0
    while taken < 64, let accepted = listener.accept() {
      taken += 1
      if let server { server.take(accepted) } else { accepted.close() }
    }
    return 0
  }

  func wireClosed() { unsafe wsi = nil }
  func tick(now: Instant) {}

  func beginShutdown() {
    // Called from posted work, so the handle is not inside a callback of its own.
    if let wsi = unsafe wsi { unsafe parley_ws_kill(wsi) }
  }
}
