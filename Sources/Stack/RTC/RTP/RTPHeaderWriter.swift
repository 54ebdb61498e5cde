/// Writes an RTP header with header extensions (RFC 3550 section 5.1, RFC 8285).
///
/// The media server writes a new header for each receiver, since identifiers differ between receivers:
/// ```swift
/// var writer = RTPHeaderWriter()
/// try writer.begin(payloadType: pt, marker: true, sequenceNumber: n, timestamp: t, ssrc: s, into: &buffer)
/// try writer.append(id: midID, text: mid, into: &buffer)
/// try writer.append(id: levelID, uint8: level.encoded, into: &buffer)
/// let length = try writer.finish(into: &buffer)
/// ```
/// It starts in the one-byte form and changes to the two-byte form when an element needs it (identifier
/// above 14, empty, or longer than 16 bytes); pass `twoByte: true` when that is known, which saves the move.
/// The two-byte form may only be sent to who negotiated it. A plain value; nothing allocates.
public struct RTPHeaderWriter: Sendable {
  /// Bytes written so far.
  @usableFromInline var length = 0
  @usableFromInline var elementCount = 0
  @usableFromInline var twoByte = false

  /// The start of the extension's preamble; the media server sends no contributing sources.
  @inlinable static var extensionStart: Int { 12 }

  /// A writer that has written nothing.
  @inlinable public init() {}

  /// Writes the fixed header and forgets what was written before.
  /// - Throws: ``RTPError/bufferTooSmall``.
  @inlinable public mutating func begin(
    payloadType: PayloadType, marker: Bool, sequenceNumber: SequenceNumber, timestamp: RTPTimestamp,
    ssrc: SSRC, hasPadding: Bool = false, twoByte: Bool = false, into buffer: inout MutableSpan<UInt8>
  ) throws(RTPError) {
    guard buffer.count >= 12 else { throw .bufferTooSmall }
    buffer[0] = hasPadding ? 0xA0 : 0x80
    buffer[1] = payloadType.rawValue | (marker ? 0x80 : 0)
    buffer.setNetworkUInt16(sequenceNumber.rawValue, at: 2)
    buffer.setNetworkUInt32(timestamp.rawValue, at: 4)
    buffer.setNetworkUInt32(ssrc.rawValue, at: 8)
    length = 12
    elementCount = 0
    self.twoByte = twoByte
  }

  /// Adds an element with the bytes of `bytes`.
  /// - Throws: ``RTPError/elementID``, ``RTPError/elementLength`` or ``RTPError/bufferTooSmall``; what was
  ///   written before stays valid, so an optional element may just be left out.
  @inlinable public mutating func append(
    id: UInt8, bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>
  ) throws(RTPError) {
    let start = try reserve(id: id, count: bytes.count, in: &buffer)
    for index in bytes.indices { buffer[start &+ index] = bytes[index] }
  }

  /// Adds an element with the bytes at `range` of another packet, for elements that are passed on as they are.
  @inlinable public mutating func append(
    id: UInt8, copying range: Range<Int>, of packet: Span<UInt8>, into buffer: inout MutableSpan<UInt8>
  ) throws(RTPError) {
    guard range.lowerBound >= 0, range.upperBound <= packet.count else { throw .elementLength }
    let start = try reserve(id: id, count: range.count, in: &buffer)
    for index in 0..<range.count { buffer[start &+ index] = packet[range.lowerBound &+ index] }
  }

  /// Adds an element with a short text (MID, RID).
  @inlinable public mutating func append(
    id: UInt8, text: HeaderExtensionText, into buffer: inout MutableSpan<UInt8>
  ) throws(RTPError) {
    let start = try reserve(id: id, count: text.count, in: &buffer)
    for index in 0..<text.count { buffer[start &+ index] = text.bytes[index] }
  }

