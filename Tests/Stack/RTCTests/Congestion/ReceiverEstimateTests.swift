import Basics
import Testing

@testable import RTC

@Suite("Receiver estimates")
struct ReceiverEstimateTests {
  /// A sender of the streams 10 and 20, whose retransmissions are 11 and 21.
  private struct Bench {
    var estimator = SendSideBandwidthEstimator(
      configuration: .init(start: .kilobits(300), minimum: .kilobits(20), maximum: .kilobits(30_000)))
    var now = Instant.milliseconds(1_000)
    var sent: Set<UInt32> = [10, 11, 20, 21]

    init(expectsFeedback: Bool = false) { estimator.expectsFeedback = expectsFeedback }

    /// The target in kbit/s after the receiver estimated `kilobits` for `sources`.
    mutating func target(_ kilobits: Int64, _ sources: [UInt32], after milliseconds: Int64 = 100) throws -> Int64 {
      now = now + .milliseconds(milliseconds)
      var bytes = [UInt8](repeating: 0, count: 1_200)
      var writer = RTCPWriter()
      var span = bytes.mutableSpan
      let listed = sources.map { SSRC(rawValue: $0) }
      try writer.append(remb: .kilobits(kilobits), ssrcs: listed.span, sender: SSRC(rawValue: 1), into: &span)
      let report = Array(bytes[..<writer.length])
      var reader = RTCPReader()
      guard case .remb(let remb) = try reader.next(in: report.span) else { throw RTCPError.malformed }
      let sent = sent
      estimator.receive(remb, in: report.span, now: now) { sent.contains($0.rawValue) }
      return estimator.target.bitsPerSecond / 1_000
    }
  }

  @Test("one estimate that lists all streams is about the whole path")
  func listsAll() throws {
    var bench = Bench()
    #expect(try bench.target(800, [10, 20]) == 800)
    #expect(try bench.target(600, [10, 11, 20, 21]) == 600)
    #expect(try bench.target(700, [20, 10]) == 700)
  }

  @Test("estimates that list one stream each add up")
  func listsOne() throws {
    var bench = Bench()
    #expect(try bench.target(800, [10]) == 800)
    #expect(try bench.target(200, [20]) == 1_000)
    #expect(try bench.target(500, [10, 11]) == 700)
    #expect(try bench.target(300, [21]) == 1_000, "retransmissions are another stream until a list names both")
    #expect(try bench.target(300, [20, 21]) == 800)
  }

  @Test("an estimate replaces all former ones with which it shares a stream")
  func overlap() throws {
    var bench = Bench()
    _ = try bench.target(800, [10])
    _ = try bench.target(200, [20])
    #expect(try bench.target(400, [10, 20]) == 400)
    #expect(try bench.target(300, [20]) == 300, "the estimator has lost sight of the first stream")
  }

  @Test("an estimate without a list is about everything, until the next one with a list")
  func listsNone() throws {
    var bench = Bench()
    _ = try bench.target(800, [10])
    _ = try bench.target(200, [20])
    #expect(try bench.target(500, []) == 500)
    #expect(try bench.target(600, [10]) == 600)
  }

  @Test("an estimate of unknown streams counts as long as there is none of known ones")
  func unknown() throws {
    var bench = Bench()
    #expect(try bench.target(900, [77]) == 900)
    #expect(try bench.target(700, [0, 78]) == 700)
    #expect(try bench.target(400, [10, 77]) == 400)
    #expect(try bench.target(90, [77]) == 400)
    #expect(try bench.target(200, [20, 78]) == 600, "unknown ones in a list connect nothing")
    #expect(try bench.target(90, [77], after: 6_000) == 90)
  }

  @Test("the estimate of a stream ends with it, and five seconds after it was made")
  func ends() throws {
    var bench = Bench()
    _ = try bench.target(800, [10])
    #expect(try bench.target(200, [20], after: 4_900) == 1_000)
    #expect(try bench.target(300, [20], after: 200) == 300)
    #expect(try bench.target(800, [10]) == 1_100)
    bench.sent = [20, 21]
    #expect(try bench.target(250, [20]) == 250)
  }

  @Test("the last estimate holds however long no other follows")
  func lasts() throws {
    var bench = Bench()
    _ = try bench.target(400, [10])
    bench.now = bench.now + .seconds(60)
    bench.estimator.receive(received: 500, lost: 0, now: bench.now)
    #expect(bench.estimator.target <= .kilobits(400))
  }

  @Test("the largest estimates add up without a trap")
  func saturates() throws {
    var bench = Bench()
    for source in [UInt32(10), 20] { _ = try bench.target(.max / 1_000, [source]) }
    #expect(bench.estimator.target == .kilobits(30_000))
  }

  @Test("beside transport-wide feedback the sum of the estimates is an upper bound")
  func bound() throws {
    var bench = Bench(expectsFeedback: true)
    #expect(try bench.target(5_000, [10]) == 300, "what is measured does not rise by it")
    #expect(try bench.target(100, [10]) == 100)
    #expect(try bench.target(120, [20]) == 150, "what is measured stays near what was sent")
    #expect(bench.estimator.receiverBound == .kilobits(220))
  }

  @Test("an estimate from before transport-wide feedback was agreed on bounds nothing")
  func agreedLater() throws {
    var bench = Bench()
    #expect(try bench.target(50, [10]) == 50)
    bench.estimator.expectsFeedback = true
    #expect(bench.estimator.receiverBound == nil)
    #expect(try bench.target(40, [20]) == 40, "the former one is not a part of the sum")
  }
}
