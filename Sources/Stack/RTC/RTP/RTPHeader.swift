/// The header of an RTP packet, read once (RFC 3550 section 5.1, RFC 8285).
///
/// A plain value without references: it keeps offsets into the packet, never bytes. Read it with ``parse(_:)``
/// when the payload is in the clear. Before SRTP has opened the packet the padding count is still encrypted:
/// use ``parse(protected:)`` and, after decryption, ``resolvePayload(in:)``. Nothing allocates.
public struct RTPHeader: Hashable, Sendable {
  /// The source of the packet.
  public var ssrc: SSRC
  /// The sampling instant of the first byte, in units of the payload's clock.
  public var timestamp: RTPTimestamp
  /// The number of the packet in its stream.
  public var sequenceNumber: SequenceNumber
  public var payloadType: PayloadType
  /// The marker bit: for video, the last packet of a frame.
  public var marker: Bool
  /// The padding bit.
  public var hasPadding: Bool
  /// The number of contributing sources, 0 to 15.
  public var csrcCount: UInt8
  /// The "defined by profile" field of the header extension; 0 without extension.
  public var extensionProfile: UInt16

  @usableFromInline var extensionOffset16: UInt16
  @usableFromInline var extensionLength16: UInt16
  @usableFromInline var payloadOffset16: UInt16
  @usableFromInline var payloadLength16: UInt16
  @usableFromInline var padding8: UInt8

  @inlinable init(
    ssrc: SSRC, timestamp: RTPTimestamp, sequenceNumber: SequenceNumber, payloadType: PayloadType,
    marker: Bool, hasPadding: Bool, csrcCount: UInt8
  ) {
    self.ssrc = ssrc
    self.timestamp = timestamp
    self.sequenceNumber = sequenceNumber
    self.payloadType = payloadType
    self.marker = marker
    self.hasPadding = hasPadding
    self.csrcCount = csrcCount
    extensionProfile = 0
    extensionOffset16 = 0
    extensionLength16 = 0
    payloadOffset16 = 0
    payloadLength16 = 0
    padding8 = 0
  }

  /// The start of the extension's elements in the packet (after its four-byte preamble); 0 without extension.
  @inlinable public var extensionOffset: Int { Int(extensionOffset16) }
  /// The length of the extension's elements in bytes, a multiple of 4.
  @inlinable public var extensionLength: Int { Int(extensionLength16) }
  /// The start of the payload in the packet: the length of the header with CSRCs and extension.
  @inlinable public var payloadOffset: Int { Int(payloadOffset16) }
  /// The length of the payload without padding, in bytes.
  @inlinable public var payloadLength: Int { Int(payloadLength16) }
  /// The length of the padding including its count byte.
  @inlinable public var paddingLength: Int { Int(padding8) }
  /// The place of the payload in the packet.
  @inlinable public var payloadRange: Range<Int> {
    payloadOffset..<(payloadOffset &+ payloadLength)
  }
  /// The length of header, payload and padding together.
  @inlinable public var packetLength: Int { payloadOffset &+ payloadLength &+ paddingLength }

  /// Reads the header of a packet whose payload is in the clear.
  ///
  /// Cost: the fixed header and at most one byte at the end; elements of the extension are not walked.
  /// - Throws: ``RTPError`` for a packet that must be dropped.
  @inlinable public static func parse(_ packet: Span<UInt8>) throws(RTPError) -> RTPHeader {
    var header = try parse(protected: packet)
    try header.resolvePayload(in: packet)
    return header
  }

  /// Reads the header of a packet that SRTP has not opened yet (RFC 3711 section 3.1).
  ///
  /// The payload length still counts the padding and the authentication tag; call ``resolvePayload(in:)``
  /// with the opened packet before you look at the payload.
  @inlinable public static func parse(protected packet: Span<UInt8>) throws(RTPError) -> RTPHeader {
    let count = packet.count
    guard count >= 12 else { throw .truncated }
    guard count <= 0xFFFF else { throw .oversized }
    let first = packet[0]
    let second = packet[1]
    guard first >> 6 == 2 else { throw .version }
    var header = RTPHeader(
      ssrc: SSRC(rawValue: packet.networkUInt32(at: 8)),
      timestamp: RTPTimestamp(rawValue: packet.networkUInt32(at: 4)),
      sequenceNumber: SequenceNumber(rawValue: packet.networkUInt16(at: 2)),
      payloadType: PayloadType(rawValue: second),
      marker: second & 0x80 != 0,
      hasPadding: first & 0x20 != 0,
      csrcCount: first & 0x0F)
    var offset = 12 &+ Int(first & 0x0F) &* 4
    guard offset <= count else { throw .contributingSources }
    if first & 0x10 != 0 {
      guard offset &+ 4 <= count else { throw .headerExtension }
      let length = Int(packet.networkUInt16(at: offset &+ 2)) &* 4
      guard offset &+ 4 &+ length <= count else { throw .headerExtension }
      header.extensionProfile = packet.networkUInt16(at: offset)
      offset &+= 4
      header.extensionOffset16 = UInt16(truncatingIfNeeded: offset)
      header.extensionLength16 = UInt16(truncatingIfNeeded: length)
      offset &+= length
    }
    header.payloadOffset16 = UInt16(truncatingIfNeeded: offset)
    header.payloadLength16 = UInt16(truncatingIfNeeded: count &- offset)
    return header
  }

  /// Takes the padding off: sets ``payloadLength`` and ``paddingLength`` from the opened packet.
  ///
  /// - Throws: ``RTPError/padding`` when the count is zero or larger than the payload (RFC 3550 section 5.1),
  ///   ``RTPError/truncated`` when `packet` is shorter than this header.
  @inlinable public mutating func resolvePayload(in packet: Span<UInt8>) throws(RTPError) {
    let available = packet.count &- payloadOffset
    guard available >= 0 else { throw .truncated }
    guard packet.count <= 0xFFFF else { throw .oversized }
    var padding = 0
    if hasPadding {
      guard available > 0 else { throw .padding }
      padding = Int(packet[packet.count &- 1])
      guard padding > 0, padding <= available else { throw .padding }
    }
    padding8 = UInt8(truncatingIfNeeded: padding)
    payloadLength16 = UInt16(truncatingIfNeeded: available &- padding)
  }

  /// The `index`-th contributing source, nil past the last one.
  public func csrc(at index: Int, in packet: Span<UInt8>) -> SSRC? {
    guard index >= 0, index < Int(csrcCount) else { return nil }
    let offset = 12 &+ index &* 4
    guard offset &+ 4 <= packet.count else { return nil }
    return SSRC(rawValue: packet.networkUInt32(at: offset))
  }

  /// The place in the packet of the data of the header extension element with identifier `id`.
  ///
  /// Walks the elements from the start, so the cost grows with their number; to read several at once use ``elements``.
  /// nil when the element is absent or the extension is malformed before it.
  @inlinable public func element(id: UInt8, in packet: Span<UInt8>) -> Range<Int>? {
    guard id != 0 else { return nil }
    var iterator = elements
    while let element = iterator.next(in: packet) {
      if element.id == id { return element.range }
    }
    return nil
  }

  /// An iterator over the elements of the header extension (RFC 8285).
  @inlinable public var elements: HeaderExtensionIterator { HeaderExtensionIterator(self) }
}
