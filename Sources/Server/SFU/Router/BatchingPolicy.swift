import Basics

/// When what waits in a router is to leave: at once, or a moment later where more of it then leaves together.
///
/// Several packets of one receiver that leave in one send cost little more than one of them, so waiting pays where more
/// is about to come for the same receivers, and nowhere else:
/// - **Pictures** for many receivers wait for the last packet of their frame, at most ``frame``. Nobody can show a
///   frame before that packet, so it is none the later for it.
/// - **Sound** waits where several voices go to many receivers, the longer the more copies leave, at most ``maximum``.
///
/// What needs not wait takes everything else with it. It reads no clock, and nothing is allocated. An object, whose
/// numbers change one by one: a value in the router would be checked for exclusive access as a whole, for each packet.
final class BatchingPolicy {
  /// How long the packets of a frame wait for its last one.
  static let frame = TimeSpan.milliseconds(1)
  /// From how many receivers on they do.
  static let frameReceivers = 8
  /// Copies of sound a second up to which sound leaves at once: fewer cost too little of a core to be worth any delay.
  static let fewCopies = 2_000.0
  /// Copies a second from which sound waits as long as it may.
  static let manyCopies = 4_000.0
  /// How many further packets must be expected while sound waits.
  private static let worthwhile = 0.5
  /// How often it is decided anew how long sound waits.
  static let window = TimeSpan.milliseconds(200)

  /// The longest wait of all.
  let maximum: TimeSpan
  /// How long sound waits now.
  private(set) var sound = TimeSpan.zero
  /// When the oldest of what waits came.
  private var since: Instant?
  /// When it is to leave.
  private var due = Instant.distantFuture
  private var windowStart = Instant.zero
  private var packets = 0
  private var copies = 0

  /// Nothing waits, and nothing will for longer than `maximum`.
  init(maximum: TimeSpan) { self.maximum = max(maximum, .zero) }

  /// When what waits is to leave; `zero` when nothing has to wait. Under load everything waits for `load` at least, but
  /// never longer than ``maximum``.
  @inline(__always)
  func deadline(load: TimeSpan) -> Instant {
    guard let since else { return .zero }
    return max(due, since + min(load, maximum))
  }

  /// Something waits that must not be held.
  @inline(__always)
  func addUrgent(now: Instant) { add(.zero, now) }

  /// A packet of a frame waits for `receivers`.
  @inline(__always)
  func addPicture(receivers: Int, endsFrame: Bool, now: Instant) {
    add(endsFrame || receivers < Self.frameReceivers ? .zero : min(Self.frame, maximum), now)
  }

  /// A packet of sound waits for `receivers`.
  @inline(__always)
  func addSound(receivers: Int, now: Instant) {
    packets &+= 1
    copies &+= receivers
    let elapsed = now - windowStart
    if elapsed >= Self.window { decide(elapsed, now) }
    add(sound, now)
  }

  /// Nothing waits any more.
  @inline(__always)
  func clear() {
    since = nil
    due = .distantFuture
  }

  @inline(__always)
  private func add(_ wait: TimeSpan, _ now: Instant) {
    if since == nil { since = now }
    due = min(due, now + wait)
  }

  private func decide(_ elapsed: TimeSpan, _ now: Instant) {
    let share = (Double(copies) / elapsed.seconds - Self.fewCopies) / (Self.manyCopies - Self.fewCopies)
    let wait = TimeSpan(nanoseconds: Int64(Double(maximum.nanoseconds) * min(max(share, 0), 1)))
    sound = Double(packets) / elapsed.seconds * wait.seconds >= Self.worthwhile ? wait : .zero
    windowStart = now
    packets = 0
    copies = 0
  }
}
