import Basics
import RTC

extension MediaSession {
  /// This machine's addresses are now `sockets`. Another path is looked for when that in use is lost with its address.
  func updateAddresses(_ sockets: [PeerConnectionConfiguration.Socket], now: Instant) {
    guard sockets != self.sockets else { return }
    let path = peer.selectedPath
    for socket in self.sockets where !sockets.contains(socket) { peer.removeSocket(socket, now: now) }
    for socket in sockets where !self.sockets.contains(socket) { peer.addSocket(socket, now: now) }
    self.sockets = sockets
    // A container's bridge or a rotating IPv6 address comes and goes without touching what is in use.
    let isKept = path.map { path in sockets.contains { $0.address.ip == path.local.ip } } ?? false
    if !isKept { events.yield(.networkChanged) }
  }
}
