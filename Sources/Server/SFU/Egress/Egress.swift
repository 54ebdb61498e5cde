import Basics
import RTC

/// One receiver's outgoing side: its slots, its encryption, its transport-wide numbering and its retransmissions.
///
/// A packet is written by putting a header of its own together and encrypting the shared payload straight out of the
/// publication's store behind it; nothing else is copied.
public final class Egress {
  /// The router's number of the participant.
  public let participant: Int
  /// Its connection, in the numbering of the worker; the sink finds the path by it.
  var connection = 0
  public var subscriptions: ContiguousArray<Subscription> { slots }
  // Not visible outside of the module, and assigned as a whole: so the compiler can prove that nothing changes it while
  // it is read, and who reads it for each packet needs no check for exclusive access.
  private var slots: ContiguousArray<Subscription> = []
  /// The round-trip time, smoothed; nil while unknown.
  private(set) var roundTrip: TimeSpan?
  /// When it was last measured.
  private(set) var roundTripMeasured = Instant.zero
  /// The receiver's transport-wide feedback.
  public internal(set) var feedback = FeedbackSummary()

  /// Whether the receiver's connection is being made for the first time.
  private var isExpected = true
  /// Whether a stream began that the receiver should soon get a sender report of.
  var wantsReport = false
  /// Writes its packets, and knows what the path takes and what waits for it.
  var writer: EgressWriter
  private(set) var sender: SRTPSender? { didSet { keys = BorrowedReference(sender) } }
  /// What the streams' numbers were last counted for; stays while nothing may be sent, since no number is used twice
  /// under one key.
  private var keyedBy: SRTPSender?
  /// ``sender``, for packets that are forwarded: it does not change while they are.
  private(set) var keys = BorrowedReference<SRTPSender>(nil)
  /// Retransmissions that wait to be written.
  var resends: ContiguousArray<Resend> = []

  struct Resend {
    var subscription: Int32
    var origin: StreamRewriter.Origin
  }

  init(participant: Int, clock: NTPClock) {
    self.participant = participant
    writer = EgressWriter(clock: clock)
    writer.bandwidth.seed(participant)
  }

  /// Whether packets can be sent: there are keys, and the peer consents.
  public var isOpen: Bool { sender != nil }

  /// Whether keyframes may be asked for on the receiver's behalf: it can be sent to, or soon for the first time.
  var takesRequests: Bool { isOpen || isExpected }

  /// Whether packets leave encrypted by `sender`.
  func encrypts(with sender: SRTPSender) -> Bool { self.sender === sender }

  /// Packets leave encrypted by `sender` from now on. With other keys than before each stream's roll-over counter
  /// begins anew, as the receiver's does (RFC 3711 section 3.3.1).
  func open(_ sender: SRTPSender) {
    if let keyedBy, keyedBy !== sender {
      for subscription in subscriptions {
        subscription.rewriter.startOver()
        subscription.retransmissionSequence = StreamRewriter.first(subscription.retransmissionSequence)
      }
    }
    keyedBy = sender
    self.sender = sender
    isExpected = false
  }

  /// Nothing is sent any more (consent lost, or the connection ended). Waiting retransmissions are dropped.
  func close() {
    sender = nil
    isExpected = false
    resends.removeAll(keepingCapacity: true)
    writer.bandwidth.queue.removeAll()
  }

  func add(_ subscription: Subscription) { slots = slots + [subscription] }

  func remove(_ subscription: Subscription) {
    guard let index = subscriptions.firstIndex(where: { $0 === subscription }) else { return }
    var others = slots
    others.remove(at: index)
    slots = others
    // What waits names its slot by the place, and those behind this one have moved up.
    let place = Int32(truncatingIfNeeded: index)
    resends.removeAll { $0.subscription == place }
    for index in resends.indices where resends[index].subscription > place { resends[index].subscription -= 1 }
    writer.bandwidth.queue.removeSlot(place)
  }

  func removeAll() {
    resends.removeAll()
    slots = []
  }

  /// The subscription that sends under `ssrc`.
  func subscription(of ssrc: SSRC) -> Subscription? {
    for subscription in subscriptions where subscription.ssrc == ssrc { return subscription }
    return nil
  }

  /// A new measurement of the round-trip time.
  func measured(roundTrip sample: TimeSpan, now: Instant) {
    roundTripMeasured = now
    guard let old = roundTrip else {
      roundTrip = sample
      return
    }
    roundTrip = TimeSpan(nanoseconds: (old.nanoseconds &* 7 &+ sample.nanoseconds) / 8)
  }

  // MARK: Output

  /// Sends what the batch holds.
  @inline(__always)
  func send<Sink: PacketSink>(_ batch: OutputBatch, to sink: Sink) {
    if batch.isEmpty { return }
    sink.send(batch, to: self)
    batch.removeAll()
  }

  /// Encrypts the RTCP datagram in the first `length` bytes of the batch's report buffer, and sends it.
  func sendReport<Sink: PacketSink>(length: Int, batch: OutputBatch, to sink: Sink) -> Bool {
    guard !keys.isNil, length > 0 else { return false }
    if batch.isFull { send(batch, to: sink) }
    let protected = keys.use { sender in
      batch.bytes.write(batch.used..<batch.bytes.count) { output in
        for index in 0..<length { output[index] = batch.report[index] }
        return (try? sender.protectRTCP(&output, length: length)) ?? 0
      }
    }
    guard let protected, protected > 0 else { return false }
    batch.commit(length: protected)
    send(batch, to: sink)
    return true
  }
}
