import Basics
import RTC
import Transport

/// The way in: from a socket to the connection that the address belongs to, and on to its router.
extension MediaCore {
  func receive(_ index: Int) {
    let now = loop.now
    let handle = UInt32(truncatingIfNeeded: index)
    // No socket is closed while packets are taken.
    sockets.reference(at: index).use { socket in
      // A few full slabs a tick; what is left wakes the loop again, after everything has been sent.
      var rounds = 0
      while rounds < 4 {
        rounds &+= 1
        let more = socket.receive(into: slab) { datagram, remote, local in
          self.receive(
            &datagram, IcePath(transport: .udp, local: local, remote: remote, handle: handle), now)
        }
        if !more { return }
      }
    }
  }

  /// Takes a datagram, or a frame of a TCP connection.
  @inline(__always)
  func receive(_ datagram: inout MutableSpan<UInt8>, _ path: IcePath, _ now: Instant) {
    datagramsReceived &+= 1
    guard let index = addresses.find(path.remote, handle: path.handle) else {
      return receiveFromUnknown(&datagram, path, now)
    }
    // No connection and no meeting ends while a packet is taken.
    let isTaken = connections.reference(at: index).use(with: &datagram) { connection, datagram in
      self.receive(&datagram, path, of: connection, now)
    }
    if isTaken != true { receiveFromUnknown(&datagram, path, now) }
  }

  /// Takes a datagram that came over a path of `connection`; false when it must be somebody else's.
  @inline(__always)
  private func receive(
    _ datagram: inout MutableSpan<UInt8>, _ path: IcePath, of connection: Connection, _ now: Instant
  ) -> Bool {
    switch connection.peer.receive(&datagram, path: path, now: now) {
    case .rtp(let header, let length):
      let meeting = connection.meeting
      meeting.router.receiveRTP(
        datagram.span.extracting(0..<length), header: header, from: connection.member, now: now)
      touch(meeting)
      flushIfFull(meeting, now)
    case .rtcp(let length):
      connection.meeting.router.receiveRTCP(
        datagram.span.extracting(0..<length), from: connection.member, now: now)
      touch(connection.meeting)
    case .handled:
      connection.member.heard(now: now)
      settle(connection)
    case .dropped(.unauthenticatedSTUN): return false
    case .dropped: break
    }
    return true
  }

  @inline(__always)
  func flushIfFull(_ meeting: Meeting, _ now: Instant) {
    if meeting.router.pendingPackets >= Self.flushThreshold { meeting.router.flush(now: now, batch: batch, to: self) }
  }

  /// Only a check that names a user fragment of ours gets any further than this.
  private func receiveFromUnknown(_ datagram: inout MutableSpan<UInt8>, _ path: IcePath, _ now: Instant) {
    guard PacketClass(datagram.span) == .stun, let fragment = Self.localFragment(datagram.span) else {
      statistics.unknownAddress &+= 1
      return
    }
    guard let index = fragments[fragment], let connection = connections[index] else {
      statistics.unknownFragment &+= 1
      return
    }
    if case .handled = connection.peer.receive(&datagram, path: path, now: now) { settle(connection) }
  }

  /// The part of USERNAME before the colon (RFC 8445 section 7.2.2): the fragment of who receives the check.
  private static func localFragment(_ datagram: Span<UInt8>) -> HeaderExtensionText? {
    guard let message = try? STUNMessage(parsing: datagram), let username = message.username else { return nil }
    var length = 0
    while length < username.count, username[length] != UInt8(ascii: ":") { length += 1 }
    guard length < username.count, length <= 16 else { return nil }
    return HeaderExtensionText(username, at: 0..<length)
  }
}
