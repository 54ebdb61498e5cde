import Basics
import NetworkEmulator
import TestSeeds
import Testing

@testable import RTC

/// The whole sender over an emulated path in virtual time. The figures are printed for docs/benchmarks/networks.md.
@Suite("Bandwidth estimation over bottlenecks, draft-ietf-rmcat-gcc-02", .tellsSeeds)
struct ConvergenceTests {
  /// One 720p video whose encoder follows the target.
  private func flow(
    _ simulation: SendingSimulation, start: Instant = .zero, feedback: Bool = true, ssrc: UInt32 = 2_000
  ) throws -> SendingSimulation.Flow {
    let flow = try simulation.add([TestMedia.video(ssrc: ssrc)], start: start, feedback: feedback)
    flow.sender.setParameters(
      EncodingParameters(
        minimumBitrate: .kilobits(50), maximumBitrate: .kilobits(6_000), width: 1_280, height: 720, framerate: 30),
      mid: TestMedia.videoMID)
    return flow
  }

  private func link(_ kilobits: Int64?, loss: LossModel = .none, delay: Int64 = 25) -> LinkConditions {
    LinkConditions(
      loss: loss, delay: .milliseconds(delay), capacity: kilobits.map { .kilobits($0) },
      queue: .time(.milliseconds(400)))
  }

  /// The first tenth of a second from which on the target stays within the bounds for a second.
  private func settled(_ flow: SendingSimulation.Flow, in range: ClosedRange<Int>, from start: Int = 0) -> Double? {
    guard flow.targets.count > start + 10 else { return nil }
    for index in start..<(flow.targets.count - 10)
    where (0..<10).allSatisfy({ range.contains(Int(flow.targets[index + $0] / 1_000)) }) {
      return Double(index - start) / 10
    }
    return nil
  }

  private func p95(_ simulation: SendingSimulation, from: Int = 0) -> Int64 {
    let delays = simulation.forward.statistics.queueingDelays.dropFirst(from).sorted()
    return delays.isEmpty ? 0 : delays[delays.count * 95 / 100].milliseconds
  }

  @Test(
    "finds 300 kb/s, 1 Mb/s and 5 Mb/s, uses most, and leaves no standing queue", arguments: [300, 1_000, 5_000])
  func converges(_ kilobits: Int) throws {
    let simulation = SendingSimulation(link(Int64(kilobits)), seed: 11)
    let flow = try flow(simulation)
    simulation.run(.seconds(10))
    let passed = simulation.forward.statistics.queueingDelays.count
    simulation.run(.seconds(30))
    let rate = flow.rate(10..<40)
    let time = settled(flow, in: (kilobits * 60 / 100)...(kilobits * 110 / 100))
    let delay = p95(simulation, from: passed)
    print(
      "FIGURE bottleneck \(kilobits): settled \(time ?? -1) s, sent \(rate) kb/s, p95 queue \(delay) ms, "
        + "p95 from start \(p95(simulation)) ms, dropped \(simulation.forward.statistics.dropped)")
    #expect((time ?? 100) <= (kilobits == 5_000 ? 10 : 3), "\(String(describing: time))")
    #expect(rate >= kilobits * 70 / 100 && rate <= kilobits)
    #expect(delay <= 120)
  }

  @Test("an open path is found by probing: 2 Mb/s in less than two seconds")
  func startsFast() throws {
    let simulation = SendingSimulation(link(nil), seed: 12)
    let flow = try flow(simulation)
    simulation.run(.seconds(5))
    let first = flow.targets.firstIndex { $0 >= 2_000_000 }.map { Double($0) / 10 }
    print("FIGURE open path: 2 Mb/s after \(first ?? -1) s, after 5 s \(flow.target(at: 4.9)) kb/s")
    #expect((first ?? 100) < 2)
  }

  @Test("a fall from 2 to 0.5 Mb/s is followed within 2 s, and recovered from")
  func dropAndRecovery() throws {
    let simulation = SendingSimulation(link(2_000), seed: 13)
    let flow = try flow(simulation)
    simulation.run(.seconds(20))
    simulation.forward.change(capacity: .kilobits(500), now: simulation.now)
    simulation.run(.seconds(20))
    let down = flow.targets[200...].firstIndex { $0 <= 550_000 }.map { Double($0 - 200) / 10 }
    let low = flow.rate(25..<40)
    simulation.forward.change(capacity: .kilobits(2_000), now: simulation.now)
    simulation.run(.seconds(30))
    let up = flow.targets[400...].firstIndex { $0 >= 1_400_000 }.map { Double($0 - 400) / 10 }
    print(
      "FIGURE 2 to 0.5 Mb/s: below 0.55 after \(down ?? -1) s, then \(low) kb/s; back above 1.4 after \(up ?? -1) s")
    #expect((down ?? 100) <= 2)
    #expect((350...500).contains(low))
    #expect((up ?? 100) <= 15)
  }

  @Test("random loss of 2, 5 and 10 % does not starve a flow", arguments: [2, 5, 10])
  func loss(_ percent: Int) throws {
    let simulation = SendingSimulation(link(2_000, loss: .random(Double(percent) / 100)), seed: 14)
    let flow = try flow(simulation)
    simulation.run(.seconds(40))
    let rate = flow.rate(20..<40)
    print(
      "FIGURE loss \(percent) %: \(rate) kb/s of 2000, target \(flow.target(at: 39.9)), missing for good "
        + "\(flow.receiver.missing(SSRC(rawValue: 2_000))), p95 queue \(p95(simulation)) ms")
    #expect(rate >= (percent == 10 ? 700 : 1_100), "\(rate)")
  }

  @Test("two flows share a bottleneck roughly evenly")
  func fairness() throws {
    let simulation = SendingSimulation(link(2_000), seed: 15)
    let first = try flow(simulation)
    let second = try flow(simulation, start: .milliseconds(10_000), ssrc: 4_000)
    simulation.run(.seconds(70))
    let rates = [first.rate(40..<70), second.rate(40..<70)]
    print("FIGURE two flows: \(rates) kb/s of 2000, p95 queue \(p95(simulation)) ms")
    #expect(rates.reduce(0, +) >= 1_300)
    #expect((rates.min() ?? 0) * 3 >= (rates.max() ?? 0), "\(rates)")
  }

  @Test("without feedback the rate backs off, and comes back with it")
  func missingFeedback() throws {
    let simulation = SendingSimulation(link(2_000), seed: 16)
    let flow = try flow(simulation)
    simulation.run(.seconds(10))
    let before = flow.target(at: 9.9)
    flow.receiver.reportsFeedback = false
    simulation.run(.seconds(5))
    let without = flow.target(at: 14.9)
    flow.receiver.reportsFeedback = true
    simulation.run(.seconds(15))
    print("FIGURE feedback lost: \(before) to \(without) kb/s in 5 s, then \(flow.target(at: 29.9)) kb/s 15 s later")
    #expect(without * 5 < before)
    #expect(flow.target(at: 29.9) * 2 > before)
  }

  @Test("bursty loss and a path with jitter keep the flow alive")
  func burstyLossAndJitter() throws {
    var conditions = link(2_000, loss: .bursty(0.03, length: 4))
    conditions.jitter = .milliseconds(15)
    let simulation = SendingSimulation(conditions, seed: 17)
    let flow = try flow(simulation)
    simulation.run(.seconds(40))
    print("FIGURE 3 % bursty loss, 15 ms jitter: \(flow.rate(20..<40)) kb/s of 2000, p95 queue \(p95(simulation)) ms")
    #expect(flow.rate(20..<40) >= 800)
  }
}
