import Basics
import RTC

extension MediaSession {
  /// This machine's addresses are now `sockets`: new ones are tried, lost ones given up.
  func updateAddresses(_ sockets: [PeerConnectionConfiguration.Socket], now: Instant) {
    guard sockets != self.sockets else { return }
    for socket in self.sockets where !sockets.contains(socket) { peer.removeSocket(socket, now: now) }
    for socket in sockets where !self.sockets.contains(socket) { peer.addSocket(socket, now: now) }
    self.sockets = sockets
    events.yield(.networkChanged)
  }
}
