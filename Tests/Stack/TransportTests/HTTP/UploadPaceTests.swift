import Basics
import Testing

@testable import Transport

@Suite("The pace at which a body has to come")
struct UploadPaceTests {
  private static let rate = 16 << 10
  private static let window = TimeSpan.seconds(30)

  /// When a body is given up whose bytes come at these times; nil when it is whole before.
  private func end(_ pieces: [(second: Double, bytes: Int)]) -> Double? {
    var pace = UploadPace(rate: Self.rate, window: Self.window, now: .zero)
    for piece in pieces {
      let now = Instant.milliseconds(Int64(piece.second * 1_000))
      if now > pace.deadline { break }
      pace.take(piece.bytes, now: now)
      if piece.second == pieces.last?.second { return nil }
    }
    return (pace.deadline - Instant.zero).seconds
  }

  @Test("a body that comes at the rate, or faster, is taken, in pieces of any size")
  func enough() {
    for (step, factor) in [(0.01, 1.01), (1.0, 1.01), (10.0, 1.01), (0.5, 40.0)] {
      let pieces: [(second: Double, bytes: Int)] = (1...2_000).map {
        (Double($0) * step, Int(Double(Self.rate) * step * factor))
      }
      #expect(end(pieces) == nil, "\(step) s, \(factor) times")
    }
  }

  @Test("threat 42: a byte now and then holds nothing for longer than a window")
  func dripping() throws {
    for step in [0.02, 1, 20] {
      let last = try #require(end((1...10_000).map { (Double($0) * step, 1) }))
      #expect(last >= 30 && last < 31, "\(step)")
    }
    #expect(end([(0.1, 1), (40, 1), (50, 1)]).map { $0 < 31 } == true)
  }

  @Test("threat 42: what came fast at first buys no more than one window of nothing")
  func burstAndSilence() throws {
    let fast: [(second: Double, bytes: Int)] = (1...100).map { (Double($0) * 0.1, 1 << 20) }
    let last = try #require(end(fast + (1...1_000).map { (10 + Double($0), 1) }))
    #expect(last >= 40 && last < 41, "\(last)")
  }

  @Test("half of the rate is too slow, if it goes on for two windows")
  func half() throws {
    let last = try #require(end((1...10_000).map { (Double($0) * 0.1, Self.rate / 20) }))
    #expect(last >= 59 && last <= 61, "\(last)")
  }

  @Test("time in which this end does not read is not the client's")
  func pausing() {
    var pace = UploadPace(rate: Self.rate, window: Self.window, now: .zero)
    pace.take(1, now: .milliseconds(10_000))
    pace.pause(now: .milliseconds(10_000))
    pace.pause(now: .milliseconds(20_000))
    pace.resume(now: .milliseconds(100_000))
    let left = (pace.deadline - Instant.milliseconds(100_000)).seconds
    #expect(left >= 20 && left < 20.1, "\(left)")
    pace.resume(now: .milliseconds(110_000))
    #expect((pace.deadline - Instant.milliseconds(100_000)).seconds == left)
  }
}
