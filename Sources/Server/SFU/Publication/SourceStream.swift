import Basics
public import RTC

/// One RTP stream as it comes from a publisher: a publication, or one simulcast layer of it.
///
/// It keeps what is measured about the stream, what is missing, the recent packets, and which of them wait to be
/// forwarded in this tick.
public final class SourceStream {
  /// Most packets that wait in one tick; the router must be flushed before.
  static let maximumPending = 128

  public let ssrc: SSRC
  /// The SSRC of its retransmissions, once known.
  public internal(set) var retransmissionSSRC: SSRC?
  /// The simulcast layer; nil without simulcast.
  public let layer: HeaderExtensionText?
  /// The RTP clock rate in ticks per second.
  public let clockRate: UInt32
  public let store: RetransmissionStore

  let kind: MediaKind
  /// Whether its frames are encrypted end to end.
  let isEncrypted: Bool
  /// The codec of its video packets; nil before the first.
  var codec: Codec?
  var nacks: NackGenerator
  var statistics: ReceiveStatistics
  var keyframes = KeyframeThrottle()
  /// Its layers, and their rates.
  var layers = SourceLayers()
  /// Reads the dependency descriptors of its packets; nil while none came.
  var dependencies: DependencyReader? { didSet { descriptions = BorrowedReference(dependencies) } }
  /// ``dependencies``, for packets that come: it stays while one is read.
  private(set) var descriptions = BorrowedReference<DependencyReader>(nil)
  /// Routers that lack some of it because the ring to them was full; nearly always none.
  var backlog: ContiguousArray<RelayBacklog> = []
  /// Slots of the store that wait to be forwarded.
  let pending = PendingSlots()
  /// The stream's place among those that the router forwards, see ``ReadyStreams``; -1 before its first packet.
  var place = -1
  /// The place of the stream that waits behind it; -1 for none.
  var next = -1
  /// Whose turn it is among the streams of sound that wait, 0 first; -1 for none.
  var turn = -1
  /// How the stream's clock relates to its sender's wall clock, from the newest sender report.
  var mapping: SenderReportMapping?
  /// The counts at the last judgement of the publisher's connection.
  var judged = (expected: 0, lost: 0, received: UInt32(0))
  /// How many packets its sender had sent by its newest report, and how many had come then.
  var sentBefore: (count: UInt32, received: UInt32)?
  /// Whether its sender has sent more between its last two reports, and nothing came.
  var isBlocked = false
  /// The newest orientation byte, repeated on each packet so that the packets of a burst have one size.
  var orientation: UInt8 = StoredPacket.absent
  /// Sequence number extended to 64 bits.
  private(set) var highest: Int64 = -1
  /// The highest number of what came and was not kept; negative when there is none.
  private var unkept: Int64 = -1
  /// The number that would follow one far behind the highest, and mean that the sender began anew.
  private var restartCandidate: SequenceNumber?
  /// When the newest packet arrived.
  var lastArrival = Instant.zero
  var packets: UInt64 = 0
  /// With which packet the newest keyframe began, and of what time it is; -1 before the first one.
  private var keyframe: Int64 = -1
  private var keyframeTime = RTPTimestamp(rawValue: 0)

  init(
    ssrc: SSRC, layer: HeaderExtensionText?, kind: MediaKind, clockRate: UInt32, usesNack: Bool,
    isEncrypted: Bool = false
  ) {
    self.ssrc = ssrc
    self.layer = layer
    self.kind = kind
    self.isEncrypted = isEncrypted
    self.clockRate = clockRate
    store = RetransmissionStore(limits: kind == .audio ? .audio : .video)
    nacks = NackGenerator()
    statistics = ReceiveStatistics(ssrc: ssrc, clockRate: clockRate)
    acceptsNack = usesNack
  }

  /// Whether lost packets are asked for.
  let acceptsNack: Bool

  /// Extends a 16-bit sequence number by the highest one that came (RFC 3550 appendix A.1), kept or not.
  @inline(__always)
  func extend(_ sequence: SequenceNumber) -> Int64 {
    let highest = max(highest, unkept)
    guard highest >= 0 else { return Int64(sequence.rawValue) &+ 0x1_0000 }
    let low = UInt16(truncatingIfNeeded: highest)
    return highest &+ Int64(Int16(truncatingIfNeeded: Int(sequence.rawValue) &- Int(low)))
  }

  /// Extends the number of a packet that is no repair. Two that follow each other, further behind than the store
  /// reaches, are a sender that began anew: its numbers go on above the highest.
  @inline(__always)
  func extendOriginal(_ sequence: SequenceNumber) -> Int64 {
    let number = extend(sequence)
    guard number <= max(highest, unkept) &- Int64(store.capacity) else { return number }
    guard restartCandidate == sequence else {
      restartCandidate = SequenceNumber(rawValue: sequence.rawValue &+ 1)
      return number
    }
    restartCandidate = nil
    return number &+ 0x1_0000
  }

