import Basics
import Testing

@testable import SFU

@Suite("Connection quality")
struct ConnectionQualityTests {
  private func sample(
    loss: Double = 0, roundTrip: TimeSpan? = .milliseconds(30), jitter: TimeSpan = .milliseconds(2),
    silence: TimeSpan = .zero, isBusy: Bool = false, share: Double = 1
  ) -> ConnectionQualityMeter.Sample {
    .init(loss: loss, roundTrip: roundTrip, jitter: jitter, silence: silence, isBusy: isBusy, share: share)
  }

  /// Whether each of these samples led to a report, and how the connection was judged then.
  private func judgements(_ samples: [ConnectionQualityMeter.Sample]) -> [ConnectionQuality?] {
    var meter = ConnectionQualityMeter()
    return samples.map { meter.update($0) ? meter.quality : nil }
  }

  @Test("loss, delay, jitter and what arrives of what was asked for count, each by itself")
  func measures() {
    let good = [
      sample(loss: 0.03), sample(roundTrip: .milliseconds(300)), sample(jitter: .milliseconds(60)), sample(share: 0.7),
    ]
    let poor = [
      sample(loss: 0.09), sample(roundTrip: .milliseconds(600)), sample(jitter: .milliseconds(130)),
      sample(share: 0.19),
    ]
    for sample in good { #expect(judgements([sample]) == [.good], "\(sample)") }
    for sample in poor { #expect(judgements([sample]) == [.poor], "\(sample)") }
    // An unknown value isn't a reason to complain.
    #expect(judgements(Array(repeating: sample(roundTrip: nil), count: 3)) == [nil, nil, .excellent])
  }

  @Test("a connection that is excellent from the start is reported once")
  func firstJudgement() {
    let told = judgements(Array(repeating: sample(), count: 60))
    #expect(told[2] == .excellent)
    #expect(told.count { $0 != nil } == 1)
  }

  @Test("a worse quality is reported at once, also before the first judgement")
  func worseAtOnce() {
    let told = judgements(Array(repeating: sample(loss: 0.1), count: 10))
    #expect(told[0] == .poor)
    #expect(told.count { $0 != nil } == 1)
  }

  @Test("a better quality is believed after three calm judgements, a step at a time")
  func betterInSteps() {
    let told = judgements([sample(loss: 0.1)] + Array(repeating: sample(), count: 6))
    #expect(told == [.poor, nil, nil, .good, nil, nil, .excellent])
  }

  @Test("a measurement near a bound keeps the worse quality, until a fifth below it")
  func hovering() {
    let (above, below, well) = (sample(loss: 0.085), sample(loss: 0.075), sample(loss: 0.06))
    let hovering = (0..<20).flatMap { _ in [above, below, below, below, below] }
    #expect(judgements(hovering).compactMap { $0 } == [.poor])
    #expect(judgements([above] + Array(repeating: well, count: 10)).compactMap { $0 } == [.poor, .good])
  }

  @Test("one packet of few is no loss, a second's burst is small, and lateness is none")
  func averages() {
    var few = LossAverage()
    few.add(expected: 3, lost: 1)
    #expect(few.share == 0)
    var burst = LossAverage()
    for _ in 0..<10 { burst.add(expected: 50, lost: 0) }
    burst.add(expected: 50, lost: 10)
    #expect((0.07...0.09).contains(burst.share), "\(burst.share)")
    burst.add(expected: 50, lost: 10)
    #expect(burst.share > 0.12)
    burst.add(expected: 50, lost: -20)
    #expect(burst.share < 0.02)
  }

  @Test("expected media is lost after 4 s of silence, a silent participant after 10 s")
  func lostWhenBusy() {
    let silences: [TimeSpan] = [.zero, .zero, .zero, .milliseconds(3_900), .seconds(4), .seconds(5), .zero]
    #expect(judgements(silences.map { sample(silence: $0, isBusy: true) })[4] == .lost)
    #expect(judgements(silences.map { sample(silence: $0) }).compactMap { $0 } == [.excellent])
  }

  @Test("less than was asked for counts when it has lasted five seconds")
  func undelivered() {
    var undelivered = UndeliveredShare()
    let shares = (0..<8).map { undelivered.lasting(0.1, now: .milliseconds(1_000 + $0 * 1_000)) }
    #expect(shares == [1, 1, 1, 1, 1, 0.1, 0.1, 0.1])
    #expect(undelivered.lasting(1, now: .milliseconds(9_000)) == 1)
    #expect(undelivered.lasting(0.1, now: .milliseconds(10_000)) == 1)
  }

  @Test("a participant unheard for 10 s is lost, and is back with the first packet")
  func lost() {
    let silences: [TimeSpan] = [.zero, .zero, .zero, .milliseconds(9_900), .seconds(10), .seconds(11), .zero]
    let told = judgements(silences.map { sample(silence: $0) })
    #expect(told == [nil, nil, .excellent, nil, .lost, nil, .excellent])
  }
}
