public import Basics

/// One direction of a network link in virtual time: loss, delay, jitter, duplicates and a bottleneck with a drop-tail
/// queue. For tests and benchmarks.
///
/// Nothing depends on anything but the seed and the calls, so a run repeats exactly. Use one for each direction:
///
/// ```swift
/// let conditions = LinkConditions(loss: .random(0.05), delay: .milliseconds(20), capacity: .kilobits(300))
/// var link = NetworkEmulator(conditions, seed: 1)
/// link.send(packet, now: now)
/// // at link.deadline:
/// while let packet = link.deliver(now: now) { receiver.receive(packet, now: now) }
/// ```
public typealias NetworkEmulator = EmulatedLink<[UInt8]>

/// One direction of a network link that carries values of any type, for instance bytes with a destination. See
/// ``NetworkEmulator``.
///
/// A packet first may be lost, then waits in the bottleneck's queue, takes its time on the bottleneck, and then travels
/// for the delay and its share of jitter.
public struct EmulatedLink<Payload: Sendable>: Sendable {
  private struct Waiting {
    var payload: Payload
    var size: Int
    var arrival: Instant
    var extra: TimeSpan
    var isDoubled: Bool
  }

  private struct Flight {
    var at: Instant
    var order: UInt64
    var payload: Payload
    var size: Int
  }

  /// How packets are treated now; see ``change(_:now:)``.
  public private(set) var conditions: LinkConditions
  /// The counts so far.
  public private(set) var statistics = LinkStatistics()

  private var random: EmulatorRandom
  private var isBad = false
  /// Changes to come, in order of time.
  private var schedule: [(at: Instant, conditions: LinkConditions)] = []
  private var queue: [Waiting] = []
  private var head = 0
  private var queuedBytes = 0
  /// The part of the head packet that has not left yet, in bits times 10⁹, so that nanoseconds at any rate take whole
  /// numbers off; and until when the bottleneck has been worked out.
  private var remaining: Int64 = 0
  private var servedUntil = Instant.zero
  /// The bytes that a policer has let pass beyond its rate, and when that was worked out.
  private var excess = 0.0
  private var excessAt = Instant.zero
  private var flights: [Flight] = []
  private var lastArrival = Instant(nanoseconds: .min)
  private var order: UInt64 = 0

  /// A link under `conditions`, whose chances follow from `seed`.
  public init(_ conditions: LinkConditions = .perfect, seed: UInt64 = 1) {
    self.conditions = conditions
    random = EmulatorRandom(seed: seed)
  }

  /// Bytes in front of the bottleneck now.
  public var queueLength: Int { queuedBytes }

  /// Changes the conditions from `now` on. Packets that already travel keep their times; those in the queue stay.
  public mutating func change(_ conditions: LinkConditions, now: Instant) {
    advance(to: now)
    self.conditions = conditions
  }

  /// Changes the capacity from `now` on; nil lifts the bottleneck.
  public mutating func change(capacity: DataRate?, now: Instant) {
    var changed = conditions
    changed.capacity = capacity
    change(changed, now: now)
  }

  /// Changes the conditions at `time`. Calls must come in order of `time`.
  public mutating func schedule(_ conditions: LinkConditions, at time: Instant) {
    schedule.append((time, conditions))
  }

  /// Hands in a payload that counts as `size` bytes. Chances are drawn here, a fixed number of them for each packet.
  public mutating func send(_ payload: Payload, size: Int, now: Instant) {
    advance(to: now)
    statistics.sent += 1
    statistics.sentBytes += size
    let lossChance = random.unit()
    let stateChance = random.unit()
    let jitterChance = random.unit()
    let doubleChance = random.unit()
    guard !isLost(lossChance, stateChance) else {
      statistics.lost += 1
      return
    }
    let onWire = size + conditions.overhead
    if conditions.polices, let capacity = conditions.capacity {
      excess = max(excess - Double(capacity.bitsPerSecond) / 8 * max((now - excessAt).seconds, 0), 0)
      excessAt = now
      guard excess + Double(onWire) <= Double(conditions.queueBytes) else {
        statistics.dropped += 1
        return
      }
      excess += Double(onWire)
      depart(
        Waiting(
          payload: payload, size: size, arrival: now,
          extra: TimeSpan(nanoseconds: Int64(jitterChance * Double(max(conditions.jitter.nanoseconds, 0)))),
          isDoubled: doubleChance < conditions.duplication), at: now)
      return
    }
    if conditions.capacity != nil, queuedBytes > 0, queuedBytes + onWire > conditions.queueBytes {
      statistics.dropped += 1
      return
    }
    let waiting = Waiting(
      payload: payload, size: size, arrival: now,
      extra: TimeSpan(nanoseconds: Int64(jitterChance * Double(max(conditions.jitter.nanoseconds, 0)))),
      isDoubled: doubleChance < conditions.duplication)
    queue.append(waiting)
    queuedBytes += onWire
    if queue.count - head == 1 {
      remaining = Int64(onWire) * 8_000_000_000
      servedUntil = now
    }
    advance(to: now)
  }