  /// A packet came that is not kept, since its publication is muted. The next one that is counts from it: after 32,768
  /// of them it would be taken for an old one.
  @inline(__always)
  func passOver(_ sequence: Int64) { unkept = max(unkept, sequence) }

  /// Keeps a packet and lets it wait for the next flush; nil when that worked, else why not.
  func accept(
    _ packet: StoredPacket, descriptor: Span<UInt8>, payload: Span<UInt8>
  ) -> RoutingDrop? {
    guard pending.count < Self.maximumPending, !overwritesPending(packet.sequence) else { return .overload }
    switch store.insert(packet, descriptor: descriptor, payload: payload) {
    case .stored(let slot):
      pending.append(slot)
    case .duplicate: return .duplicate
    case .tooOld: return .tooOld
    case .tooLarge: return .tooLarge
    }
    if packet.sequence > highest { highest = packet.sequence }
    if packet.startsKeyframe {
      keyframes.keyframeArrived()
      // Each spatial layer may begin with such a packet; who starts needs the first one.
      if packet.sequence > keyframe, keyframe < 0 || packet.timestamp != keyframeTime {
        keyframe = packet.sequence
        keyframeTime = packet.timestamp
      }
    }
    if packet.orientation != StoredPacket.absent { orientation = packet.orientation }
    lastArrival = packet.arrival
    packets &+= 1
    if kind == .video { countLayers(packet, payload: payload.count) }
    return nil
  }

  /// Whether a packet might take the slot of one that still waits: that slot's packet would then leave twice under one
  /// number, and a number must not be used twice with one key (RFC 7714 section 8.1).
  @inline(__always)
  private func overwritesPending(_ sequence: Int64) -> Bool {
    guard let first = pending.first else { return false }
    return (sequence &- store[first].sequence).magnitude >= UInt64(store.capacity / 2)
  }

  /// Whether a keyframe began after `sequence`, so that what is missing up to there does not matter any more.
  func hasKeyframe(after sequence: Int64) -> Bool { keyframe > sequence }

  /// Its sender goes over to another codec: what the packets so far said of layers and sizes holds no longer.
  func begin(_ codec: Codec) {
    self.codec = codec
    var new = SourceLayers()
    new.rank = layers.rank
    new.hasChanged = true
    layers = new
    dependencies = nil
  }

  /// Forgets what waits and is not kept any more, since so much came at once that newer packets took its place. Returns
  /// how many packets it was.
  func dropOverwritten() -> Int {
    // The oldest goes first.
    guard let first = pending.first, !store.isCurrent(store[first]) else { return 0 }
    let before = pending.count
    pending.removeAll { !store.isCurrent(store[$0]) }
    return before &- pending.count
  }

  /// Packets of one frame differ by a byte or two; padded to one size they leave in one segmented send. A group's last
  /// packet may stay shorter.
  func evenOut() {
    let limit = 16
    var start = 0
    while start < pending.count {
      var smallest = store[pending[start]].payloadLength
      var largest = smallest
      var end = start + 1
      while end < pending.count {
        let length = store[pending[end]].payloadLength
        let low = min(smallest, length)
        let high = max(largest, length)
        guard Int(high) - Int(low) <= limit else { break }
        smallest = low
        largest = high
        end += 1
      }
      if end - start > 1, smallest > 0, smallest != largest {
        for index in start..<(end - 1) {
          let slot = pending[index]
          if store[slot].payloadLength < largest { store.setPaddedLength(largest, slot: slot) }
        }
      }
      start = end
    }
  }

  /// The slots of what came since the newest keyframe and does not wait to be forwarded, in order: with them a receiver
  /// can start that was not there when it came. None when the keyframe began before `earliest`, waits itself, or has
  /// more than ``maximumPending`` packets behind it. Allocates; meant for newcomers.
  func sinceKeyframe(notBefore earliest: Instant) -> ContiguousArray<Int> {
    guard keyframe >= 0, highest &- keyframe < Int64(Self.maximumPending), let first = store.slot(of: keyframe),
      store[first].arrival >= earliest, !pending.contains(first)
    else { return [] }
    var slots = ContiguousArray<Int>()
    for sequence in keyframe...highest {
      // A missing packet was lost, and fills its gap when it comes.
      if let slot = store.slot(of: sequence), !pending.contains(slot) { slots.append(slot) }
    }
    return slots
  }
}
