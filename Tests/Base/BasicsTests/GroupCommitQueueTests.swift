import Basics
import Testing

@Suite("Group commits")
struct GroupCommitQueueTests {
  @Test("everything that is added during one commit shares the next one")
  func groups() {
    var queue = GroupCommitQueue<String, Int>()
    #expect(queue.beginGroup().isEmpty && queue.endGroup() == nil)
    #expect(queue.append("a") == 1)
    #expect(queue.beginGroup() == ["a"])
    #expect(queue.append("b") == 2)
    #expect(queue.append("c") == 3)
    #expect(queue.endGroup() == 1...1)
    #expect(queue.settled == 1 && queue.pending == ["b", "c"])
    #expect(queue.beginGroup() == ["b", "c"] && queue.taken == 3)
    #expect(queue.endGroup() == 2...3)
    #expect(queue.settled == queue.added && queue.endGroup() == nil)
    for text in ["d", "e", "f"] { queue.append(text) }
    #expect(queue.beginGroup(atMost: 2) == ["d", "e"] && queue.endGroup() == 4...5)
    #expect(queue.beginGroup(atMost: 2) == ["f"] && queue.endGroup() == 6...6)
  }

  @Test("each waiter is released once, by the group of its position and no earlier one")
  func waiters() {
    var queue = GroupCommitQueue<String, Int>()
    for text in ["a", "b"] { queue.wait(for: queue.append(text), text == "a" ? 10 : 20) }
    _ = queue.beginGroup()
    queue.wait(for: queue.append("c"), 30)
    queue.wait(for: 1, 11)
    queue.endGroup()
    #expect(queue.releaseWaiters(through: queue.taken) == [10, 20, 11])
    #expect(queue.releaseWaiters(through: queue.taken).isEmpty)
    // A writer that has to try again lets nobody wait, not even for what it hasn't taken yet.
    #expect(queue.releaseWaiters(through: .max) == [30])
  }

  @Test("a group that is written in a second try is settled with what came between")
  func retries() {
    var queue = GroupCommitQueue<String, Int>()
    queue.append("a")
    var group = queue.beginGroup()
    queue.append("b")
    group += queue.beginGroup()
    #expect(group == ["a", "b"])
    #expect(queue.endGroup() == 1...2)
  }

  @Test("a value that is queued again goes first and has no position")
  func requeued() {
    var queue = GroupCommitQueue<String, Int>()
    queue.append("a")
    let group = queue.beginGroup()
    queue.append("b")
    queue.requeue(group)
    #expect(queue.added == 2)
    #expect(queue.beginGroup() == ["a", "b"])
    #expect(queue.endGroup() == 1...2)
  }
}
