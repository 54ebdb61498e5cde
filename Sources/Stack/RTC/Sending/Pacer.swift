public import Basics

/// Spreads outgoing packets over time, so that a large frame does not fill the bottleneck's queue at once.
///
/// It holds references to packets, never bytes. Audio leaves at once and is only accounted for; then come
/// retransmissions, then video, both within the budget of the pacing rate. The queue is bounded in bytes and time: what
/// does not fit is refused, what has waited too long is dropped. A value without I/O; each call costs a constant.
public struct Pacer: Sendable {
  /// The order in which packets leave.
  public enum Priority: UInt8, Hashable, Sendable, CaseIterable {
    /// Leaves at once, whatever the budget.
    case audio
    /// A packet that was asked for again.
    case retransmission
    /// Everything else, such as first transmissions of video.
    case video
  }

  /// A packet that waits.
  public struct Entry: Hashable, Sendable {
    /// The owner's number of the stream.
    public var stream: Int32
    /// The bytes it will have on the wire, about.
    public var size: Int32
    /// The extended sequence number in the stream.
    public var sequence: Int64
    /// When it came into the queue; entries that are too old are dropped.
    public var enqueued: Instant

    public init(stream: Int, sequence: Int64, size: Int, enqueued: Instant) {
      self.stream = Int32(truncatingIfNeeded: stream)
      self.sequence = sequence
      self.size = Int32(clamping: max(size, 1))
      self.enqueued = enqueued
    }
  }

  /// Bounds of a pacer.
  public struct Limits: Hashable, Sendable {
    /// Bytes that may wait, audio not counted.
    public var bytes: Int
    /// How long a packet may wait.
    public var time: TimeSpan
    /// How much time's worth of budget may be saved up: the length of the longest burst at the pacing rate.
    public var burst: TimeSpan

    /// Bounds; left out, 1.5 MiB, 2 s, and bursts of 5 ms.
    public init(bytes: Int = 3 << 19, time: TimeSpan = .seconds(2), burst: TimeSpan = .milliseconds(5)) {
      self.bytes = bytes
      self.time = time
      self.burst = burst
    }
  }

  public let limits: Limits
  /// The rate that packets leave at.
  public private(set) var rate: DataRate

  private var audio = PacerQueue()
  private var retransmissions = PacerQueue()
  private var video = PacerQueue()
  /// Bits that may be sent now; negative after a packet that was larger than what was left.
  private var credit: Double = 0
  private var refilled: Instant?

  /// A pacer with nothing to send.
  public init(rate: DataRate, limits: Limits = Limits()) {
    self.rate = rate
    self.limits = limits
  }

  /// Bytes that wait, audio not counted.
  public var queuedBytes: Int { retransmissions.bytes &+ video.bytes }
  /// Packets that wait, audio included.
  public var count: Int { audio.count &+ retransmissions.count &+ video.count }

  /// Changes the rate from `now` on.
  public mutating func setRate(_ rate: DataRate, now: Instant) {
    refill(now)
    self.rate = rate
    credit = min(credit, capacity)
  }

  /// Lets a packet wait for its turn; false when there is no room and the packet must be dropped.
  public mutating func enqueue(_ entry: Entry, _ priority: Priority) -> Bool {
    switch priority {
    case .audio:
      // A second of the shortest packets; more means that nobody transmits.
      guard audio.count < 400 else { return false }
      audio.append(entry)
    case .retransmission:
      guard queuedBytes &+ Int(entry.size) <= limits.bytes else { return false }
      retransmissions.append(entry)
    case .video:
      guard queuedBytes &+ Int(entry.size) <= limits.bytes else { return false }
      video.append(entry)
    }
    return true
  }

  /// The next packet that may leave now; nil when there is none or the budget is used up. Call ``sent(bytes:now:)`` for
  /// what was sent.
  public mutating func next(now: Instant) -> (entry: Entry, priority: Priority)? {
    if let entry = audio.removeFirst() { return (entry, .audio) }
    refill(now)
    guard credit > 0 else { return nil }
    if let entry = retransmissions.removeFirst() { return (entry, .retransmission) }
    if let entry = video.removeFirst() { return (entry, .video) }
    return nil
  }

  /// Whether something without a place in the queue (a probe, padding) may leave now.
  public mutating func mayPad(now: Instant) -> Bool {
    refill(now)
    return credit > 0 && audio.count == 0
  }

  /// Takes the bytes of a packet that was sent from the budget. Every packet counts, audio too.
  public mutating func sent(bytes: Int, now: Instant) {
    refill(now)
    credit -= Double(bytes) * 8
    // Packets sent outside the budget may not block it for long.
    credit = max(credit, -4 * capacity - 96_000)
  }

  /// When ``next(now:)`` will give something; ``Basics/Instant/distantFuture`` while nothing waits.
  public var deadline: Instant {
    if audio.count > 0 { return .zero }
    guard retransmissions.count > 0 || video.count > 0 else { return .distantFuture }
    return budgetDeadline
  }

  /// When the budget allows a packet again. Once used up, it waits for a few packets' worth, so that they leave
  /// together.
  public var budgetDeadline: Instant {
    guard let refilled else { return .zero }
    guard credit <= 0 else { return refilled }
    let missing = capacity / 2 - credit
    let seconds = missing / Double(max(rate.bitsPerSecond, 1_000))
    return refilled + TimeSpan(nanoseconds: Int64(min(seconds * 1e9, 1e12).rounded(.up)) &+ 1)
  }

  /// Removes the packets of streams for which `isGone`, and renumbers the rest by `renumber`.
  mutating func remap(_ renumber: (Int) -> Int?) {
    audio.remap(renumber)
    retransmissions.remap(renumber)
    video.remap(renumber)
  }

  /// The most bits that can be saved up.
  private var capacity: Double {
    max(Double(rate.bitsPerSecond) * limits.burst.seconds, 8)
  }

  private mutating func refill(_ now: Instant) {
    guard let last = refilled else {
      refilled = now
      credit = capacity
      return
    }
    guard now > last else { return }
    refilled = now
    credit = min(credit + (now - last).seconds * Double(rate.bitsPerSecond), capacity)
  }
}

/// A first-in-first-out queue in one array that is reused.
struct PacerQueue: Sendable {
  private var entries: ContiguousArray<Pacer.Entry> = []
  private var head = 0
  /// The sum of the entries' sizes.
  private(set) var bytes = 0

  var count: Int { entries.count &- head }
  var first: Pacer.Entry? { head < entries.count ? entries[head] : nil }

  mutating func append(_ entry: Pacer.Entry) {
    entries.append(entry)
    bytes &+= Int(entry.size)
  }

  mutating func removeFirst() -> Pacer.Entry? {
    guard head < entries.count else { return nil }
    let entry = entries[head]
    head &+= 1
    bytes &-= Int(entry.size)
    if head == entries.count {
      entries.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 256, head &* 2 >= entries.count {
      // Half of the array is behind: moved at most once per entry, on average.
      entries.removeFirst(head)
      head = 0
    }
    return entry
  }

  mutating func remap(_ renumber: (Int) -> Int?) {
    var kept: ContiguousArray<Pacer.Entry> = []
    bytes = 0
    for index in head..<entries.count {
      var entry = entries[index]
      guard let number = renumber(Int(entry.stream)) else { continue }
      entry.stream = Int32(truncatingIfNeeded: number)
      kept.append(entry)
      bytes &+= Int(entry.size)
    }
    entries = kept
    head = 0
  }
}
