public import Basics
import RTC

/// One receiver's outgoing side: its slots, its encryption, its transport-wide numbering and its retransmissions.
///
/// A packet is written by putting a header of its own together and encrypting the shared payload straight out of the
/// publication's store behind it; nothing else is copied.
public final class Outlet {
  /// The router's number of the participant.
  public let participant: Int
  /// Whose it is, in the numbering of the worker; the sink finds the way by it.
  public var connection = 0
  /// The slots.
  public private(set) var subscriptions: ContiguousArray<Subscription> = []
  /// The round-trip time, smoothed; nil while unknown.
  public private(set) var roundTrip: TimeSpan?
  /// What the receiver's transport-wide feedback says.
  public internal(set) var feedback = FeedbackSummary()

  /// Whether a stream began that the receiver should soon get a sender report of.
  var wantsReport = false
  /// What the path takes, and what waits for it.
  var bandwidth = SubscriberBandwidth()
  private(set) var sender: SRTPSender?
  private let clock: NTPClock
  private var budget = RetransmissionBudget()
  private var resends: ContiguousArray<Resend> = []
  private static let maximumResends = 256

  private struct Resend {
    var subscription: Int32
    var origin: StreamRewriter.Origin
  }

  init(participant: Int, clock: NTPClock) {
    self.participant = participant
    self.clock = clock
  }

  /// Whether packets can be sent: there are keys, and the peer consents.
  public var isOpen: Bool { sender != nil }

  /// Packets leave encrypted by `sender` from now on.
  func open(_ sender: SRTPSender) { self.sender = sender }

  /// Nothing is sent any more (consent lost, or the connection ended). Waiting retransmissions are dropped.
  func close() {
    sender = nil
    resends.removeAll(keepingCapacity: true)
    bandwidth.queue.removeAll()
  }

  func add(_ subscription: Subscription) { subscriptions.append(subscription) }

  func remove(_ subscription: Subscription) {
    resends.removeAll(keepingCapacity: true)
    bandwidth.queue.removeAll()
    subscriptions.removeAll { $0 === subscription }
  }

  func removeAll() {
    resends.removeAll()
    subscriptions.removeAll()
  }

  /// The subscription that sends under `ssrc`.
  func subscription(of ssrc: SSRC) -> Subscription? {
    for subscription in subscriptions where subscription.ssrc == ssrc { return subscription }
    return nil
  }

  /// A new measurement of the round-trip time.
  func measured(roundTrip sample: TimeSpan) {
    guard let old = roundTrip else {
      roundTrip = sample
      return
    }
    roundTrip = TimeSpan(nanoseconds: (old.nanoseconds &* 7 &+ sample.nanoseconds) / 8)
  }

  // MARK: Forwarding

  /// Writes what waits of `stream` for `subscription`; sends the batch when it is full.
  @inline(__always)
  func write<Sink: PacketSink>(
    _ stream: SourceStream, for subscription: Subscription, from first: Int = 0, batch: OutputBatch, now: Instant,
    to sink: Sink, _ counters: inout RouterCounters
  ) {
    guard let sender else { return }
    let count = stream.pending.count
    let isPaced = bandwidth.isPacing && stream.kind == .video
    if isPaced { bandwidth.queue.refill(bandwidth.estimator.target, now: now) }
    var index = first
    while index < count {
      let packet = stream.store[Int(stream.pending[index])]
      index &+= 1
      var type = subscription.payloadType(for: packet.payloadType)
      var skipped = 0
      if type == nil, packet.redPrimaryOffset != 0 {
        // The receiver takes no redundancy: it gets the primary block alone (RFC 2198 section 3).
        skipped = Int(packet.redPrimaryOffset)
        type = subscription.payloadType(for: packet.redPrimaryType)
      }
      guard let type else {
        subscription.rewriter.skip(packet)
        continue
      }
      guard let numbers = subscription.numbers(for: packet, of: stream, now: now) else { continue }
      if isPaced, !bandwidth.queue.admits {
        enqueue(packet, of: stream, numbers, for: subscription, now: now, &counters)
        continue
      }
      if batch.isFull { send(batch, to: sink) }
      if numbers.isFiller {
        appendFiller(numbers, type: type, for: subscription, sender, batch: batch, now: now, &counters)
        continue
      }
      append(
        packet, of: stream, numbers, type: type, skipping: skipped, for: subscription, sender, batch: batch, now: now,
        &counters)
    }
  }

