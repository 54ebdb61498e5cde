import Basics
import TestSeeds
import Testing

@testable import SFU

@Suite("Deadline heap", .tellsSeeds)
struct DeadlineHeapTests {
  @Test("the earliest deadline is first, whatever was set, moved and removed before")
  func order() {
    var random = SeededGenerator(TestSeed.of(3))
    var heap = DeadlineHeap()
    var model: [Int: Int64] = [:]
    for _ in 0..<5_000 {
      let id = Int.random(in: 0..<60, using: &random)
      if Int.random(in: 0..<4, using: &random) == 0 {
        heap.set(.distantFuture, for: id)
        model[id] = nil
      } else {
        let deadline = Int64.random(in: 0..<1_000, using: &random)
        heap.set(Instant(nanoseconds: deadline), for: id)
        model[id] = deadline
      }
      #expect(heap.earliest == model.values.min().map { Instant(nanoseconds: $0) } ?? .distantFuture)
      if Int.random(in: 0..<3, using: &random) == 0 {
        let now = Instant(nanoseconds: Int64.random(in: 0..<300, using: &random))
        if let id = heap.popDue(now: now) {
          #expect(model[id] == model.values.min())
          #expect((model[id] ?? .max) <= now.nanoseconds)
          model[id] = nil
        } else {
          #expect(model.values.allSatisfy { $0 > now.nanoseconds })
        }
      }
    }
  }
}
