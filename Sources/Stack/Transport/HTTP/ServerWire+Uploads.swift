import Basics
import CWebSockets

/// Bodies that go to a sink piece by piece.
extension ServerWire {
  func beginUpload(to sink: any HTTPBodySink, length: Int) {
    let service = service
    let current = serial
    let queue = HTTPBodyQueue(
      resume: { [weak self] in service.post { [weak self] in self?.resumeUpload(current) } },
      accepted: { [weak self] in service.post { [weak self] in self?.acceptUpload(current) } },
      refused: { [weak self] in service.post { [weak self] in self?.refuseUpload(current) } })
    phase = .body
    refusedRest = nil
    expected = length
    advance(.transferring)
    upload = queue
    let pace = UploadPace(rate: limits.uploadRate, window: limits.bodyTimeout, now: MonotonicClock.now)
    uploadPace = pace
    deadline = pace.deadline
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
    awaitsContinue = false
    if let rest = refusedRest {
      refusedRest = rest - piece.count
      // At the end the library says so, and the connection can go on.
      if rest < piece.count && expected > 0 { cutUpload() }
      return 0
    }
    let now = MonotonicClock.now
    uploadPace?.take(piece.count, now: now)
    // Not at the end: the library has to say that it is one.
    if unsafe queue.add(piece) && expected > 0 {
      unsafe lws_rx_flow_control(wsi, 0)
      uploadPace?.pause(now: now)
      deadline = now + limits.bodyTimeout
    } else if let pace = uploadPace {
      deadline = pace.deadline
    }
    return 0
  }

  /// The sink wants no more: what the client still sends is read for a moment.
  func refuseUpload(_ serial: UInt64) {
    guard !isGone, phase == .body, serial == self.serial else { return }
    // Nothing of the body is on its way: the client waits for this answer.
    if awaitsContinue { return cutUpload() }
    refusedRest = limits.refusedBodyLimit
    deadline = min(deadline, MonotonicClock.now + limits.refusedBodyTimeout)
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
    uploadPace?.resume(now: MonotonicClock.now)
    if refusedRest == nil, let pace = uploadPace { deadline = pace.deadline }
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
