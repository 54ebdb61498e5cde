import Basics
import CLinux
import CWebSockets
import Glibc

/// Checks heads before the library reads them: the library drops much of what it reads, such as white space before a
/// colon.
///
/// While a head is awaited, the library's reading is off (its flow control lets it do nothing at all with the
/// connection), and the companion reports arriving bytes. Without TLS they are checked in the kernel until the head is
/// whole; the kernel reports only bytes beyond those. With TLS one decrypted record is checked, and then read by the
/// library: its read takes no more than that record.
extension ServerWire {
  /// The next head begins.
  func awaitHead() {
    head = HTTPHeadParser(limit: limits.headerLimit, isAmbiguous: AmbiguousNames.contains)
    parsedAhead = 0
    setReading(false)
  }

  /// Goes on to the next request; false when the connection is to be closed.
  func nextRequest() -> Bool {
    guard let wsi = unsafe wsi else { return false }
    advance(.idle)
    if isAssigned {
      isAssigned = false
      server.state.withLock { _ = $0.connections.assign(tag, to: nil) }
    }
    unsafe lws_rx_flow_control(wsi, 1)
    guard unsafe lws_http_transaction_completed(wsi) == 0 else {
      phase = .closing
      return false
    }
    // The library wants to see the connection writable before it takes another request, and would do so only while it
    // reads.
    guard unsafe parley_ws_drive(wsi, 1) == 0, !isGone else { return true }
    awaitHead()
    return true
  }

  /// Makes either the library read, or the companion report arriving bytes.
  func setReading(_ reads: Bool) {
    guard let wsi = unsafe wsi else { return }
    isReading = reads
    looksAgain = false
    if reads, hasLowWater { setLowWater(1) }
    if let companion = unsafe companion { unsafe lws_rx_flow_control(companion, reads ? 0 : 1) }
    unsafe lws_rx_flow_control(wsi, reads ? 1 : 0)
  }

  /// The library is in the middle of its call that ends the handshake.
  func handshakeEnded() {
    // OpenSSL also reports the messages of TLS 1.3 after it.
    if isOpen { return }
    isOpen = true
    awaitHead()
  }

  /// Bytes have come while a head is awaited. Nothing here may close the connection at once: the companion would go
  /// with it, in its own event.
  func arrived() {
    guard !isReading, phase == .headers else { return ignoreCompanion() }
    if isTLS {
      ignoreCompanion()
      service.post { [weak self] in self?.readRecords() }
      return
    }
    switch look() {
    case .nothing: break
    case .ended: abandon()
    case .came(let total):
      switch head.state {
      case .malformed(let fault): refuse(fault)
      case .complete: setReading(true)
      case .incomplete where total == parsedAhead:
        // The peer finished in the middle of a head, or the socket reports without need.
        if parley_ws_peer_finished(descriptor) != 0 { return abandon() }
        ignoreCompanion()
        looksAgain = true
      case .incomplete:
        parsedAhead = total
        setLowWater(total + 1)
      }
    }
  }

  func watchHead() {
    looksAgain = false
    if !isReading, phase == .headers, let companion = unsafe companion { unsafe lws_rx_flow_control(companion, 1) }
  }

  private func ignoreCompanion() {
    if let companion = unsafe companion { unsafe lws_rx_flow_control(companion, 0) }
  }

  /// Over TLS: parses record by record, and has the library read each.
  private func readRecords() {
    while !isGone, !isReading, phase == .headers, let wsi = unsafe wsi {
      switch look() {
      case .nothing: return watchHead()
      case .ended: return abandon()
      case .came(let total):
        if case .malformed(let fault) = head.state { return refuse(fault) }
        parsedAhead = total
        let isComplete = head.state == .complete
        let pending = unsafe parley_ws_pending(wsi)
        setReading(true)
        guard unsafe parley_ws_drive(wsi, 0) == 0, !isGone else { return }
        if isComplete { return }
        setReading(false)
        let read = unsafe pending - parley_ws_pending(wsi)
        // The library could not: it would be asked again without end.
        guard read > 0 else { return abandon() }
        parsedAhead -= min(Int(read), parsedAhead)
      }
    }
  }

  private enum Sight {
    case nothing
    case ended
    case came(Int)
  }

  /// Parses what has come and was not parsed yet.
  private func look() -> Sight {
    guard let wsi = unsafe wsi else { return .ended }
    // The buffer's own pointer and size, of which what was peeked is a part.
    let total = unsafe service.peeked.withUnsafeMutableBufferPointer { buffer in
      let total = unsafe Int(parley_ws_peek(wsi, buffer.baseAddress, Int32(buffer.count)))
      guard total > 0 else { return total }
      let bytes = unsafe buffer.span
      head.parse(bytes.extracting(min(parsedAhead, total)..<total))
      return total
    }
    guard total > 0 else { return total == -1 ? .nothing : .ended }
    return .came(total)
  }

  private func refuse(_ fault: HTTPHeadFault) {
    _ = refuseAndClose(fault.response)
    abandon()
  }

  /// Closes the connection as soon as the loop runs again.
  private func abandon() {
    phase = .closing
    ignoreCompanion()
    deadline = MonotonicClock.now + .seconds(6)
    if let wsi = unsafe wsi { unsafe parley_ws_abort(wsi) }
  }

  private func setLowWater(_ bytes: Int) {
    hasLowWater = bytes > 1
    parley_set_option(descriptor, SOL_SOCKET, SO_RCVLOWAT, Int32(clamping: bytes))
  }
}
