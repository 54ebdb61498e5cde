import Basics
import RTC
import Transport

extension MediaCore {
  /// Most TCP connections of a worker, most of them without an authenticated check, and most of a participant.
  enum StreamLimit {
    static let streams = 4_096
    static let unproven = 256
    static let unprovenAge = TimeSpan.seconds(10)
    static let ofParticipant = 8
  }

  func accept(_ accepted: TCPListener.Accepted) {
    let handle = nextStreamHandle
    nextStreamHandle &+= 1
    // Small numbers are the UDP sockets'.
    if nextStreamHandle < 1_000 { nextStreamHandle = 1_000 }
    guard streams[handle] == nil else { return accepted.close() }
    if streams.count >= StreamLimit.streams {
      guard let evicted = unprovenStreams.evict() else { return accepted.close() }
      streams[evicted]?.connection?.close()
    }
    switch unprovenStreams.admit(handle, from: accepted.remote.ip, rank: 0) {
    case .refused: return accepted.close()
    case .admitted(let evicted): if let evicted { streams[evicted]?.connection?.close() }
    }
    let peer = TCPPeer(handle: handle, opened: loop.now)
    do throws(TransportError) {
      peer.connection = try TCPConnection(
        accepted, on: loop,
        onBytes: { [unowned self, unowned peer] bytes in self.receive(bytes, peer) },
        onClose: { [unowned self] _ in self.closed(handle) })
    } catch {
      unprovenStreams.remove(handle)
      accepted.close()
      return
    }
    streams[handle] = peer
  }

  /// An authenticated check has come over a connection.
  func proved(_ handle: UInt32, by owner: Int) {
    guard let peer = streams[handle], peer.owner != owner else { return }
    unprovenStreams.remove(handle)
    peer.owner = owner
    streamOwners.insert(owner)
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
    unprovenStreams.remove(handle)
    guard let peer = streams.removeValue(forKey: handle), let connection = peer.connection else { return }
    let path = IcePath(transport: .tcp, local: connection.local, remote: connection.remote, handle: handle)
    guard let index = addresses.find(path.remote, handle: handle), let owner = connections[index] else { return }
    addresses.remove(path.remote, handle: handle, value: index)
    owner.peer.pathClosed(path)
    settle(owner)
  }

  /// Closes connections over which nobody has proven anything for a while, and the oldest of participants who have
  /// proven too many. Not at once: its owner may be in the middle of a packet of it.
  func closeUnwantedStreams(_ now: Instant) {
    let stale = streams.values.filter { $0.owner == nil && now - $0.opened > StreamLimit.unprovenAge }
    for peer in stale { peer.connection?.close() }
    for owner in streamOwners {
      let own = streams.values.filter { $0.owner == owner }.sorted { ($0.opened, $0.handle) < ($1.opened, $1.handle) }
      for peer in own.dropLast(StreamLimit.ofParticipant) { peer.connection?.close() }
    }
    streamOwners = []
  }
}
