import Basics
import CWebSockets

/// Bodies that go to a sink piece by piece.
extension ServerWire {
  func beginUpload(to sink: any HTTPBodySink, length: Int) {
    let service = service
    let current = serial
    let queue = HTTPBodyQueue(
      resume: { [weak self] in service.post { [weak self] in self?.resumeUpload(current) } },
      refused: { [weak self] in service.post { [weak self] in self?.refuseUpload(current) } })
    phase = .body
    refusedRest = nil
    expected = length
    advance(.transferring)
    upload = queue
    uploadEnd =
      EventLoop.clock + limits.bodyTimeout + .milliseconds(Int64(length) * 1_000 / Int64(max(limits.uploadRate, 1)))
    deadline = min(EventLoop.clock + limits.bodyTimeout, uploadEnd)
    task = Task { [weak self] in
      let response = await queue.run(sink, length: length)
      service.post { [weak self] in
        self?.upload = nil
        self?.respond(response, to: current, isHead: false)
      }
    }
  }

  func uploadPiece(_ piece: UnsafeRawBufferPointer, _ queue: HTTPBodyQueue) -> Int32 {
    guard piece.count <= expected, let wsi = unsafe wsi else { return -1 }
    expected -= piece.count
    if let rest = refusedRest {
      refusedRest = rest - piece.count
      // At the end the library says so, and the connection can go on.
      if rest < piece.count && expected > 0 { cutUpload() }
      return 0
    }
    deadline = min(EventLoop.clock + limits.bodyTimeout, uploadEnd)
    // Not at the end: the library has to say that it is one.
    if unsafe queue.add(piece) && expected > 0 { unsafe lws_rx_flow_control(wsi, 0) }
    return 0
  }

  /// The sink wants no more: what the client still sends is read for a moment.
  func refuseUpload(_ serial: UInt64) {
    guard !isGone, phase == .body, serial == self.serial else { return }
    refusedRest = limits.refusedBodyLimit
    uploadEnd = min(uploadEnd, EventLoop.clock + limits.refusedBodyTimeout)
    deadline = uploadEnd
  }

  /// A body that was refused takes too long, or is too much: the client is answered in the middle of it.
  func cutUpload() {
    guard let wsi = unsafe wsi else { return }
    phase = .handling
    advance(.handling)
    closeAfter = true
    unsafe lws_rx_flow_control(wsi, 0)
    server.state.withLock { $0.counters.requests &+= 1 }
    upload?.end(isWhole: false)
  }

  /// The sink has taken what waited.
  func resumeUpload(_ serial: UInt64) {
    guard !isGone, phase == .body, serial == self.serial, let wsi = unsafe wsi else { return }
    deadline = min(EventLoop.clock + limits.bodyTimeout, uploadEnd)
    unsafe lws_rx_flow_control(wsi, 1)
  }

  /// The body is whole: what is still to do is the sink's.
  func endUpload() {
    guard let upload, let wsi = unsafe wsi else { return }
    phase = .handling
    advance(.handling)
    unsafe lws_rx_flow_control(wsi, 0)
    server.state.withLock { $0.counters.requests &+= 1 }
    upload.end(isWhole: true)
  }
}
