import Basics
import RTC

/// The header that each receiver's copy of a packet has, and the numbers in its payload.
extension Outlet {
  /// Writes the header of a receiver's copy into the batch's header buffer and returns its length, 0 when it does not fit. `number` is the one for
  /// transport-wide feedback.
  func writeHeader(
    _ packet: StoredPacket, of stream: SourceStream, _ numbers: StreamRewriter.Numbers, for subscription: Subscription,
    ssrc: SSRC, type: PayloadType, sequence: UInt16, number: UInt16, batch: OutputBatch, now: Instant
  ) -> Int {
    let descriptor = rewriteDescriptor(packet, numbers, of: stream, for: subscription, batch: batch)
    return batch.header.write(0..<batch.header.count) { buffer in
      (try? header(
        packet, of: stream, numbers, for: subscription, ssrc: ssrc, type: type, sequence: sequence,
        number: number, rewritten: descriptor, in: batch.scratch, now: now, into: &buffer)) ?? 0
    }
  }

  @inline(__always)
  private func header(
    _ packet: StoredPacket, of stream: SourceStream, _ numbers: StreamRewriter.Numbers, for subscription: Subscription,
    ssrc: SSRC, type: PayloadType, sequence: UInt16, number: UInt16, rewritten: Int, in scratch: ByteBlock,
    now: Instant,
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
      try writer.append(id: layout.transportSequence, uint16: number, into: &buffer)
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
      let store = stream.store
      try writer.append(
        id: layout.dependencyDescriptor, bytes: store.span(start..<(start &+ descriptor), of: packet), into: &buffer)
    }
    return try writer.finish(into: &buffer)
  }

  func fillerHeader(
    _ numbers: StreamRewriter.Numbers, type: PayloadType, _ layout: ExtensionLayout, ssrc: SSRC, number: UInt16,
    now: Instant,
    into buffer: inout MutableSpan<UInt8>
  ) throws(RTPError) -> Int {
    var writer = RTPHeaderWriter()
    try writer.begin(
      payloadType: type, marker: false,
      sequenceNumber: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: numbers.sequence)),
      timestamp: RTPTimestamp(rawValue: numbers.timestamp), ssrc: ssrc, hasPadding: true, into: &buffer)
    if layout.transportSequence != 0 {
      try writer.append(id: layout.transportSequence, uint16: number, into: &buffer)
    } else if layout.absSendTime != 0 {
      try writer.append(id: layout.absSendTime, uint24: AbsSendTime(clock.time(at: now)).rawValue, into: &buffer)
    }
    return try writer.finish(into: &buffer)
  }

  /// Writes picture id and TL0PICIDX into the shared payload. Each receiver's numbers are written before its copy
  /// is encrypted, so what the last one left behind does not matter.
  @inline(__always)
  func renumber(_ packet: StoredPacket, _ numbers: StreamRewriter.Numbers, in store: RetransmissionStore) {
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
}
