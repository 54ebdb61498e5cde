import Testing

@Suite("Seeded randomness for tests")
struct SeededRandomTests {
  @Test("the same seed gives the same mutations, and mutations do change messages")
  func repeats() {
    var a = SeededRandom(seed: 7)
    var b = SeededRandom(seed: 7)
    let message = [UInt8](0..<64)
    var changed = 0
    for _ in 0..<1_000 {
      let mutated = a.mutate(message)
      #expect(mutated == b.mutate(message))
      if mutated != message { changed += 1 }
    }
    #expect(changed > 900)
  }

  @Test("chance(0.1) is true in about a tenth of the calls")
  func chance() {
    var random = SeededRandom(seed: 1)
    let hits = (0..<10_000).filter { _ in random.chance(0.1) }.count
    #expect((850...1_150).contains(hits))
  }
}
