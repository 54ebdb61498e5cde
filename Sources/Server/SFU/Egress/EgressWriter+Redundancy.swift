import Basics
import RTC

/// Audio packets with earlier audio in front (RED, RFC 2198).
extension EgressWriter {
  /// The furthest back that a block can lie: its header has 14 bits for it (RFC 2198 section 3).
  private static let maximumOffset: UInt32 = 0x3FFF
  /// The longest block: its header has 10 bits.
  private static let maximumBlock = 0x3FF
  /// Longer packets would be cut in two on the way.
  private static let maximumPayload = 1_150

  /// Writes a sound with the ones before it in front, for a receiver that loses some (RFC 2198); false when there is
  /// nothing to add, and nothing was written.
  mutating func appendWithRedundancy(
    _ packet: StoredPacket, of stream: SourceStream, _ numbers: StreamRewriter.Numbers, type: PayloadType,
    for subscription: Subscription, _ sender: SRTPSender, batch: OutputBatch, now: Instant,
    _ counters: inout RouterCounters
  ) -> Bool {
    let scratch = batch.scratch
    let own = Int(packet.payloadLength)
    var blocks = 0
    var header = 0
    var total = 1 &+ own
    // Oldest first, as the packet has them.
    var distance = Int64(subscription.redundancy.level)
    var slots: (first: Int, second: Int) = (-1, -1)
    while distance > 0 {
      if let slot = stream.store.slot(of: packet.sequence &- distance) {
        let earlier = stream.store[slot]
        let age = packet.timestamp.rawValue &- earlier.timestamp.rawValue
        let length = Int(earlier.payloadLength)
        if earlier.redPrimaryOffset == 0, earlier.payloadType == packet.payloadType, length > 0,
          length <= Self.maximumBlock, age > 0, age <= Self.maximumOffset, total &+ 4 &+ length <= Self.maximumPayload
        {
          scratch[header] = 0x80 | type.rawValue
          let fields = age << 10 | UInt32(truncatingIfNeeded: length)
          scratch[header &+ 1] = UInt8(truncatingIfNeeded: fields >> 16)
          scratch[header &+ 2] = UInt8(truncatingIfNeeded: fields >> 8)
          scratch[header &+ 3] = UInt8(truncatingIfNeeded: fields)
          header &+= 4
          total &+= 4 &+ length
          if blocks == 0 { slots.first = slot } else { slots.second = slot }
          blocks &+= 1
        }
      }
      distance &-= 1
    }
    guard blocks > 0, own <= Self.maximumPayload, total <= scratch.count else { return false }
    scratch[header] = type.rawValue & 0x7F
    var position = header &+ 1
    Self.copy(stream, slots.first, to: scratch, &position)
    if blocks > 1 { Self.copy(stream, slots.second, to: scratch, &position) }
    let start = Int(packet.offset)
    let store = stream.store
    scratch.copy(store.span(start..<(start &+ own), of: packet), to: position)

    let headerLength = headers.writeHeader(
      packet, of: stream, numbers, for: subscription, ssrc: subscription.ssrc,
      type: subscription.redundancy.payloadType, sequence: UInt16(truncatingIfNeeded: numbers.sequence),
      number: bandwidth.nextSequence, batch: batch, now: now)
    guard headerLength > 0,
      writeMedia(
        headerLength, scratch.span(0..<total), octets: total, numbers, of: .audio, for: subscription, sender,
        batch: batch, now: now, &counters)
    else { return false }
    counters.redundantPackets &+= 1
    return true
  }

  private static func copy(_ stream: SourceStream, _ slot: Int, to scratch: ByteBlock, _ position: inout Int) {
    let packet = stream.store[slot]
    let length = Int(packet.payloadLength)
    let start = Int(packet.offset)
    let store = stream.store
    scratch.copy(store.span(start..<(start &+ length), of: packet), to: position)
    position &+= length
  }
}