  /// Sends what the batch holds.
  @inline(__always)
  func send<Sink: PacketSink>(_ batch: OutputBatch, to sink: Sink) {
    if batch.isEmpty { return }
    sink.send(batch, to: self)
    batch.removeAll()
  }

  func append(
    _ packet: StoredPacket, of stream: SourceStream, _ numbers: StreamRewriter.Numbers, type: PayloadType,
    skipping skipped: Int, for subscription: Subscription, _ sender: SRTPSender, batch: OutputBatch, now: Instant,
    _ counters: inout RouterCounters
  ) {
    if packet.redPrimaryOffset != 0, skipped == 0, subscription.rewritesRedundancy {
      appendRedundancy(
        packet, of: stream, numbers, type: type, for: subscription, sender, batch: batch, now: now, &counters)
      return
    }
    if subscription.redundancy.level != 0, packet.redPrimaryOffset == 0,
      appendWithRedundancy(
        packet, of: stream, numbers, type: type, for: subscription, sender, batch: batch, now: now, &counters)
    {
      return
    }
    var length = Int(packet.payloadLength) &- skipped
    let offset = Int(packet.offset) &+ skipped
    renumber(packet, numbers, in: stream.store)

    let headerLength = writeHeader(
      packet, of: stream, numbers, for: subscription, ssrc: subscription.ssrc, type: type,
      sequence: UInt16(truncatingIfNeeded: numbers.sequence), batch: batch, now: now)
    guard headerLength > 0 else { return }

    // Padding that makes the packet as long as the others of its burst.
    var padding = 0
    if packet.paddedLength > packet.payloadLength {
      padding = Int(packet.paddedLength &- packet.payloadLength)
    }
    let segment = batch.openSegment
    if segment > 0 {
      let missing = segment &- (headerLength &+ length &+ padding &+ sender.rtpOverhead)
      if missing > 0, missing &+ padding <= RetransmissionStore.tailroom &- 8 { padding &+= missing }
    }
    if padding > 0 {
      stream.store.setByte(
        UInt8(truncatingIfNeeded: padding), at: skipped &+ length &+ padding &- 1, of: packet)
      batch.header[0] |= 0x20
      length &+= padding
    }

    let written = protect(
      headerLength, stream.store.block(of: packet), offset..<(offset &+ length), sender, batch, &counters)
    guard written > 0 else { return }
    bandwidth.sent(bytes: written, stream.kind == .audio ? .audio : .video, now: now)
    subscription.packetCount &+= 1
    subscription.octetCount &+= UInt32(truncatingIfNeeded: length &- padding)
    budget.sent(bytes: written)
    counters.packetsForwarded &+= 1
    counters.bytesForwarded &+= UInt64(truncatingIfNeeded: written)
  }

  /// An empty packet (padding alone, RFC 3550 section 5.1) under a number that the receiver would otherwise ask for in vain.
  func appendFiller(
    _ numbers: StreamRewriter.Numbers, type: PayloadType, for subscription: Subscription, _ sender: SRTPSender,
    batch: OutputBatch, now: Instant, _ counters: inout RouterCounters
  ) {
    let layout = subscription.layout
    let headerLength = batch.header.write(0..<batch.header.count) { buffer in
      (try? fillerHeader(numbers, type: type, layout, ssrc: subscription.ssrc, now: now, into: &buffer)) ?? 0
    }
    guard headerLength > 0 else { return }
    batch.scratch[0] = 1
    let written = protect(headerLength, batch.scratch, 0..<1, sender, batch, &counters)
    guard written > 0 else { return }
    bandwidth.sent(bytes: written, .video, now: now)
    subscription.packetCount &+= 1
    counters.packetsForwarded &+= 1
    counters.bytesForwarded &+= UInt64(truncatingIfNeeded: written)
  }

