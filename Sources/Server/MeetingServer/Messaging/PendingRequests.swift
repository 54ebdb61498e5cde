import Messaging

/// The requests of each socket that are on their way to the disk. A socket with many of them waits with its next one.
///
/// Sockets are known by their channel's id: those of full identities have no endpoint.
struct PendingRequests {
  private var counts: [UInt64: Int] = [:]
  private var waiters: [UInt64: [CheckedContinuation<Void, Never>]] = [:]

  /// Whether a socket has as many as it may.
  func isFull(_ channel: UInt64) -> Bool { counts[channel, default: 0] >= MessagingLimits.pendingRequests }

  /// Resumes `waiter` when a request of the socket is done. It has to look then whether there is room.
  mutating func wait(for channel: UInt64, _ waiter: CheckedContinuation<Void, Never>) {
    waiters[channel, default: []].append(waiter)
  }

  mutating func begin(_ channel: UInt64) { counts[channel, default: 0] += 1 }

  /// A request of a socket is done.
  mutating func finish(_ channel: UInt64) {
    let left = counts[channel, default: 1] - 1
    counts[channel] = left > 0 ? left : nil
    for waiter in waiters.removeValue(forKey: channel) ?? [] { waiter.resume() }
  }
}
