import RTC
import TestSeeds
import Testing

@Suite("Damaged session descriptions", .tellsSeeds)
struct SDPMutationTests {
  @Test("seeded damage gives an error or an answer, never a trap", arguments: [1, 2, 3, 4] as [UInt64])
  func mutations(seed: UInt64) throws {
    var rng = SeededRandom(seed: TestSeed.of(seed))
    var established = NegotiationHarness()
    _ = try established.answer(Offers.chromiumSlots)
    for offer in Offers.all {
      let original = Array(offer.text.utf8)
      for _ in 0..<25 {
        let bytes = rng.chance(0.5) ? rng.mutate(original) : rearranged(original, using: &rng)
        check(String(decoding: bytes, as: UTF8.self), after: established, seed: seed)
      }
    }
  }

  /// A copy with lines doubled, moved and cut, and with tokens put where they do not belong.
  private func rearranged(_ message: [UInt8], using rng: inout SeededRandom) -> [UInt8] {
    let tokens = ["a=", "m=", ":", " ", "/", "-1", "999999999999999999999", "~", ";", "a=mid:0", "a=group:BUNDLE 0 0"]
    var lines = message.split(separator: 0x0A).map { Array($0) }
    for _ in 0..<(1 + rng.below(6)) {
      let at = rng.below(lines.count)
      switch rng.below(4) {
      case 0: lines.insert(rng.pick(lines), at: at)
      case 1: lines.swapAt(at, rng.below(lines.count))
      case 2 where lines.count > 1: lines.remove(at: at)
      default: lines[at].insert(contentsOf: Array(rng.pick(tokens).utf8), at: rng.below(lines[at].count + 1))
      }
    }
    return Array(lines.joined(separator: [0x0A]))
  }

  private func check(_ text: String, after established: NegotiationHarness, seed: UInt64) {
    guard let description = try? SessionDescription(parsing: text) else { return }
    let again = try? SessionDescription(parsing: description.text)
    #expect(
      again?.text == description.text && again?.media == description.media,
      "seed \(seed): what was read is written the same")
    var fresh = NegotiationHarness()
    _ = try? fresh.answer(text)
    var later = established
    _ = try? later.answer(text)
  }
}