  /// The next payload that has arrived by `now`; nil when there is none.
  public mutating func deliver(now: Instant) -> Payload? {
    advance(to: now)
    guard let first = flights.first, first.at <= now else { return nil }
    let flight = removeFirstFlight()
    statistics.delivered += 1
    statistics.deliveredBytes += flight.size
    return flight.payload
  }

  /// When ``deliver(now:)`` may next give something, or needs to be called to let a packet pass the bottleneck;
  /// ``Basics/Instant/distantFuture`` while the link is empty.
  public var deadline: Instant {
    var next = flights.first?.at ?? .distantFuture
    if head < queue.count {
      next = min(next, departure(under: conditions.capacity))
      if let change = schedule.first { next = min(next, change.at) }
    }
    return next
  }

  // MARK: The bottleneck

  private mutating func advance(to now: Instant) {
    while let change = schedule.first, change.at <= now {
      serve(until: change.at)
      conditions = change.conditions
      schedule.removeFirst()
    }
    serve(until: now)
  }

  /// When the head of the queue has left, if nothing changes.
  private func departure(under capacity: DataRate?) -> Instant {
    guard let capacity else { return servedUntil }
    guard capacity.bitsPerSecond > 0 else { return .distantFuture }
    let rate = capacity.bitsPerSecond
    return servedUntil + TimeSpan(nanoseconds: (remaining + rate - 1) / rate)
  }

  private mutating func serve(until now: Instant) {
    while head < queue.count {
      let leaves = departure(under: conditions.capacity)
      guard leaves <= now else {
        if now > servedUntil, let capacity = conditions.capacity {
          // Not yet due, so the product is below what remains; a long time at rate zero has no product.
          remaining = max(0, remaining - (now - servedUntil).nanoseconds * max(capacity.bitsPerSecond, 0))
          servedUntil = now
        }
        return
      }
      let packet = queue[head]
      head += 1
      queuedBytes -= packet.size + conditions.overhead
      servedUntil = leaves
      if conditions.capacity != nil { statistics.queueingDelays.append(leaves - packet.arrival) }
      depart(packet, at: leaves)
      if head < queue.count { remaining = Int64(queue[head].size + conditions.overhead) * 8_000_000_000 }
      if head > 512, head * 2 > queue.count {
        queue.removeFirst(head)
        head = 0
      }
    }
    if head == queue.count {
      queue.removeAll(keepingCapacity: true)
      head = 0
      queuedBytes = 0
      servedUntil = max(servedUntil, now)
    }
  }

  private mutating func depart(_ packet: Waiting, at time: Instant) {
    var arrival = time + conditions.delay + packet.extra
    if !conditions.reorders {
      arrival = max(arrival, lastArrival)
      lastArrival = arrival
    }
    insert(Flight(at: arrival, order: order, payload: packet.payload, size: packet.size))
    order += 1
    if packet.isDoubled {
      insert(Flight(at: arrival, order: order, payload: packet.payload, size: packet.size))
      order += 1
    }
  }

  private mutating func isLost(_ chance: Double, _ stateChance: Double) -> Bool {
    switch conditions.loss {
    case .none: return false
    case .random(let probability): return chance < probability
    case .gilbertElliott(let enter, let leave, let good, let bad):
      isBad = isBad ? stateChance >= leave : stateChance < enter
      return chance < (isBad ? bad : good)
    }
  }

  // MARK: Flights, a binary heap by time and order

  private mutating func insert(_ flight: Flight) {
    flights.append(flight)
    var child = flights.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard Self.isEarlier(flights[child], flights[parent]) else { break }
      flights.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func removeFirstFlight() -> Flight {
    flights.swapAt(0, flights.count - 1)
    let first = flights.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < flights.count && Self.isEarlier(flights[child], flights[least]) {
        least = child
      }
      guard least != parent else { return first }
      flights.swapAt(parent, least)
      parent = least
    }
  }

  private static func isEarlier(_ a: Flight, _ b: Flight) -> Bool {
    a.at == b.at ? a.order < b.order : a.at < b.at
  }
}

extension EmulatedLink<[UInt8]> {
  /// Hands in a packet.
  public mutating func send(_ packet: [UInt8], now: Instant) { send(packet, size: packet.count, now: now) }
}

/// A packet with the name of who it is for, for links that several receivers share.
public struct AddressedPacket<Destination: Sendable & Hashable>: Sendable, Hashable {
  /// The receiver, one of those that share the link.
  public var destination: Destination
  /// Its bytes.
  public var bytes: [UInt8]

  /// A packet for `destination`.
  public init(_ bytes: [UInt8], to destination: Destination) {
    self.bytes = bytes
    self.destination = destination
  }
}

extension EmulatedLink {
  /// Hands in a packet for `destination`, for a link that several receivers share.
  public mutating func send<Destination>(_ packet: [UInt8], to destination: Destination, now: Instant)
  where Payload == AddressedPacket<Destination> {
    send(AddressedPacket(packet, to: destination), size: packet.count, now: now)
  }
}
