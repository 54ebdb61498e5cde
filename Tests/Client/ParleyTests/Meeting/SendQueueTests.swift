import Signaling
import Testing

@testable import Parley

/// The queue of chat messages and signals, without a socket or a clock.
@MainActor @Suite struct SendQueueTests {
  private func chat(_ id: Int, _ text: String = "hello") -> SentChatMessage {
    SentChatMessage(id: id, text: text, recipient: nil)
  }

  private func signal(_ id: Int, waits: Bool = true) -> OutgoingSignal {
    OutgoingSignal(
      id: id, signal: Signal(type: "n", data: "12"), recipient: nil, waits: waits, settled: { _ in })
  }

  /// Sends everything, and returns the numbers in the order in which it goes out.
  private func drain(_ queue: inout SendQueue) -> [Int] {
    var ids: [Int] = []
    while let item = queue.next {
      ids.append(item.id)
      queue.markSent(item)
    }
    return ids
  }

  @Test("messages and signals go out in the order in which they were written")
  func order() {
    var queue = SendQueue()
    queue.add(signal(1))
    queue.add(chat(2))
    queue.add(chat(3, "four"))
    queue.add(signal(4))
    #expect(drain(&queue) == [1, 2, 3, 4])
    #expect(queue.load.count == 4 && queue.load.bytes == 2 + 5 + 4 + 2)
    #expect(queue.removeSignal(4)?.id == 4 && queue.removeSignal(4) == nil && queue.removeChat(2)?.id == 2)
    #expect(queue.load.count == 2)
  }

  @Test("a refused message goes out again before later ones, for half a minute")
  func refusals() {
    var queue = SendQueue()
    let now = Instant.milliseconds(50_000)
    queue.add(chat(1))
    queue.add(signal(2))
    queue.add(signal(3, waits: false))
    _ = drain(&queue)
    queue.add(chat(4))
    #expect(queue.withhold(1, now: now) && queue.withhold(2, now: now) && !queue.withhold(3, now: now))
    #expect(!queue.withhold(9, now: now) && queue.refusals(of: 1) == 1)
    #expect(
      !queue.rateLimiter.consume(now + .milliseconds(900)) && queue.rateLimiter.consume(now + .milliseconds(1_000)))
    #expect(drain(&queue) == [1, 2, 4])
    let more = (0..<30).map { _ in queue.withhold(1, now: now) }
    #expect(more == Array(repeating: true, count: 29) + [false])
  }

  @Test("after a lost socket chat is resent under its number; the end names the unsent")
  func loss() {
    var queue = SendQueue()
    for id in 1...3 { queue.add(chat(id, "\(id)")) }
    queue.add(signal(4))
    _ = drain(&queue)
    queue.resendChat()
    #expect(drain(&queue) == [1, 2, 3])
    // A history has it, under a number of another connection.
    queue.removeChat(text: "2", to: nil)
    queue.resendChat()
    if let item = queue.next { queue.markSent(item) }
    #expect(queue.endChat().map(\.id) == [3] && queue.chat.isEmpty && queue.next == nil)
  }
}
