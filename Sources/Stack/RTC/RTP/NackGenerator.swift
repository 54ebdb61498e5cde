public import Basics

/// Finds gaps in a received stream and decides when to ask for the missing packets again (RFC 4585 section 6.2.1).
///
/// Give every packet of the stream, and every retransmission under its original number, to
/// ``receive(_:isRetransmission:now:)``. At ``deadline`` ``poll(now:roundTripTime:into:)`` gives the numbers to ask
/// for. A number is asked for as soon as a gap is certain (reordering is tolerated), then once per round trip until it
/// arrives, is too old or was asked for often enough.
///
/// The list of missing numbers, the tries, and the requests per second are bounded, so that crafted gaps cost neither
/// memory nor a storm of requests. Memory: 32 bytes per missing packet, kept for reuse; a stream without loss allocates
/// nothing.
public struct NackGenerator: Sendable {
  public struct Configuration: Hashable, Sendable {
    /// A packet counts as lost at once when this many later numbers have been seen; at least 1.
    public var reorderTolerance = 2
    /// It counts as lost after this time when fewer later numbers follow.
    public var reorderWait = TimeSpan.milliseconds(10)
    /// A packet missing for longer is given up.
    public var maximumAge = TimeSpan.seconds(1)
    /// How often one packet is asked for.
    public var maximumTries: UInt8 = 10
    /// When more packets than this are missing, a keyframe is the better request.
    public var maximumMissing = 1_000
    /// How many numbers are asked for per second on the long run; a burst may take one second's worth.
    public var requestsPerSecond = 1_000
    /// The shortest time between two requests for one packet, whatever the round trip.
    public var minimumInterval = TimeSpan.milliseconds(20)

    public init() {}
  }

  /// The meaning of a packet for the stream.
  public enum Arrival: Hashable, Sendable {
    /// The newest so far, with or without a gap before it.
    case newest
    /// One that was missing.
    case recovered
    /// Older than the newest, and not missing: a duplicate, or one given up before.
    case known
    /// The newest, but so much is missing that the list was cleared: ask for a keyframe.
    case needsKeyframe
  }

  struct Missing {
    var sequence: Int64
    var since: Instant
    var lastAsked: Instant
    var tries: UInt8
  }

  /// When ``poll(now:roundTripTime:into:)`` has something to do; ``Instant/distantFuture`` when nothing is missing.
  public private(set) var deadline = Instant.distantFuture
  /// The newest number, unwrapped; nil before the first packet.
  private var newest: Int64?
  /// In ascending order of sequence number.
  private var missing: [Missing] = []
  /// A number far behind the newest whose successor would mean that the sender started again.
  private var restartCandidate: SequenceNumber?
  /// The requests that are still allowed, in nanoseconds of the per-second budget.
  private var credit: Int64 = 1_000_000_000
  private var creditAt: Instant?
  private var roundTrip = TimeSpan.milliseconds(100)
  private let configuration: Configuration

  /// Numbers asked for so far, repetitions included.
  public private(set) var requestedCount: UInt64 = 0
  /// Missing packets that arrived after all.
  public private(set) var recoveredCount: UInt64 = 0
  /// Missing packets given up.
  public private(set) var abandonedCount: UInt64 = 0

  /// A generator for one stream.
  public init(configuration: Configuration = Configuration()) { self.configuration = configuration }

  /// How many packets are missing now.
  public var missingCount: Int { missing.count }

