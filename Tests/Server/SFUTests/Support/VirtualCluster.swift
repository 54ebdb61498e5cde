import Basics
@testable import RTC
@testable import SFU

/// Several routers of one meeting, each with participants of its own, connected by relays, in virtual time.
final class VirtualCluster {
  /// One direction of a relay.
  final class Wire {
    let from: Int
    let to: Int
    let output: RelayOutput
    var delay: TimeSpan
    var relay: Relay?
    /// While set, nobody reads the ring.
    var isStuck = false
    /// Records that went over it, by kind.
    private(set) var records: [RelayRecord.Kind: Int] = [:]
    /// The last record of each kind.
    private(set) var last: [RelayRecord.Kind: [UInt8]] = [:]
    /// Media records by the place of their layer.
    private(set) var layers: [UInt8: Int] = [:]
    fileprivate var underWay: [(at: Instant, bytes: [UInt8])] = []

    init(from: Int, to: Int, ringBytes: Int, delay: TimeSpan) {
      self.from = from
      self.to = to
      self.delay = delay
      output = RelayOutput(ring: RelayRing(capacity: ringBytes))
    }

    func count(_ kind: RelayRecord.Kind) -> Int { records[kind, default: 0] }
    func resetCounts() {
      records = [:]
      layers = [:]
    }

    fileprivate func take(_ now: Instant) -> Bool {
      guard !isStuck else { return false }
      output.flush()
      var any = false
      while output.ring.read({ record in
        var bytes: [UInt8] = []
        for index in 0..<record.count { bytes.append(record[index]) }
        if let kind = RelayRecord.Kind(rawValue: bytes[0]) {
          records[kind, default: 0] += 1
          if kind == .media { layers[bytes[2], default: 0] += 1 }
          last[kind] = bytes
        }
        underWay.append((now + delay, bytes))
      }) {
        any = true
      }
      return any
    }
  }

  let meetings: [VirtualMeeting]
  private(set) var wires: [Wire] = []
  private(set) var now: Instant
  private var nextChannel: UInt32 = 7

  init(routers: Int, seed: UInt64 = 1, audioLoudest: Int = 5) throws {
    meetings = try (0..<routers).map { try VirtualMeeting(seed: seed, number: UInt64($0), audioLoudest: audioLoudest) }
    now = meetings[0].now
  }

  /// Connects every two routers.
  func connectAll(ringBytes: Int = 1 << 18, delay: TimeSpan = .zero) {
    for a in meetings.indices {
      for b in meetings.indices where b > a { connect(a, b, ringBytes: ringBytes, delay: delay) }
    }
  }

  func connect(
    _ a: Int, _ b: Int, reach: Relay.Reach = .machine, ringBytes: Int = 1 << 18, delay: TimeSpan = .zero
  ) {
    let there = Wire(from: a, to: b, ringBytes: ringBytes, delay: delay)
    let back = Wire(from: b, to: a, ringBytes: ringBytes, delay: delay)
    there.relay = meetings[b].router.addRelay(channel: nextChannel, reach: reach, output: back.output)
    back.relay = meetings[a].router.addRelay(channel: nextChannel, reach: reach, output: there.output)
    nextChannel += 1
    wires += [there, back]
    settle()
  }

  func wire(_ from: Int, _ to: Int) -> Wire {
    guard let wire = wires.first(where: { $0.from == from && $0.to == to }) else {
      preconditionFailure("the test connected no routers \(from) and \(to)")
    }
    return wire
  }

  /// Lets a slot of router `router` carry a publication of any router.
  @discardableResult
  func attach(_ id: String, to slot: Subscription, on router: Int) -> Bool {
    let name = PublicationID(rawValue: id)
    let target = meetings[router].router
    guard let publication = target.publication(name) else { return target.attachWhenAnnounced(name, to: slot) }
    return target.attach(publication, to: slot)
  }

  /// Carries records until none is left that is due.
  func settle() {
    var rounds = 0
    while rounds < 100 {
      rounds += 1
      var any = false
      for wire in wires { if wire.take(now) { any = true } }
      for wire in wires {
        while let first = wire.underWay.first, first.at <= now {
          wire.underWay.removeFirst()
          any = true
          if let relay = wire.relay { meetings[wire.to].router.receive(first.bytes.span, from: relay, now: now) }
          if meetings[wire.to].router.pendingPackets >= 64 { meetings[wire.to].flush() }
        }
      }
      if !any { return }
    }
  }

  /// Lets `span` pass.
  func run(for span: TimeSpan) {
    let end = now + span
    while true {
      var next = end
      for meeting in meetings { next = min(next, meeting.nextEvent) }
      for wire in wires { if let first = wire.underWay.first { next = min(next, first.at) } }
      now = max(now, min(next, end))
      for meeting in meetings { meeting.now = now }
      for meeting in meetings { meeting.step() }
      settle()
      for meeting in meetings { meeting.step() }
      settle()
      if now >= end, !meetings.contains(where: { $0.nextEvent <= end }),
        !wires.contains(where: { ($0.underWay.first?.at ?? .distantFuture) <= end })
      {
        return
      }
    }
  }

  /// Everything a router has to say since the last time.
  func events(of router: Int) -> [MediaEvent] {
    var events: [MediaEvent] = []
    while let event = meetings[router].router.pollEvent() { events.append(event) }
    return events
  }
}
