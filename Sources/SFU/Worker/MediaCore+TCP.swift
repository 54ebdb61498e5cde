import Basics
import RTC
import Transport

/// A TCP connection that carries ICE (RFC 6544), framed as RFC 4571 says.
final class TCPPeer {
  let handle: UInt32
  let opened: Instant
  var connection: TCPConnection?
  var stream: FramedStream? = FramedStream()
  /// Whether an authenticated check has come over it.
  var isProven = false

  init(handle: UInt32, opened: Instant) {
    self.handle = handle
    self.opened = opened
  }
}

extension MediaCore {
  /// Most TCP connections of a worker, and most of them without an authenticated check.
  private enum Limit {
    static let streams = 4_096
    static let unproven = 256
    static let unprovenAge = TimeSpan.seconds(10)
  }

  func accept(_ accepted: TCPListener.Accepted) {
    guard streams.count < Limit.streams, streams.values.count(where: { !$0.isProven }) < Limit.unproven else {
      accepted.close()
      return
    }
    let handle = nextStreamHandle
    nextStreamHandle &+= 1
    // Small numbers are the UDP sockets'.
    if nextStreamHandle < 1_000 { nextStreamHandle = 1_000 }
    guard streams[handle] == nil else { return accepted.close() }
    let peer = TCPPeer(handle: handle, opened: loop.now)
    do throws(TransportError) {
      peer.connection = try TCPConnection(
        accepted, on: loop,
        onBytes: { [unowned self, unowned peer] bytes in self.receive(bytes, peer) },
        onClose: { [unowned self] _ in self.closed(handle) })
    } catch {
      accepted.close()
      return
    }
    streams[handle] = peer
  }

  private func receive(_ bytes: Span<UInt8>, _ peer: TCPPeer) -> Bool {
    guard let connection = peer.connection, var stream = peer.stream.take() else { return false }
    let path = IcePath(
      transport: .tcp, local: connection.local, remote: connection.remote, handle: peer.handle)
    let now = loop.now
    var rest = bytes
    var isValid = true
    while isValid, !rest.isEmpty {
      let taken = stream.append(rest)
      rest = rest.extracting(droppingFirst: taken)
      do throws(FramedStreamError) {
        while let frame = try stream.nextFrame() {
          var packet = stream.bytes(of: frame)
          receive(&packet, path, now)
        }
      } catch {
        isValid = false
      }
      if taken == 0 { break }
    }
    peer.stream = consume stream
    return isValid
  }

  private func closed(_ handle: UInt32) {
    guard let peer = streams.removeValue(forKey: handle), let connection = peer.connection else { return }
    let path = IcePath(transport: .tcp, local: connection.local, remote: connection.remote, handle: handle)
    guard let index = addresses.find(path.remote, handle: handle), let owner = connections[index] else { return }
    addresses.remove(path.remote, handle: handle, value: index)
    owner.peer.pathClosed(path)
    settle(owner)
  }

  /// Connections over which nobody has proven anything are closed after a while.
  func closeUnprovenStreams(_ now: Instant) {
    let stale = streams.values.filter { !$0.isProven && now - $0.opened > Limit.unprovenAge }
    for peer in stale { peer.connection?.close() }
  }
}
