import Basics
import Testing

@Suite("Shares of networks")
struct NetworkSharesTests {
  private func ip(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

  /// How many of what is left an endless row of addresses gets.
  private func fill(_ shares: inout NetworkShares, _ address: (Int) throws -> IPAddress) rethrows -> Int {
    var count = 0
    for number in 0..<shares.capacity {
      let next = try address(number)
      guard !shares.isFull, shares.exhausted(around: next) == nil else { continue }
      shares.add(next)
      count += 1
    }
    return count
  }

  @Test("an address is of a host, a site and a provider, by the widths of its family")
  func networks() throws {
    let address = try ip("192.0.2.77")
    #expect(Network(of: address, .host).first.text == "192.0.2.77")
    #expect(Network(of: address, .site).first.text == "192.0.2.0")
    #expect(Network(of: address, .provider).first.text == "192.0.0.0")
    let long = try ip("2001:db8:1:2:3::4")
    #expect(Network(of: long, .host).first.text == "2001:db8:1:2::")
    #expect(Network(of: long, .site).first.text == "2001:db8:1::")
    #expect(Network(of: long, .provider).first.text == "2001:db8::")
    // The first addresses are the same, the networks are not.
    let first = try ip("2001:db8::")
    #expect(Network(of: first, .host) != Network(of: first, .site))
  }

  // Alone; the more is held, the smaller are the shares.
  @Test("threat 38: a host gets a third, a site half, a provider two thirds")
  func shares() throws {
    var shares = NetworkShares(capacity: 4_096)
    let host = try ip("192.0.2.1")
    let alone = fill(&shares) { _ in host }
    #expect(alone == 1_365)
    #expect(shares.exhausted(around: host)?.width == .host)
    #expect(shares.exhausted(around: try ip("192.0.2.2")) == nil)
    // Four hosts take what four can, and leave a third to others.
    shares = NetworkShares(capacity: 4_096)
    var taken = 0
    for number in UInt32(0)..<4 { taken += fill(&shares) { _ in IPAddress(v4: 0xC612_0001 + number << 16) } }
    #expect(taken < 4_096 * 15 / 16, "\(taken)")
    #expect(shares.exhausted(around: host) == nil)
    for (prefix, most) in [("2001:db8:0:", 2_048), ("2001:db8:", 2_731)] {
      shares = NetworkShares(capacity: 4_096)
      let got = try fill(&shares) { try ip(prefix + String($0, radix: 16) + "::1") }
      #expect(got == most, "\(prefix): \(got)")
    }
  }

  @Test("a host has a limit of its own, and however full it is, a few")
  func limits() throws {
    var shares = NetworkShares(capacity: 4_096, hostLimit: 100)
    let host = try ip("192.0.2.1")
    let most = fill(&shares) { _ in host }
    #expect(most == 100)
    #expect(shares.exhausted(around: host)?.width == .host)
    for number in UInt32(0)..<3_990 { shares.add(IPAddress(v4: number << 16 | 1)) }
    let other = try ip("203.0.113.1")
    let rest = fill(&shares) { _ in other }
    #expect(rest == 6)
    #expect(shares.isFull)
    for _ in 0..<100 { shares.remove(host) }
    #expect(shares.total == 3_996 && shares.exhausted(around: host) == nil)
  }

  // A network's share is its own.
  @Test("threat 38: in a full table the lowest rank gives way, then the oldest")
  func places() throws {
    var places = SharedCapacity<Int>(capacity: 256)
    var evicted: [Int] = []
    let attacker = try ip("192.0.2.1")
    for number in 0..<1_000 {
      if case .admitted(let victim?) = places.admit(number, from: attacker, rank: 0) { evicted.append(victim) }
    }
    #expect(places.count == 85 && evicted == Array(0..<915))
    #expect(places.admit(1_000, from: try ip("198.51.100.1"), rank: 0) == .admitted(evicted: nil))
    for number in 915..<1_000 { places.rank(number, nil) }
    #expect(places.admit(1_001, from: attacker, rank: 0) == .refused(Network(of: attacker, .host)))
    places.rank(950, 3)
    places.rank(940, 3)
    #expect(places.admit(1_002, from: attacker, rank: 0) == .admitted(evicted: 950))
    #expect(places.evict() == 1_000)
    // For a proxy's client that is known later.
    #expect(places.admit(1_003, from: nil, rank: nil) == .admitted(evicted: nil))
    #expect(places.assign(1_003, to: try ip("203.0.113.1")) == .admitted(evicted: nil))
    places.rank(1_002, nil)
    places.rank(940, nil)
    #expect(places.assign(1_003, to: attacker) == .refused(Network(of: attacker, .host)))
  }
}
