import Basics
import NetworkEmulator
import Testing

@Suite("Network emulator: one direction of a link in virtual time")
struct NetworkEmulatorTests {
  /// Sends `count` packets of `size` bytes every `gap`, and gives what arrived and when. The first two bytes are the
  /// number.
  private func run(
    _ link: inout NetworkEmulator, count: Int, size: Int = 100, gap: TimeSpan = .milliseconds(1)
  ) -> [(number: Int, at: Instant)] {
    var arrived: [(Int, Instant)] = []
    func drain(_ link: inout NetworkEmulator, until end: Instant) {
      while link.deadline <= end, link.deadline != .distantFuture {
        let now = link.deadline
        while let packet = link.deliver(now: now) { arrived.append((Int(packet[0]) << 8 | Int(packet[1]), now)) }
      }
    }
    for index in 0..<count {
      let now = Instant.zero + gap * Int64(index)
      drain(&link, until: now)
      var packet = [UInt8](repeating: 7, count: size)
      packet[0] = UInt8(index >> 8)
      packet[1] = UInt8(index & 255)
      link.send(packet, now: now)
    }
    drain(&link, until: .distantFuture)
    return arrived
  }

  @Test("a perfect link delivers at once and in order")
  func perfect() {
    var link = NetworkEmulator()
    let arrived = run(&link, count: 100)
    #expect(arrived.map(\.number) == Array(0..<100))
    #expect(arrived.map(\.at) == (0..<100).map { .milliseconds($0) })
    #expect(link.deadline == .distantFuture)
  }

  @Test("a packet takes its time on the bottleneck, queues, then takes the delay")
  func bottleneck() {
    // 972 bytes and 28 of headers at 800 kb/s take 10 ms each.
    var link = NetworkEmulator(
      LinkConditions(delay: .milliseconds(20), capacity: .kilobits(800), queue: .time(.seconds(1))))
    let arrived = run(&link, count: 10, size: 972)
    #expect(arrived.map(\.at) == (1...10).map { .milliseconds(20 + 10 * $0) })
    #expect(link.statistics.queueingDelay(percentile: 1) == .milliseconds(91))
  }

  @Test("the queue drops at its tail what exceeds its length in time or bytes")
  func dropTail() {
    for queue in [LinkConditions.QueueLimit.time(.milliseconds(50)), .bytes(5_000)] {
      var link = NetworkEmulator(LinkConditions(capacity: .kilobits(800), queue: queue))
      let arrived = run(&link, count: 20, size: 972, gap: .zero)
      #expect(arrived.map(\.number) == Array(0..<5))
      #expect(link.statistics.dropped == 15)
    }
  }

  @Test("capacity changes apply to what already waits, to the fraction of a packet")
  func capacityChanges() {
    var link = NetworkEmulator(LinkConditions(capacity: .kilobits(800), queue: .time(.seconds(1))))
    var slower = link.conditions
    slower.capacity = .kilobits(400)
    link.schedule(slower, at: .milliseconds(5))
    slower.capacity = nil
    link.schedule(slower, at: .milliseconds(30))
    // Half the first packet in 5 ms, the rest in 10 ms; the second half done after 30 ms, then all at once.
    let arrived = run(&link, count: 4, size: 972, gap: .zero)
    #expect(arrived.map(\.at) == [15, 30, 30, 30].map { .milliseconds($0) })
  }

  @Test("loss follows its probability and bursts, the same for the same seed")
  func loss() {
    for (model, name) in [(LossModel.random(0.1), "random"), (.bursty(0.1, length: 5), "bursty")] {
      var link = NetworkEmulator(LinkConditions(loss: model), seed: 3)
      let numbers = run(&link, count: 20_000, size: 20).map(\.number)
      var again = NetworkEmulator(LinkConditions(loss: model), seed: 3)
      #expect(run(&again, count: 20_000, size: 20).map(\.number) == numbers)
      let share = Double(link.statistics.lost) / 20_000
      #expect((0.08...0.12).contains(share), "\(name) \(share)")
      var bursts = 0
      for index in 1..<numbers.count where numbers[index] != numbers[index - 1] + 1 { bursts += 1 }
      let length = Double(link.statistics.lost) / Double(bursts)
      #expect(name == "random" ? length < 1.3 : (4...6).contains(length), "\(name) \(length)")
    }
  }

  @Test("nothing passes in an outage; earlier packets arrive, later ones pass")
  func outage() {
    let whole = LinkConditions(delay: .milliseconds(20))
    var broken = whole
    broken.loss = .random(1)
    for seed: UInt64 in 1...3 {
      var link = NetworkEmulator(whole, seed: seed)
      link.schedule(broken, at: .milliseconds(50))
      link.schedule(whole, at: .milliseconds(150))
      let arrived = run(&link, count: 200)
      #expect(arrived.map(\.number) == Array(0..<50) + Array(150..<200))
      #expect(arrived.map(\.at) == arrived.map { .milliseconds(Int64($0.number) + 20) })
      #expect(link.statistics.lost == 100)
    }
  }

  @Test("jitter keeps the order unless it may not")
  func jitter() {
    var ordered = NetworkEmulator(LinkConditions(delay: .milliseconds(5), jitter: .milliseconds(10)), seed: 4)
    #expect(run(&ordered, count: 1_000).map(\.number) == Array(0..<1_000))
    var unordered = NetworkEmulator(
      LinkConditions(delay: .milliseconds(5), jitter: .milliseconds(10), reorders: true), seed: 4)
    let arrived = run(&unordered, count: 1_000)
    #expect(arrived.map(\.number) != Array(0..<1_000))
    #expect(arrived.map(\.number).sorted() == Array(0..<1_000))
    for packet in arrived {
      let travelled = packet.at - Instant.milliseconds(Int64(packet.number))
      #expect(travelled >= TimeSpan.milliseconds(5) && travelled <= TimeSpan.milliseconds(15))
    }
  }

  @Test("duplicates arrive as often as asked")
  func duplicates() {
    var link = NetworkEmulator(LinkConditions(duplication: 0.2), seed: 5)
    let arrived = run(&link, count: 5_000)
    #expect((5_800...6_200).contains(arrived.count))
    #expect(Set(arrived.map(\.number)).count == 5_000)
  }

  @Test("several receivers share one bottleneck")
  func addressed() {
    var link = EmulatedLink<AddressedPacket<Int>>(LinkConditions(capacity: .kilobits(800)))
    link.send([UInt8](repeating: 0, count: 972), to: 1, now: .zero)
    link.send([UInt8](repeating: 0, count: 972), to: 2, now: .zero)
    #expect(link.deliver(now: .milliseconds(10))?.destination == 1)
    #expect(link.deliver(now: .milliseconds(19)) == nil)
    #expect(link.deliver(now: .milliseconds(20))?.destination == 2)
  }
}
