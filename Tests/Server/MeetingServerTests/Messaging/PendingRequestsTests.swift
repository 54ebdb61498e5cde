import Messaging
import Testing

@testable import MeetingServer

/// The requests of sockets that are on their way to the disk, without a hub.
@Suite struct PendingRequestsTests {
  @Test("a socket with as many requests as it may waits; another one doesn't")
  func limit() {
    var pending = PendingRequests()
    for _ in 1..<MessagingLimits.pendingRequests { pending.begin(1) }
    #expect(!pending.isFull(1))
    pending.begin(1)
    pending.begin(2)
    #expect(pending.isFull(1) && !pending.isFull(2))
    pending.finish(2)
    #expect(pending.isFull(1))
    pending.finish(1)
    #expect(!pending.isFull(1))
  }

  @Test("a socket that waits goes on when one of its requests is done")
  func waiter() async {
    var pending = PendingRequests()
    for _ in 0..<MessagingLimits.pendingRequests { pending.begin(1) }
    await withCheckedContinuation { waiter in
      pending.wait(for: 1, waiter)
      pending.finish(1)
    }
    // A waiter that was resumed isn't resumed again.
    pending.finish(1)
    #expect(!pending.isFull(1))
  }

  @Test("a request that ends twice leaves no room for more")
  func twice() {
    var pending = PendingRequests()
    pending.finish(1)
    for _ in 0..<MessagingLimits.pendingRequests { pending.begin(1) }
    #expect(pending.isFull(1))
  }
}
