import RTC
import Transport

/// The way out: batches of a receiver's packets, and single datagrams, over UDP and TCP.
extension MediaCore {
  func send(_ batch: OutputBatch, to egress: Egress) {
    guard connections.indices.contains(egress.connection) else { return }
    // No connection ends and no socket is closed in here.
    connections.reference(at: egress.connection).use { connection in
      if let path = connection.path { send(batch, on: path) }
    }
  }

  private func send(_ batch: OutputBatch, on path: IcePath) {
    switch path.transport {
    case .udp:
      guard sockets.indices.contains(Int(path.handle)) else { return }
      sockets.reference(at: Int(path.handle)).use { socket in
        let bytes = batch.bytes
        batch.forEachRun { run in
          socket.sendSegmented(
            bytes.span(run.offset..<(run.offset &+ run.length)), segmentSize: run.segment, to: path.remote,
            from: path.local)
        }
      }
    case .tcp:
      guard let stream = streams[path.handle]?.connection else { return }
      let bytes = batch.bytes
      for run in batch.runs {
        var offset = run.offset
        let end = run.offset &+ run.length
        while offset < end {
          let next = min(offset &+ run.segment, end)
          sendFrame(bytes.span(offset..<next), over: stream)
          offset = next
        }
      }
    }
  }

  func send(_ datagram: OutgoingDatagram) {
    switch datagram.path.transport {
    case .udp:
      guard sockets.indices.contains(Int(datagram.path.handle)) else { return }
      sockets[Int(datagram.path.handle)].send(
        datagram.bytes.span, to: datagram.path.remote, from: datagram.path.local)
    case .tcp:
      if let stream = streams[datagram.path.handle]?.connection { sendFrame(datagram.bytes.span, over: stream) }
    }
  }

  /// Sends a packet with its length before it (RFC 4571).
  private func sendFrame(_ packet: Span<UInt8>, over stream: TCPConnection) {
    guard let (high, low) = FramedStream.header(forLength: packet.count), packet.count <= frame.count - 2 else {
      return
    }
    frame[0] = high
    frame[1] = low
    frame.copy(packet, to: 2)
    let whole = frame
    stream.send(whole.span(0..<(packet.count + 2)))
  }
}
