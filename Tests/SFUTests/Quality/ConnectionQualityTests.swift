import Basics
import SFU
import Testing

@Suite("Connection quality")
struct ConnectionQualityTests {
  private func sample(
    loss: Double = 0, roundTrip: TimeSpan? = .milliseconds(30), jitter: TimeSpan = .milliseconds(2),
    silence: TimeSpan = .zero, share: Double = 1
  ) -> ConnectionQualityMeter.Sample {
    .init(loss: loss, roundTrip: roundTrip, jitter: jitter, silence: silence, share: share)
  }

  /// Whether each of these samples led to something that is told, and how the connection was judged then.
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
      sample(loss: 0.09), sample(roundTrip: .milliseconds(600)), sample(jitter: .milliseconds(130)), sample(share: 0.2),
    ]
    for sample in good { #expect(judgements([sample]) == [.good], "\(sample)") }
    for sample in poor { #expect(judgements([sample]) == [.poor], "\(sample)") }
    // What is not known yet is no reason to complain.
    #expect(judgements(Array(repeating: sample(roundTrip: nil), count: 3)) == [nil, nil, .excellent])
  }

  @Test("of a connection that is excellent from the beginning it is told once that it is")
  func firstJudgement() {
    let told = judgements(Array(repeating: sample(), count: 60))
    #expect(told[2] == .excellent)
    #expect(told.count { $0 != nil } == 1)
  }

  @Test("what becomes worse is told at once, also before the first judgement, and instead of it")
  func worseAtOnce() {
    let told = judgements(Array(repeating: sample(loss: 0.1), count: 10))
    #expect(told[0] == .poor)
    #expect(told.count { $0 != nil } == 1)
  }

  @Test("what becomes better is believed after three calm judgements, one step at a time")
  func betterInSteps() {
    let told = judgements([sample(loss: 0.1)] + Array(repeating: sample(), count: 6))
    #expect(told == [.poor, nil, nil, .good, nil, nil, .excellent])
  }

  @Test("who is not heard for 10 s is lost, and is back with the first packet")
  func lost() {
    let silences: [TimeSpan] = [.zero, .zero, .zero, .milliseconds(9_900), .seconds(10), .seconds(11), .zero]
    let told = judgements(silences.map { sample(silence: $0) })
    #expect(told == [nil, nil, .excellent, nil, .lost, nil, .excellent])
  }
}
