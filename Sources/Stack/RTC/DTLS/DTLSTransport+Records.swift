/// The records of an association whose handshake is complete.
extension DTLSTransport {
  /// The handshake is complete: media may start, and what overtook its end is read.
  func connect(_ handshake: DTLSHandshake) {
    switch handshake.finish() {
    case .success(let agreement):
      let early = early
      finish(.connected)
      records = agreement.records
      events.append(.connected(agreement.material))
      for record in early where state == .connected { read(record) }
    case .failure(let failure):
      handshake.close()
      flush()
      fail(failure)
    }
  }

  /// Takes a record after the handshake.
  func read(_ record: [UInt8]) {
    switch records?.open(record) {
    case .content(.applicationData, let data):
      if !data.isEmpty, events.count < Self.maximumQueue { events.append(.received(data)) }
    case .content(.alert, let alert): read(alert: alert)
    case .content(.handshake, let message):
      // Finished (RFC 5246 section 7.4.9) once more: our last flight was lost.
      if message.first == 20 { for datagram in lastFlight { enqueue(datagram) } }
    case .replayed: filter.countReplay()
    case .forged: filter.countForgery()
    case nil: break
    }
  }

  /// Level and description (RFC 5246 section 7.2). Warnings but close_notify mean nothing here.
  private func read(alert: [UInt8]) {
    guard alert.count == 2 else { return }
    if alert[1] == 0 {
      finish(.closed)
      events.append(.closed)
    } else if alert[0] == 2 {
      fail(.peerAlert(alert[1]))
    }
  }
}
