import Basics
import Testing

@Suite("Queues in which networks take turns")
struct FairQueueTests {
  private func ip(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

  /// Whether an element found a free place.
  private func waits<Element>(_ outcome: FairQueue<Element>.Enqueued) -> Bool {
    switch outcome {
    case .waits: true
    case .displaces, .refused: false
    }
  }

  @Test("threat 32: whoever sends most waits longest, by host, by site and by provider", arguments: [0, 1, 2])
  func turns(width: Int) throws {
    // All of one host, of many hosts of a site, or of many sites of a provider.
    let attackers = ["2001:db8:1:1::%", "2001:db8:1:%::1", "2001:db8:%:1::1"][width]
    let victims = ["2001:db8:1:ff::1", "2001:db8:ff:1::1", "2001:db9:1:1::1"]
    var queue = FairQueue<String>(capacity: 256)
    var refused = 0
    for number in 1...200 {
      let from = try ip(attackers.replacing("%", with: String(number, radix: 16)))
      if !waits(queue.enqueue("a", from: from)) { refused += 1 }
    }
    #expect(refused >= 29, "\(refused)")
    _ = queue.dequeue()
    let victim = try ip(victims[width])
    for _ in 0..<3 {
      let isTaken = waits(queue.enqueue("v", from: victim))
      #expect(isTaken)
    }
    let order = (0..<6).map { _ in queue.dequeue() ?? "" }
    #expect(order.filter { $0 == "v" }.count == 3 && order[0] == "v" && order.joined() == "vavava", "\(order)")
  }

  // This machine has no share of its own.
  @Test("a network's elements keep their order, and the queue is bounded")
  func order() throws {
    var queue = FairQueue<Int>(capacity: 8)
    let loopback = try ip("127.0.0.1")
    let other = try ip("192.0.2.1")
    var taken = (0..<8).map { waits(queue.enqueue($0, from: loopback)) }
    taken += [waits(queue.enqueue(8, from: loopback)), waits(queue.enqueue(9, from: other))]
    #expect(taken == [true, true, true, true, true, true, true, true, false, false])
    let all = (0..<9).map { _ in queue.dequeue() }
    #expect(all == [0, 1, 2, 3, 4, 5, 6, 7, nil] && queue.count == 0)
    let isTaken = waits(queue.enqueue(10, from: other))
    #expect(isTaken)
  }

  @Test("threat 32: the host that fills a queue gives way until all have the same")
  func displacement() throws {
    var queue = FairQueue<String>(capacity: 6)
    let many = try ip("127.0.2.1")
    let few = try ip("127.0.3.1")
    for number in 0..<6 { _ = queue.enqueue("m\(number)", from: many) }
    let displaced = (0..<5).map { number -> String in
      switch queue.enqueue("f\(number)", from: few) {
      case .waits: "none"
      case .displaces(let other): other
      case .refused: "refused"
      }
    }
    #expect(displaced == ["m5", "m4", "m3", "refused", "refused"])
    let order = (0..<7).map { _ in queue.dequeue() ?? "-" }
    #expect(order == ["m0", "f0", "m1", "f1", "m2", "f2", "-"])
  }
}
