import Basics
import RTC

/// Writes the header that each receiver's copy of a packet has, and the numbers in its payload.
struct EgressHeaderWriter {
  /// For receivers that estimate from the time of sending.
  let clock: NTPClock

  /// Writes the header of a receiver's copy into the batch's header buffer and returns its length, 0 when it does not
  /// fit. `number` is the one for transport-wide feedback.
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

  /// Writes the header of a packet of padding alone (RFC 3550 section 5.1) and returns its length, 0 when it doesn't
  /// fit.
  func writePaddingHeader(
    ssrc: SSRC, type: PayloadType, sequence: UInt16, timestamp: UInt32, mid: HeaderExtensionText?,
    _ layout: ExtensionLayout, number: UInt16, batch: OutputBatch, now: Instant
  ) -> Int {
    batch.header.write(0..<batch.header.count) { buffer in
      (try? paddingHeader(
        ssrc: ssrc, type: type, sequence: sequence, timestamp: timestamp, mid: mid, layout, number: number, now: now,
        into: &buffer)) ?? 0
    }
  }

  private func paddingHeader(
    ssrc: SSRC, type: PayloadType, sequence: UInt16, timestamp: UInt32, mid: HeaderExtensionText?,
    _ layout: ExtensionLayout, number: UInt16, now: Instant, into buffer: inout MutableSpan<UInt8>
  ) throws(RTPError) -> Int {
    var writer = RTPHeaderWriter()
    try writer.begin(
      payloadType: type, marker: false, sequenceNumber: SequenceNumber(rawValue: sequence),
      timestamp: RTPTimestamp(rawValue: timestamp), ssrc: ssrc, hasPadding: true, into: &buffer)
    if layout.transportSequence != 0 {
      try writer.append(id: layout.transportSequence, uint16: number, into: &buffer)
    } else if layout.absSendTime != 0 {
      try writer.append(id: layout.absSendTime, uint24: AbsSendTime(clock.time(at: now)).rawValue, into: &buffer)
    }
    if layout.mid != 0, let mid { try writer.append(id: layout.mid, text: mid, into: &buffer) }
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

  /// Puts the dependency descriptor of `packet` for `subscription` into the batch's scratch memory and returns its
  /// length; 0 where the source's own can be sent as it is.
  @inline(__always)
  private func rewriteDescriptor(
    _ packet: StoredPacket, _ numbers: StreamRewriter.Numbers, of stream: SourceStream, for subscription: Subscription,
    batch: OutputBatch
  ) -> Int {
    guard packet.descriptorLength >= 3, subscription.layout.dependencyDescriptor != 0 else { return 0 }
    let writesMask = subscription.layering.selector.writesMask && packet.layers.flags.contains(.startsFrame)
    guard writesMask || numbers.frameNumber != packet.layers.frameNumber else { return 0 }
    return composeDescriptor(packet, numbers, of: stream, for: subscription, writesMask: writesMask, batch: batch)
  }

  private func composeDescriptor(
    _ packet: StoredPacket, _ numbers: StreamRewriter.Numbers, of stream: SourceStream, for subscription: Subscription,
    writesMask: Bool, batch: OutputBatch
  ) -> Int {
    var active: (mask: UInt32, count: Int)?
    if writesMask, let reader = stream.described, packet.layers.flags.contains(.hasTargets) {
      active = (
        subscription.layering.selector.completeTargets & reader.activeTargets, Int(reader.structure.decodeTargetCount)
      )
    }
    let length = Int(packet.descriptorLength)
    let start = Int(packet.offset) - RetransmissionStore.headroom - length
    let store = stream.store
    let source = store.span(start..<(start + length), of: packet)
    return batch.scratch.write(0..<256) { output in
      DependencyWriter.write(
        source, frameNumber: numbers.frameNumber, activeTargets: active, maskBit: Int(packet.layers.maskBit),
        hasMask: packet.layers.flags.contains(.hasMask), into: &output)
    }
  }
}
