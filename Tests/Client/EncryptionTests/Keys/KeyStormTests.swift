import Foundation
import TestSeeds
import Testing

@testable import Encryption

/// Races of joins, leaves, removals, new keys and lost messages (threats 30 and 47). `STORM_SEEDS` is how many storms
/// of each kind there are.
@Suite("Storms of keys", .tellsSeeds)
struct KeyStormTests {
  private static let wanted = ProcessInfo.processInfo.environment["STORM_SEEDS"].flatMap(UInt64.init)
  private static let small = 1...(wanted ?? 60)
  private static let large = 1...(wanted ?? 2)

  /// A storm of so many steps of 10 ms, and the calm after it.
  private func outlast(_ weather: KeyStorm.Weather, seed: UInt64, people: Int, steps: Int) throws {
    let storm = try KeyStorm(seed: TestSeed.of(seed), people: people, weather: weather)
    for _ in 0..<people { try storm.join() }
    try storm.run(steps: steps, actions: true)
    try storm.calmDown()
    // A question after a second, then every two: the last may have come too early for an answer.
    try storm.run(steps: 1_500, actions: false)
    let present = storm.present
    #expect(Set(present.map(\.keys.safetyCode)).count == 1)
    #expect(present.allSatisfy { $0.keys.members.count == present.count - 1 })
    var missing: [String] = []
    let sent = present.compactMap { client in storm.send(client).map { (client.id, $0) } }
    try storm.run(steps: 10, actions: false)
    for (sender, number) in sent {
      for client in present where client.id != sender && !client.opened.contains(number) {
        missing.append("\(client.id) lacks \(sender)'s key")
      }
    }
    #expect(missing.isEmpty)
    #expect(present.allSatisfy { $0.keys.waitingFor.isEmpty })
    #expect(storm.violations.isEmpty)
  }

  @Test("bad input 9: no wrong key is used, the gone are shut out, all open all after it", arguments: small)
  func races(seed: UInt64) throws {
    try outlast(seed % 2 == 0 ? .slow : .wild, seed: seed, people: 2 + Int(seed % 6), steps: 2_000)
  }

  @Test("the same with 30 people", arguments: large)
  func crowds(seed: UInt64) throws {
    try outlast(seed % 2 == 0 ? .slow : .wild, seed: seed &+ 1_000, people: 30, steps: 1_500)
  }
}
