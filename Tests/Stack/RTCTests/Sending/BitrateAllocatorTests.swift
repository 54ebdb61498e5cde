import Basics
import Testing

@testable import RTC

@Suite("Bit rate allocation")
struct BitrateAllocatorTests {
  private func demand(_ mid: String, _ kind: MediaKind, _ parameters: EncodingParameters, paused: Bool = false)
    -> BitrateAllocator.Demand
  {
    .init(mid: MID(rawValue: mid), kind: kind, parameters: parameters, isPaused: paused)
  }

  private func simulcast(paused: Bool = false) -> [BitrateAllocator.Demand] {
    [demand("0", .audio, .audio)] + (0..<3).map { demand("1", .video, .layer($0, of: 3), paused: paused && $0 > 0) }
  }

  @Test("audio comes first, and its minimum is never taken")
  func audioFirst() {
    for kilobits in [Int64(1), 20, 60, 100, 500, 5_000] {
      let rates = BitrateAllocator.allocate(.kilobits(kilobits), retransmissions: .zero, simulcast())
      #expect(rates[0] >= 16_000 && rates[0] <= 48_000)
      if kilobits >= 100 { #expect(rates[0] == 48_000) }
      #expect(rates[1] >= BitrateAllocator.floor)
    }
  }

  // A layer that doesn't get its minimum is paused, and those above it.
  @Test("layers come from the lowest up; one below its minimum pauses the rest")
  func order() {
    var last = 0
    for kilobits in stride(from: Int64(50), through: 6_000, by: 10) {
      let rates = BitrateAllocator.allocate(.kilobits(kilobits), retransmissions: .zero, simulcast())
      let active = rates[1...].map { $0 > 0 }
      #expect(active == active.sorted { $0 && !$1 })
      let count = active.filter { $0 }.count
      #expect(count >= last)
      last = count
      for (index, rate) in rates[1...].enumerated() where rate > 0 && index > 0 {
        #expect(rate >= EncodingParameters.layer(index, of: 3).minimumBitrate.bitsPerSecond)
      }
    }
    #expect(last == 3)
  }

  @Test("a layer comes back only when there is clearly more than its minimum")
  func hysteresis() {
    let running = simulcast()
    let paused = simulcast(paused: true)
    var stays = 0
    var returns = 0
    for kilobits in stride(from: Int64(50), through: 2_000, by: 1) {
      let a = BitrateAllocator.allocate(.kilobits(kilobits), retransmissions: .zero, running)[2]
      let b = BitrateAllocator.allocate(.kilobits(kilobits), retransmissions: .zero, paused)[2]
      if a > 0, stays == 0 { stays = Int(kilobits) }
      if b > 0, returns == 0 { returns = Int(kilobits) }
    }
    #expect(returns > stays + 10)
  }

  @Test("two videos share by priority, and what one does not need goes to the other")
  func priorities() {
    var first = EncodingParameters.video(width: 1_280, height: 720)
    first.priority = 2
    let second = EncodingParameters.video(width: 1_280, height: 720)
    var rates = BitrateAllocator.allocate(
      .kilobits(1_500), retransmissions: .zero, [demand("1", .video, first), demand("2", .video, second)])
    #expect(abs(rates[0] - 2 * rates[1]) < 10)
    first.maximumBitrate = .kilobits(100)
    rates = BitrateAllocator.allocate(
      .kilobits(1_500), retransmissions: .zero, [demand("1", .video, first), demand("2", .video, second)])
    #expect(rates[0] == 100_000 && rates[1] > 1_300_000)
    first.isActive = false
    rates = BitrateAllocator.allocate(
      .kilobits(1_500), retransmissions: .zero, [demand("1", .video, first), demand("2", .video, second)])
    #expect(rates[0] == 0)
  }

  // It grows when there is clearly more for a while.
  @Test("video with too few bits shrinks at once, and grows only when calm")
  func ladder() {
    let parameters = EncodingParameters.video(width: 1_280, height: 720)
    var ladder = QualityLadder()
    func choose(_ kilobits: Int64, _ seconds: Int64) -> Double {
      ladder.choose(bitrate: .kilobits(kilobits), parameters: parameters, now: .milliseconds(seconds * 1_000)).scaleDown
    }
    #expect(choose(2_000, 0) == 1)
    #expect(choose(300, 1) == 2)
    #expect(choose(2_000, 3) == 2)
    #expect(choose(2_000, 7) == 1)
    // A rate that swings about a limit changes nothing.
    let need = Int64(QualityLadder.need(0, parameters) / 1_000)
    for second in Int64(8)..<60 { #expect(choose(second % 2 == 0 ? need * 85 / 100 : need * 115 / 100, second) == 1) }
    #expect(choose(20, 61) == 4)
    let slow = ladder.choose(bitrate: .kilobits(15), parameters: parameters, now: .milliseconds(62_000))
    #expect(slow.framerate == 15)
  }
}
