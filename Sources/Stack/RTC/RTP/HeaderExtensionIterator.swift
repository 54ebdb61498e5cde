/// One element of an RTP header extension: its identifier and where its data lies in the packet.
public struct HeaderExtensionElement: Hashable, Sendable {
  /// The negotiated identifier, 1 to 14 in the one-byte form, 1 to 255 in the two-byte form.
  public var id: UInt8
  /// The place of the data in the packet; it may be empty in the two-byte form.
  public var range: Range<Int>
  @inlinable init(id: UInt8, range: Range<Int>) {
    self.id = id
    self.range = range
  }
}

/// Walks the elements of an RTP header extension in the one-byte and two-byte forms (RFC 8285 section 4).
///
/// It holds offsets only; each ``next(in:)`` takes the packet again. An element that reaches past the end
/// of the extension ends the walk, as does identifier 15 in the one-byte form. The walk takes at most one step a byte.
public struct HeaderExtensionIterator: Sendable {
  @usableFromInline var offset: Int
  @usableFromInline var end: Int
  @usableFromInline let twoByte: Bool

  @inlinable init(_ header: RTPHeader) {
    offset = header.extensionOffset
    end = header.extensionOffset &+ header.extensionLength
    twoByte = header.extensionProfile & 0xFFF0 == 0x1000
    if !twoByte, header.extensionProfile != 0xBEDE { end = offset }
  }

  /// The next element, nil after the last one.
  @inlinable public mutating func next(in packet: Span<UInt8>) -> HeaderExtensionElement? {
    let end = min(self.end, packet.count)
    while offset < end {
      let first = packet[offset]
      if first == 0 {
        offset &+= 1
        continue
      }
      let id: UInt8
      let start: Int
      let length: Int
      if twoByte {
        guard offset &+ 1 < end else { break }
        id = first
        start = offset &+ 2
        length = Int(packet[offset &+ 1])
      } else {
        id = first >> 4
        start = offset &+ 1
        length = Int(first & 0x0F) &+ 1
        // 15 is reserved, and 0 with a length is an error: both end the extension (section 4.2).
        guard id != 15, id != 0 else { break }
      }
      guard start &+ length <= end else { break }
      offset = start &+ length
      return HeaderExtensionElement(id: id, range: start..<(start &+ length))
    }
    offset = self.end
    return nil
  }
}
