import Testing

@testable import SFU

@Suite("Output batch")
struct OutputBatchTests {
  @Test("equal sizes form one run, a shorter packet ends it, a longer one begins the next")
  func runs() {
    let batch = OutputBatch()
    for length in [1_134, 1_134, 1_134, 900, 900, 1_200] { batch.commit(length: length) }
    let shapes = batch.runs.map { [$0.segment, $0.count, $0.length] }
    #expect(shapes == [[1_134, 4, 1_134 * 3 + 900], [900, 1, 900], [1_200, 1, 1_200]])
    #expect(batch.runs.map(\.offset) == [0, 1_134 * 3 + 900, 1_134 * 3 + 1_800])
  }

  @Test("a run never exceeds what one send takes: 64 packets and 65,000 bytes")
  func limits() {
    let small = OutputBatch()
    for _ in 0..<130 { small.commit(length: 100) }
    #expect(small.runs.map(\.count) == [64, 64, 2])
    let large = OutputBatch()
    for _ in 0..<60 { large.commit(length: 1_400) }
    #expect(large.runs.allSatisfy { $0.length <= OutputBatch.maximumRunBytes })
    #expect(large.runs.map(\.count).reduce(0, +) == 60)
  }

  @Test("a batch is full before its runs are, and empty after it was sent")
  func fullOfRuns() {
    let batch = OutputBatch()
    for round in 0..<2 {
      var length = 100
      // Each is longer than the one before, so that each begins a run.
      while !batch.isFull {
        batch.commit(length: length)
        length += 1
      }
      #expect(batch.runs.count == batch.packets, "round \(round)")
      #expect(batch.runs.count < OutputBatch.maximumRuns)
      #expect(batch.runs.last?.length == length - 1)
      batch.removeAll()
      #expect(batch.runs.isEmpty)
      #expect(batch.openSegment == 0)
    }
  }
}