  private func fillerHeader(
    _ numbers: StreamRewriter.Numbers, type: PayloadType, _ layout: ExtensionLayout, ssrc: SSRC, now: Instant,
    into buffer: inout MutableSpan<UInt8>
  ) throws(RTPError) -> Int {
    var writer = RTPHeaderWriter()
    try writer.begin(
      payloadType: type, marker: false,
      sequenceNumber: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: numbers.sequence)),
      timestamp: RTPTimestamp(rawValue: numbers.timestamp), ssrc: ssrc, hasPadding: true, into: &buffer)
    if layout.transportSequence != 0 {
      try writer.append(id: layout.transportSequence, uint16: bandwidth.nextSequence, into: &buffer)
    } else if layout.absSendTime != 0 {
      try writer.append(id: layout.absSendTime, uint24: AbsSendTime(clock.time(at: now)).rawValue, into: &buffer)
    }
    return try writer.finish(into: &buffer)
  }

  /// A RED packet for a receiver that knows the blocks under other payload types: its block headers are changed in a copy.
  private func appendRedundancy(
    _ packet: StoredPacket, of stream: SourceStream, _ numbers: StreamRewriter.Numbers, type: PayloadType,
    for subscription: Subscription, _ sender: SRTPSender, batch: OutputBatch, now: Instant,
    _ counters: inout RouterCounters
  ) {
    let length = Int(packet.payloadLength)
    guard length <= batch.scratch.count else { return }
    var index = 0
    while index < length {
      batch.scratch[index] = stream.store.byte(at: index, of: packet)
      index &+= 1
    }
    var header = 0
    while header < Int(packet.redPrimaryOffset) {
      let byte = batch.scratch[header]
      if let mapped = subscription.payloadType(for: PayloadType(rawValue: byte & 0x7F)) {
        batch.scratch[header] = byte & 0x80 | mapped.rawValue
      }
      if byte & 0x80 == 0 { break }
      header &+= 4
    }
    let headerLength = writeHeader(
      packet, of: stream, numbers, for: subscription, ssrc: subscription.ssrc, type: type,
      sequence: UInt16(truncatingIfNeeded: numbers.sequence), batch: batch, now: now)
    guard headerLength > 0 else { return }
    let written = protect(headerLength, batch.scratch, 0..<length, sender, batch, &counters)
    guard written > 0 else { return }
    bandwidth.sent(bytes: written, .audio, now: now)
    subscription.packetCount &+= 1
    subscription.octetCount &+= UInt32(truncatingIfNeeded: length)
    counters.packetsForwarded &+= 1
    counters.bytesForwarded &+= UInt64(truncatingIfNeeded: written)
  }

  /// Writes picture id and TL0PICIDX into the shared payload. Each receiver's numbers are written before its copy
  /// is encrypted, so what the last one left behind does not matter.
  @inline(__always)
  private func renumber(_ packet: StoredPacket, _ numbers: StreamRewriter.Numbers, in store: RetransmissionStore) {
    let picture = packet.picture
    if picture.pictureIDOffset != 0 {
      let offset = Int(picture.pictureIDOffset)
      if picture.isLongPictureID {
        store.setByte(0x80 | UInt8(truncatingIfNeeded: numbers.pictureID >> 8), at: offset, of: packet)
        store.setByte(UInt8(truncatingIfNeeded: numbers.pictureID), at: offset &+ 1, of: packet)
      } else {
        store.setByte(UInt8(truncatingIfNeeded: numbers.pictureID & 0x7F), at: offset, of: packet)
      }
    }
    if picture.tl0Offset != 0 {
      store.setByte(numbers.tl0PictureIndex, at: Int(picture.tl0Offset), of: packet)
    }
  }

  /// Writes the header of a receiver's copy into the batch's header buffer and returns its length, 0 when it does not fit.
  func writeHeader(
    _ packet: StoredPacket, of stream: SourceStream, _ numbers: StreamRewriter.Numbers, for subscription: Subscription,
    ssrc: SSRC, type: PayloadType, sequence: UInt16, batch: OutputBatch, now: Instant
  ) -> Int {
    let descriptor = rewriteDescriptor(packet, numbers, of: stream, for: subscription, batch: batch)
    return batch.header.write(0..<batch.header.count) { buffer in
      (try? header(
        packet, of: stream, numbers, for: subscription, ssrc: ssrc, type: type, sequence: sequence,
        rewritten: descriptor, in: batch.scratch, now: now, into: &buffer)) ?? 0
    }
  }

  @inline(__always)
  private func header(
    _ packet: StoredPacket, of stream: SourceStream, _ numbers: StreamRewriter.Numbers, for subscription: Subscription,
    ssrc: SSRC, type: PayloadType, sequence: UInt16, rewritten: Int, in scratch: ByteBlock, now: Instant,
    into buffer: inout MutableSpan<UInt8>
  ) throws(RTPError) -> Int {
    let layout = subscription.layout
    var writer = RTPHeaderWriter()
    let descriptor = layout.dependencyDescriptor != 0 ? max(Int(packet.descriptorLength), rewritten) : 0
    try writer.begin(
      payloadType: type, marker: packet.marker || numbers.endsPicture,
      sequenceNumber: SequenceNumber(rawValue: sequence), timestamp: RTPTimestamp(rawValue: numbers.timestamp),
      ssrc: ssrc, twoByte: descriptor > 16, into: &buffer)
    if layout.transportSequence != 0 {
      try writer.append(id: layout.transportSequence, uint16: bandwidth.nextSequence, into: &buffer)
    } else if layout.absSendTime != 0 {
      let time = AbsSendTime(clock.time(at: now))
      try writer.append(id: layout.absSendTime, uint24: time.rawValue, into: &buffer)
    }
    if layout.mid != 0, subscription.midPackets > 0, let mid = subscription.mid {
      subscription.midPackets &-= 1
      try writer.append(id: layout.mid, text: mid, into: &buffer)
    }
    if layout.audioLevel != 0, stream.kind == .audio {
      let level = packet.audioLevel == StoredPacket.absent ? 127 : packet.audioLevel
      try writer.append(id: layout.audioLevel, uint8: level, into: &buffer)
    }
    if layout.orientation != 0, stream.orientation != StoredPacket.absent {
      let turned = packet.orientation == StoredPacket.absent ? stream.orientation : packet.orientation
      try writer.append(id: layout.orientation, uint8: turned, into: &buffer)
    }
    if layout.playoutDelay != 0, packet.playoutDelay != StoredPacket.absentDelay {
      try writer.append(id: layout.playoutDelay, uint24: packet.playoutDelay, into: &buffer)
    }
    if rewritten > 0 {
      try writer.append(id: layout.dependencyDescriptor, bytes: scratch.span(0..<rewritten), into: &buffer)
    } else if descriptor > 0 {
      let start = Int(packet.offset) &- RetransmissionStore.headroom &- descriptor
      let block = stream.store.block(of: packet)
      try writer.append(
        id: layout.dependencyDescriptor, bytes: block.span(start..<(start &+ descriptor)), into: &buffer)
    }
    return try writer.finish(into: &buffer)
  }

  /// Encrypts a payload behind the header in the batch; the packet's length, 0 when that failed.
  @inline(__always)
  func protect(
    _ headerLength: Int, _ block: ByteBlock, _ payload: Range<Int>, _ sender: SRTPSender, _ batch: OutputBatch,
    _ counters: inout RouterCounters
  ) -> Int {
    let header = batch.header
    let length = batch.bytes.write(batch.used..<batch.bytes.count) { output in
      (try? sender.protectRTP(
        header: header.span(0..<headerLength), payload: block.span(payload), into: &output)) ?? 0
    }
    guard length > 0 else {
      counters.protectFailures &+= 1
      return 0
    }
    batch.commit(length: length)
    return length
  }

  // MARK: Retransmission

  /// Whether retransmissions wait.
  var hasResends: Bool { !resends.isEmpty }

  /// The receiver lost `sequence` of `subscription`: queues a retransmission when the packet is still there and the budget allows it.
  func negativeAcknowledgement(
    _ sequence: SequenceNumber, of subscription: Subscription, index: Int, now: Instant,
    _ counters: inout RouterCounters
  ) {
    guard isOpen, subscription.retransmissionSSRC != nil,
      let origin = subscription.rewriter.source(of: sequence),
      let stream = subscription.stream(bySerial: origin.serial)
    else { return }
    guard let slot = stream.store.slot(of: origin.source) else {
      counters.retransmissionsMissing &+= 1
      return
    }
    let bounded = min(max(roundTrip ?? .milliseconds(100), .milliseconds(10)), .seconds(1))
    let length = Int(stream.store[slot].payloadLength) &+ 64
    guard resends.count < Self.maximumResends, bandwidth.allowsRepair(bytes: length),
      budget.take(bytes: length, sequence: origin.out, stream: index, roundTrip: bounded, now: now)
    else {
      counters.retransmissionsRefused &+= 1
      return
    }
    resends.append(Resend(subscription: Int32(truncatingIfNeeded: index), origin: origin))
  }

  /// Writes the queued retransmissions (RFC 4588).
  func writeResends<Sink: PacketSink>(
    batch: OutputBatch, now: Instant, to sink: Sink, _ counters: inout RouterCounters
  ) {
    guard let sender else {
      resends.removeAll(keepingCapacity: true)
      return
    }
    for resend in resends {
      let index = Int(resend.subscription)
      guard subscriptions.indices.contains(index) else { continue }
      let subscription = subscriptions[index]
      let origin = resend.origin
      guard let stream = subscription.stream(bySerial: origin.serial), let slot = stream.store.slot(of: origin.source)
      else { continue }
      let packet = stream.store[slot]
      guard let numbers = subscription.rewriter.numbers(of: packet, out: origin.out, serial: origin.serial)
      else { continue }
      if batch.isFull { send(batch, to: sink) }
      appendResend(
        packet, of: stream, numbers, for: subscription, sender, use: .retransmission, batch: batch, now: now, &counters)
    }
    resends.removeAll(keepingCapacity: true)
  }

  func appendResend(
    _ packet: StoredPacket, of stream: SourceStream, _ numbers: StreamRewriter.Numbers,
    for subscription: Subscription, _ sender: SRTPSender, use: SubscriberBandwidth.Use, batch: OutputBatch,
    now: Instant,
    _ counters: inout RouterCounters
  ) {
    guard let ssrc = subscription.retransmissionSSRC,
      let original = subscription.payloadType(for: packet.payloadType),
      let type = subscription.retransmissionType(for: original)
    else { return }
    renumber(packet, numbers, in: stream.store)
    // The original sequence number comes before the payload, where the store leaves room for it.
    stream.store.setByte(UInt8(truncatingIfNeeded: numbers.sequence >> 8), at: -2, of: packet)
    stream.store.setByte(UInt8(truncatingIfNeeded: numbers.sequence), at: -1, of: packet)
    let headerLength = writeHeader(
      packet, of: stream, numbers, for: subscription, ssrc: ssrc, type: type,
      sequence: subscription.retransmissionSequence, batch: batch, now: now)
    guard headerLength > 0 else { return }
    let start = Int(packet.offset) &- RetransmissionStore.headroom
    // A number that was filled has nothing behind it.
    let end = Int(packet.offset) &+ (numbers.isFiller ? 0 : Int(packet.payloadLength))
    let written = protect(headerLength, stream.store.block(of: packet), start..<end, sender, batch, &counters)
    guard written > 0 else { return }
    subscription.retransmissionSequence &+= 1
    bandwidth.sent(bytes: written, use, now: now)
    if use == .padding { counters.paddings &+= 1 } else { counters.retransmissions &+= 1 }
    counters.packetsForwarded &+= 1
    counters.bytesForwarded &+= UInt64(truncatingIfNeeded: written)
  }

  /// Encrypts the RTCP datagram in the first `length` bytes of the batch's report buffer, and sends it.
  func sendReport<Sink: PacketSink>(length: Int, batch: OutputBatch, to sink: Sink) -> Bool {
    guard let sender, length > 0 else { return false }
    if batch.isFull { send(batch, to: sink) }
    let report = batch.report
    let protected = batch.bytes.write(batch.used..<batch.bytes.count) { output in
      for index in 0..<length { output[index] = report[index] }
      return (try? sender.protectRTCP(&output, length: length)) ?? 0
    }
    guard protected > 0 else { return false }
    batch.commit(length: protected)
    send(batch, to: sink)
    return true
  }
}
