import Foundation
import Synchronization

/// The seeds of tests in virtual time. A simulation asks for its seed here:
///
/// ```swift
/// let seed = TestSeed.of(seed)
/// ```
///
/// and gets what the test says, or `TEST_SEED` where that is set. A suite with the trait `.tellsSeeds` prints the seeds
/// of a test with each of its failures. The same seed gives the same run, packet by packet:
///
///     TEST_SEED=5 Scripts/swift-test --filter SubscriberBandwidthTests
public enum TestSeed {
  /// The seed that takes the place of all others, from `TEST_SEED`.
  public static let chosen = ProcessInfo.processInfo.environment["TEST_SEED"].flatMap(UInt64.init)

  /// The seed to use where a test says `seed`. It is noted, so that a failure can name it.
  public static func of(_ seed: UInt64) -> UInt64 {
    let seed = chosen ?? seed
    notes?.add(seed)
    return seed
  }

  /// The seeds that the test under way has used; nil outside of suites that report them.
  @TaskLocal static var notes: SeedNotes?
}

/// The seeds of one run of one test.
final class SeedNotes: Sendable {
  private let seeds = Mutex<[UInt64]>([])

  func add(_ seed: UInt64) {
    seeds.withLock { if !$0.contains(seed) { $0.append(seed) } }
  }

  /// How to see the same run again; nil where nothing was random.
  var replay: String? {
    let seeds = seeds.withLock { $0 }
    guard let first = seeds.first else { return nil }
    if seeds.count == 1 { return "TEST_SEED=\(first) replays it." }
    let list = seeds.map { "\($0)" }.joined(separator: ", ")
    return
      "Its seeds are \(list): without TEST_SEED the same happens again, TEST_SEED=\(seeds[seeds.count - 1]) runs it "
      + "with the last of them."
  }
}
