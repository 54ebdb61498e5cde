import Basics
import Testing

@testable import SFU

@Suite("Division of a receiver's bandwidth")
struct BitrateAllocationTests {
  /// Options of 100, 300 and 1,000 kb/s for each request.
  private func divide(
    _ kilobits: Int64, _ priorities: [SubscriptionPriority], current: [Int?]? = nil, mayRaise: Bool = true,
    mayReturn: Bool = true, mayPause: Bool = true, isPatient: Bool = false, keepsFirst: Bool = false,
    reserve: Double = 0
  ) -> [Int?] {
    var options: ContiguousArray<LayerOption> = []
    var requests: ContiguousArray<BitrateAllocation.Request> = []
    for (index, priority) in priorities.enumerated() {
      let start = options.count
      for (spatial, rate) in [Int64(100), 300, 1_000].enumerated() {
        options.append(LayerOption(index: LayerIndex(spatial: UInt8(spatial), temporal: 0), rate: .kilobits(rate)))
      }
      let now = current?[index]
      var request = BitrateAllocation.Request(
        priority: priority, options: start..<(start + 3), current: now.map { start + $0 }, mayRaise: mayRaise)
      request.mayReturn = mayReturn
      request.mayPause = !isPatient
      requests.append(request)
    }
    let total = BitrateAllocation(
      budget: .kilobits(kilobits), reserve: reserve, mayPause: mayPause, keepsFirst: keepsFirst
    )
    .allocate(&requests, options)
    let spent = requests.compactMap(\.result).reduce(Int64(0)) { $0 + options[$1].rate.bitsPerSecond }
    #expect(total.bitsPerSecond == spent)
    var results = [Int?](repeating: nil, count: priorities.count)
    for request in requests {
      results[request.options.lowerBound / 3] = request.result.map { $0 - request.options.lowerBound }
    }
    return results
  }

  @Test("everybody is seen before anybody is seen well; the important are raised first")
  func order() {
    let priorities: [SubscriptionPriority] = [
      .init(.tile, area: 100), .init(.activeSpeaker), .init(.screenShare), .init(.pinned),
    ]
    #expect(divide(400, priorities) == [0, 0, 0, 0])
    #expect(divide(300, priorities) == [nil, 0, 0, 0])
    #expect(divide(100, priorities) == [nil, nil, 0, nil])
    #expect(divide(1_300, priorities) == [0, 0, 2, 0])
    #expect(divide(1_500, priorities) == [0, 0, 2, 1])
    #expect(divide(4_000, priorities) == [2, 2, 2, 2])
  }

  @Test("tiles are raised in turns, the larger ones first")
  func turns() {
    let priorities: [SubscriptionPriority] = [.init(.tile, area: 10), .init(.tile, area: 30), .init(.tile, area: 20)]
    #expect(divide(500, priorities) == [0, 1, 0])
    #expect(divide(900, priorities) == [1, 1, 1])
    #expect(divide(1_600, priorities) == [1, 2, 1])
  }

  @Test("forwarded layers may use the whole budget; new ones must leave the reserve")
  func reserve() {
    let tile = [SubscriptionPriority(.tile)]
    #expect(divide(300, tile, current: [1], reserve: 0.12) == [1])
    #expect(divide(300, tile, current: [0], reserve: 0.12) == [0])
    #expect(divide(350, tile, current: [0], reserve: 0.12) == [1])
    #expect(divide(350, tile, current: [0], mayRaise: false, reserve: 0.12) == [0])
    #expect(divide(299, tile, current: [1], mayRaise: false) == [0])
  }

  @Test("the most important video goes on when the estimate is of what arrives")
  func keepsFirst() {
    let tiles = [SubscriptionPriority(.tile), SubscriptionPriority(.pinned)]
    #expect(divide(50, tiles, keepsFirst: true) == [nil, 0])
    #expect(divide(50, tiles) == [nil, nil])
  }

  @Test("forwarded layers outlast a short lack, but make room at once for higher ranks")
  func displaced() {
    let priorities: [SubscriptionPriority] = [.init(.tile), .init(.screenShare), .init(.tile)]
    #expect(divide(150, priorities, current: [0, 0, nil], isPatient: true) == [0, 0, nil])
    #expect(divide(150, priorities, current: [0, nil, nil], isPatient: true) == [nil, 0, nil])
    #expect(divide(250, priorities, current: [0, nil, 0], isPatient: true) == [0, 0, nil])
  }

  @Test("of pictures that are worth the same, none has to go for another")
  func equals() {
    let tiles = [SubscriptionPriority(.tile), SubscriptionPriority(.tile)]
    #expect(divide(150, tiles, current: [nil, 0], isPatient: true) == [nil, 0])
    #expect(divide(250, tiles, current: [nil, 0]) == [0, 0])
  }

  @Test("while nothing is known of the path, the lowest layers are sent at any budget")
  func unknown() {
    #expect(divide(50, [SubscriptionPriority(.tile), SubscriptionPriority(.tile)], mayPause: false) == [0, 0])
    #expect(divide(50, [SubscriptionPriority(.tile), SubscriptionPriority(.tile)]) == [nil, nil])
  }

  @Test("a layer that may not be raised yet returns from a pause at its smallest")
  func returnsFromPause() {
    let one = [SubscriptionPriority(.tile, area: 10)]
    #expect(divide(2_000, one, current: [nil], mayRaise: false) == [0])
    #expect(divide(2_000, one, current: [nil], mayRaise: false, mayReturn: false) == [nil])
  }

  @Test("a pause ends within 3 s where there is room, however often raises failed before")
  func pausesAreShort() {
    var hysteresis = LayerHysteresis()
    var now = Instant.zero
    for _ in 0..<5 {
      hysteresis.raised(now: now)
      now = now + .seconds(1)
      hysteresis.lowered(now: now)
    }
    hysteresis.paused(now: now)
    #expect(!hysteresis.mayReturn(now: now + .seconds(1)))
    #expect(hysteresis.mayReturn(now: now + .milliseconds(1_500)))
    #expect(now + .seconds(3) < hysteresis.nextRaise)
    hysteresis.paused(now: now + .seconds(4))
    #expect(!hysteresis.mayReturn(now: now + .milliseconds(5_500)))
    #expect(hysteresis.mayReturn(now: now + .seconds(7)))
  }
}
