/// The aggregation header in front of AV1 data, and what the OBU elements behind it are
/// (AOM, RTP payload format for AV1, sections 4.4 and 4.5).
///
/// A plain value; OBU contents are not read.
public struct AV1AggregationHeader: Hashable, Sendable {
  /// Whether the first element continues an OBU of the previous packet (Z).
  public private(set) var continuesPrevious = false
  /// Whether the last element goes on in the next packet (Y).
  public private(set) var continuesInNext = false
  /// Whether the packet is the first of a coded video sequence, that is of a keyframe (N).
  public private(set) var startsCodedVideoSequence = false
  /// Whether a sequence header OBU starts in this packet.
  public private(set) var hasSequenceHeader = false
  /// How many OBU elements the packet holds, at least 1.
  public private(set) var elementCount = 0

  /// `obu_type` of a sequence header.
  static let sequenceHeader: UInt8 = 1

  private init() {}

  /// Whether a keyframe starts here.
  public var isKeyframeStart: Bool { startsCodedVideoSequence || hasSequenceHeader }

  /// Reads the header and walks the elements; each step consumes at least one byte.
  /// - Throws: ``PayloadError/truncated`` when nothing follows the header, ``PayloadError/malformed`` when a size
  ///   reaches past the payload or has more than 8 bytes, or when N and Z are both set.
  public static func parse(_ payload: Span<UInt8>) throws(PayloadError) -> AV1AggregationHeader {
    let count = payload.count
    guard count >= 2 else { throw .truncated }
    let first = payload[0]
    var header = AV1AggregationHeader()
    header.continuesPrevious = first & 0x80 != 0
    header.continuesInNext = first & 0x40 != 0
    header.startsCodedVideoSequence = first & 0x08 != 0
    let announced = Int(first >> 4 & 0x03)
    guard !(header.startsCodedVideoSequence && header.continuesPrevious) else { throw .malformed }
    var offset = 1
    while offset < count {
      let isFirst = header.elementCount == 0
      var end = count
      if announced == 0 || header.elementCount &+ 1 < announced {
        let size = try leb128(payload, &offset)
        guard size <= UInt64(count &- offset) else { throw .malformed }
        end = offset &+ Int(size)
      }
      header.elementCount &+= 1
      if end > offset, !(isFirst && header.continuesPrevious), payload[offset] >> 3 & 0x0F == sequenceHeader {
        header.hasSequenceHeader = true
      }
      offset = end
    }
    guard announced == 0 || header.elementCount == announced else { throw .malformed }
    return header
  }

  /// A little-endian base-128 number of at most 8 bytes (AV1 specification, section 4.10.5).
  static func leb128(_ bytes: Span<UInt8>, _ offset: inout Int) throws(PayloadError) -> UInt64 {
    var value: UInt64 = 0
    for position in 0..<8 {
      guard offset < bytes.count else { throw .truncated }
      let byte = bytes[offset]
      offset &+= 1
      value |= UInt64(byte & 0x7F) << UInt64(7 &* position)
      if byte & 0x80 == 0 { return value }
    }
    throw .malformed
  }
}
