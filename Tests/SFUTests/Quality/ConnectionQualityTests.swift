import Basics
import SFU
import Testing

@Suite("Connection quality")
struct ConnectionQualityTests {
  private func sample(loss: Double = 0, silence: TimeSpan = .zero) -> ConnectionQualityMeter.Sample {
    .init(loss: loss, roundTrip: .milliseconds(30), jitter: .milliseconds(2), silence: silence)
  }

  @Test("of a connection that is excellent from the beginning it is told once that it is")
  func firstJudgement() {
    var meter = ConnectionQualityMeter()
    let told = (0..<60).map { _ in meter.update(sample()) }
    #expect(told.count { $0 } == 1)
    #expect(told[2])
    #expect(meter.quality == .excellent)
  }

  @Test("what becomes worse is told at once, also before the first judgement, and instead of it")
  func worseAtOnce() {
    var meter = ConnectionQualityMeter()
    #expect(meter.update(sample(loss: 0.1)))
    #expect(meter.quality == .poor)
    let told = (0..<10).map { _ in meter.update(sample(loss: 0.1)) }
    #expect(!told.contains(true))
  }

  @Test("what becomes better is believed after three calm judgements, one step at a time")
  func betterInSteps() {
    var meter = ConnectionQualityMeter()
    _ = meter.update(sample(loss: 0.1))
    var heard: [ConnectionQuality] = []
    for _ in 0..<6 where meter.update(sample()) { heard.append(meter.quality) }
    #expect(heard == [.good, .excellent])
  }

  @Test("who is not heard for 10 s is lost, and is back with the first packet")
  func lost() {
    var meter = ConnectionQualityMeter()
    for _ in 0..<3 { _ = meter.update(sample()) }
    #expect(!meter.update(sample(silence: .milliseconds(9_900))))
    #expect(meter.update(sample(silence: .seconds(10))))
    #expect(meter.quality == .lost)
    #expect(meter.update(sample()))
    #expect(meter.quality == .excellent)
  }
}
