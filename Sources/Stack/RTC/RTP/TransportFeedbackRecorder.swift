public import Basics

/// Keeps the arrival times of packets by transport-wide sequence number and turns them into feedback reports
/// (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3).
///
/// One per receiving transport. Call ``receive(_:now:)`` for each packet with the extension; when ``deadline`` has
/// come, append reports with ``appendFeedback(to:sender:media:now:into:)``. Every number from the first to the highest
/// is reported on at least once; one that arrives after it was reported lost is reported again.
///
/// Memory is bounded: a ring of ``capacity`` arrivals of 8 bytes, made at the first packet.
public struct TransportFeedbackRecorder: Sendable {
  /// How many numbers behind the highest are remembered; a power of two.
  public let capacity: Int
  /// The time between two reports while packets arrive.
  public let interval: TimeSpan
  /// The time between two reports of fewer than ``fullReport`` packets that came in order: they say little.
  public let longestInterval: TimeSpan
  /// So many packets are worth a report after ``interval``.
  static let fullReport: Int64 = 16

  /// Arrivals by the low bits of the number; made when the first packet comes.
  private var ring: [TransportFeedbackTicks] = []
  /// The arrivals of one report, in order, as the writer takes them.
  private var window: [TransportFeedbackTicks] = []
  /// The highest number received, unwrapped; nil before the first packet.
  private var highest: Int64?
  /// The first number that the next report covers, unwrapped.
  private var next: Int64 = 0
  private var lastReport: Instant?
  /// Whether a packet was skipped or came late since the last report.
  private var hasGap = false
  private var feedbackCount: UInt8 = 0

  /// When the next report is due; ``Instant/distantFuture`` when nothing arrived since the last one.
  public private(set) var deadline = Instant.distantFuture
  /// Packets that came too late to be reported.
  public private(set) var droppedCount: UInt64 = 0

  /// A recorder that reports every `interval` (50 ms: 20 times a second), or with few packets every `longestInterval`
  /// (nil: the same), and remembers `capacity` numbers (rounded up to a power of two, 256 to 32,768).
  public init(
    interval: TimeSpan = .milliseconds(50), longestInterval: TimeSpan? = nil, capacity: Int = 2_048
  ) {
    self.interval = interval
    self.longestInterval = max(interval, longestInterval ?? interval)
    var power = 256
    while power < min(capacity, 32_768) { power *= 2 }
    self.capacity = power
  }

  /// Takes note of a packet. A duplicate keeps its first arrival.
  ///
  /// Cost: constant, plus one store per number that was skipped (at most ``capacity``).
  public mutating func receive(_ sequence: SequenceNumber, now: Instant) {
    let ticks = TransportFeedbackTicks(ticks: now.nanoseconds / 250_000)
    guard let highest else {
      let number = Int64(sequence.rawValue)
      ring = [TransportFeedbackTicks](repeating: .missing, count: capacity)
      window.reserveCapacity(256)
      self.highest = number
      next = number
      store(ticks, number)
      schedule(now)
      return
    }
    let number =
      highest &+ Int64(sequence.distance(from: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: highest))))
    if number > highest {
      if number &- highest > 1 { hasGap = true }
      if number &- highest >= Int64(capacity) {
        // A jump over the whole ring: packets in it may be lost or not, so start again.
        for index in ring.indices { ring[index] = .missing }
        next = number
      } else {
        var skipped = highest &+ 1
        while skipped < number {
          store(.missing, skipped)
          skipped &+= 1
        }
        next = max(next, number &- Int64(capacity) &+ 1)
      }
      self.highest = number
      store(ticks, number)
    } else {
      guard number > highest &- Int64(capacity) else {
        droppedCount &+= 1
        return
      }
      guard !arrival(number).isReceived else { return }
      hasGap = true
      store(ticks, number)
      next = min(next, number)
    }
    schedule(now)
  }

  /// Appends one report to `writer` and returns true; false when nothing is left to report or the buffer is too small.
  ///
  /// Call it until it returns false, with a new datagram when the buffer is full: a report covers what fits.
  /// - Parameters:
  ///   - sender: the reporter's own SSRC.
  ///   - media: a stream of the transport, by convention the last one that a packet came from.
  public mutating func appendFeedback(
    to writer: inout RTCPWriter, sender: SSRC, media: SSRC, now: Instant,
    into buffer: inout MutableSpan<UInt8>
  ) -> Bool {
    guard let highest, next <= highest else { return false }
    window.removeAll(keepingCapacity: true)
    var number = next
    while number <= highest {
      window.append(arrival(number))
      number &+= 1
    }
    let base = SequenceNumber(rawValue: UInt16(truncatingIfNeeded: next))
    guard
      let written = try? writer.append(
        transportFeedback: window.span, base: base, feedbackCount: feedbackCount, sender: sender, media: media,
        into: &buffer)
    else { return false }
    feedbackCount &+= 1
    next &+= Int64(written)
    lastReport = now
    hasGap = false
    deadline = next > highest ? .distantFuture : now
    return true
  }

  private func arrival(_ number: Int64) -> TransportFeedbackTicks {
    ring[Int(truncatingIfNeeded: number) & (capacity &- 1)]
  }

  private mutating func store(_ ticks: TransportFeedbackTicks, _ number: Int64) {
    ring[Int(truncatingIfNeeded: number) & (capacity &- 1)] = ticks
  }

  private mutating func schedule(_ now: Instant) {
    guard let highest else { return }
    let count = highest &- next &+ 1
    if count > Int64(capacity / 2) {
      // Half a ring unreported would soon be overwritten.
      deadline = min(deadline, now)
    } else {
      let isSoon = hasGap || count >= Self.fullReport || lastReport == nil
      deadline = min(deadline, max(now, (lastReport ?? now) + (isSoon ? interval : longestInterval)))
    }
  }
}