  /// Takes note of a packet.
  ///
  /// Cost: constant for a packet in order; a binary search and a move of the list's tail for a late one; one
  /// entry per missing number for a gap, at most ``Configuration/maximumMissing``.
  /// - Parameter isRetransmission: whether it came as RTX; such a packet never moves the stream's start.
  public mutating func receive(
    _ sequence: SequenceNumber, isRetransmission: Bool = false, now: Instant
  ) -> Arrival {
    guard let newest else {
      self.newest = Int64(sequence.rawValue)
      return .newest
    }
    let distance = sequence.distance(from: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: newest)))
    if distance <= 0 { return receiveLate(sequence, newest &+ Int64(distance), isRetransmission, now) }

    restartCandidate = nil
    self.newest = newest &+ Int64(distance)
    let gap = distance &- 1
    if gap == 0, missing.isEmpty { return .newest }
    if gap &+ missing.count > configuration.maximumMissing {
      abandonAll()
      return .needsKeyframe
    }
    if gap > 0 {
      for number in (newest &+ 1)...(newest &+ Int64(gap)) {
        missing.append(Missing(sequence: number, since: now, lastAsked: now, tries: 0))
      }
      deadline = min(deadline, now + configuration.reorderWait)
    }
    if !missing.isEmpty { dueIfCertain(now) }
    return .newest
  }

  /// Writes the numbers to ask for now into `numbers`, oldest first, and returns how many. Call it again when the
  /// buffer was filled: ``deadline`` then is `now`.
  ///
  /// - Parameter roundTripTime: the time until a retransmission may be expected; nil keeps the last one (at first 100
  ///   ms).
  public mutating func poll(
    now: Instant, roundTripTime: TimeSpan?, into numbers: inout MutableSpan<SequenceNumber>
  ) -> Int {
    if let roundTripTime { roundTrip = roundTripTime }
    refillCredit(now)
    let cost = 1_000_000_000 / Int64(max(configuration.requestsPerSecond, 1))
    var count = 0
    var kept = 0
    var next = Instant.distantFuture
    for index in missing.indices {
      var entry = missing[index]
      let due = dueTime(entry)
      if now - entry.since >= configuration.maximumAge || (entry.tries >= configuration.maximumTries && due <= now) {
        abandonedCount &+= 1
        continue
      }
      if due <= now {
        if count == numbers.count {
          next = now
        } else if credit < cost {
          next = min(next, now + TimeSpan(nanoseconds: cost &- credit))
        } else {
          credit &-= cost
          numbers[count] = SequenceNumber(rawValue: UInt16(truncatingIfNeeded: entry.sequence))
          count &+= 1
          entry.tries &+= 1
          entry.lastAsked = now
          next = min(next, dueTime(entry))
        }
      } else {
        next = min(next, due)
      }
      next = min(next, entry.since + configuration.maximumAge)
      missing[kept] = entry
      kept &+= 1
    }
    missing.removeLast(missing.count &- kept)
    deadline = next
    requestedCount &+= UInt64(truncatingIfNeeded: count)
    return count
  }

  /// Gives up every missing packet before `sequence`: after a keyframe nothing older is needed.
  public mutating func forget(before sequence: SequenceNumber) {
    guard let newest else { return }
    let distance = sequence.distance(from: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: newest)))
    let keep = position(of: newest &+ Int64(distance))
    abandonedCount &+= UInt64(truncatingIfNeeded: keep)
    missing.removeFirst(keep)
    if missing.isEmpty { deadline = .distantFuture }
  }

  private mutating func receiveLate(
    _ sequence: SequenceNumber, _ number: Int64, _ isRetransmission: Bool, _ now: Instant
  ) -> Arrival {
    let index = position(of: number)
    if index < missing.count, missing[index].sequence == number {
      missing.remove(at: index)
      recoveredCount &+= 1
      if missing.isEmpty { deadline = .distantFuture }
      return .recovered
    }
    guard !isRetransmission, let newest, newest &- number > Int64(configuration.maximumMissing) else {
      return .known
    }
    // Two packets in a row far behind: the sender has begun a new sequence (as in RFC 3550 appendix A.1).
    guard restartCandidate == sequence else {
      restartCandidate = sequence.advanced(by: 1)
      return .known
    }
    restartCandidate = nil
    abandonAll()
    self.newest = Int64(sequence.rawValue)
    return .needsKeyframe
  }

  private mutating func abandonAll() {
    abandonedCount &+= UInt64(truncatingIfNeeded: missing.count)
    missing.removeAll(keepingCapacity: true)
    deadline = .distantFuture
  }

  /// The index of `number` in the list, or where it would be.
  private func position(of number: Int64) -> Int {
    var low = 0
    var high = missing.count
    while low < high {
      let middle = (low &+ high) / 2
      if missing[middle].sequence < number { low = middle &+ 1 } else { high = middle }
    }
    return low
  }

  /// Whether so many later numbers have been seen that the packet is not just late.
  private func isCertain(_ number: Int64) -> Bool {
    (newest ?? number) &- number >= Int64(max(configuration.reorderTolerance, 1))
  }

  private func dueTime(_ entry: Missing) -> Instant {
    if entry.tries > 0 { return entry.lastAsked + max(roundTrip, configuration.minimumInterval) }
    return isCertain(entry.sequence) ? entry.since : entry.since + configuration.reorderWait
  }

  /// Makes the deadline `now` when the newest number has made another loss certain. Older entries were certain before,
  /// so only the last few are looked at.
  private mutating func dueIfCertain(_ now: Instant) {
    var index = missing.count &- 1
    while index >= 0, !isCertain(missing[index].sequence) { index &-= 1 }
    if index >= 0, missing[index].tries == 0 { deadline = min(deadline, now) }
  }

  private mutating func refillCredit(_ now: Instant) {
    if let creditAt {
      let gained = max(0, min((now - creditAt).nanoseconds, 1_000_000_000))
      credit = min(1_000_000_000, credit &+ gained)
    }
    creditAt = now
  }
}