  /// Adds an element of one byte (audio level, video orientation, content type).
  @inlinable public mutating func append(
    id: UInt8, uint8 value: UInt8, into buffer: inout MutableSpan<UInt8>
  ) throws(RTPError) {
    let start = try reserve(id: id, count: 1, in: &buffer)
    buffer[start] = value
  }

  /// Adds an element of two bytes (transport-wide sequence number).
  @inlinable public mutating func append(
    id: UInt8, uint16 value: UInt16, into buffer: inout MutableSpan<UInt8>
  ) throws(RTPError) {
    let start = try reserve(id: id, count: 2, in: &buffer)
    buffer.setNetworkUInt16(value, at: start)
  }

  /// Adds an element of three bytes (absolute send time, playout delay).
  @inlinable public mutating func append(
    id: UInt8, uint24 value: UInt32, into buffer: inout MutableSpan<UInt8>
  ) throws(RTPError) {
    let start = try reserve(id: id, count: 3, in: &buffer)
    buffer.setNetworkUInt24(value, at: start)
  }

  /// Completes the extension (preamble, padding) and returns the length of the whole header.
  ///
  /// Without elements no extension is written. After it call
  /// ``begin(payloadType:marker:sequenceNumber:timestamp:ssrc:hasPadding:twoByte:into:)`` again.
  @inlinable public mutating func finish(into buffer: inout MutableSpan<UInt8>) throws(RTPError) -> Int {
    guard elementCount > 0 else { return length }
    let padded = (length &+ 3) & ~3
    guard padded <= buffer.count else { throw .bufferTooSmall }
    while length < padded {
      buffer[length] = 0
      length &+= 1
    }
    let start = Self.extensionStart
    buffer[0] |= 0x10
    buffer.setNetworkUInt16(twoByte ? 0x1000 : 0xBEDE, at: start)
    buffer.setNetworkUInt16(UInt16(truncatingIfNeeded: (length &- start &- 4) >> 2), at: start &+ 2)
    return length
  }

  /// Writes the element's preamble, makes room for its data and returns where the data starts.
  @inlinable mutating func reserve(
    id: UInt8, count: Int, in buffer: inout MutableSpan<UInt8>
  ) throws(RTPError) -> Int {
    guard id != 0, length >= 12 else { throw .elementID }
    guard count <= 255 else { throw .elementLength }
    if !twoByte, id > 14 || count > 16 || count == 0 { try changeToTwoByteForm(in: &buffer) }
    let preamble = twoByte ? 2 : 1
    let start = (elementCount == 0 ? Self.extensionStart &+ 4 : length) &+ preamble
    guard start &+ count <= buffer.count else { throw .bufferTooSmall }
    if twoByte {
      buffer[start &- 2] = id
      buffer[start &- 1] = UInt8(truncatingIfNeeded: count)
    } else {
      buffer[start &- 1] = id << 4 | UInt8(truncatingIfNeeded: count &- 1)
    }
    elementCount &+= 1
    length = start &+ count
    return start
  }

  /// Gives each element written so far one more byte of preamble, moving the last one first.
  @usableFromInline mutating func changeToTwoByteForm(in buffer: inout MutableSpan<UInt8>) throws(RTPError) {
    guard length &+ elementCount <= buffer.count else { throw .bufferTooSmall }
    let first = Self.extensionStart &+ 4
    for element in stride(from: elementCount &- 1, through: 0, by: -1) {
      var start = first
      for _ in 0..<element { start &+= Int(buffer[start] & 0x0F) &+ 2 }
      let preamble = buffer[start]
      let count = Int(preamble & 0x0F) &+ 1
      let target = start &+ element
      for index in stride(from: count &- 1, through: 0, by: -1) {
        buffer[target &+ 2 &+ index] = buffer[start &+ 1 &+ index]
      }
      buffer[target] = preamble >> 4
      buffer[target &+ 1] = UInt8(truncatingIfNeeded: count)
    }
    length &+= elementCount
    twoByte = true
  }
}
