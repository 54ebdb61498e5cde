/// The NAL units of an H.264 payload (RFC 6184 section 5), in packetization modes 0 and 1.
///
/// A plain value; NAL unit contents are not read.
public struct H264Payload: Hashable, Sendable {
  /// How the payload carries NAL units.
  public enum Structure: Hashable, Sendable {
    /// One whole NAL unit (section 5.6).
    case single
    /// Several whole NAL units, STAP-A (section 5.7.1).
    case aggregation
    /// A part of one NAL unit, FU-A (section 5.8).
    case fragment(start: Bool, end: Bool)
  }

  /// How the payload carries NAL units.
  public private(set) var structure: Structure = .single
  /// The kinds of NAL units that start in this packet: bit n stands for `nal_unit_type` n.
  public private(set) var startedTypes: UInt32 = 0

  /// `nal_unit_type` of a slice of an IDR frame.
  public static let idr: UInt8 = 5
  /// `nal_unit_type` of a sequence parameter set.
  public static let sps: UInt8 = 7
  /// `nal_unit_type` of a PPS.
  public static let pps: UInt8 = 8

  private init() {}

  /// Whether a NAL unit of `type` (0 to 31) starts in this packet.
  public func starts(_ type: UInt8) -> Bool { type < 32 && startedTypes & (1 << UInt32(type)) != 0 }

  /// Whether a keyframe or its parameter sets start here.
  public var isKeyframeStart: Bool { starts(Self.idr) || starts(Self.sps) }

  /// Reads the structure. STAP-A is walked once, each step takes at least three bytes.
  /// - Throws: ``PayloadError/truncated`` or ``PayloadError/malformed`` when a unit is empty or reaches past the
  ///   payload, ``PayloadError/unsupported`` for STAP-B, MTAP and FU-B, which are not negotiated.
  public static func parse(_ payload: Span<UInt8>) throws(PayloadError) -> H264Payload {
    let count = payload.count
    guard count > 0 else { throw .truncated }
    var result = H264Payload()
    let type = payload[0] & 0x1F
    switch type {
    case 1...23: result.startedTypes = 1 << UInt32(type)
    case 24:
      result.structure = .aggregation
      var offset = 1
      guard offset < count else { throw .truncated }
      while offset < count {
        guard offset &+ 2 < count else { throw .truncated }
        let size = Int(payload.networkUInt16(at: offset))
        guard size > 0, offset &+ 2 &+ size <= count else { throw .malformed }
        let inner = payload[offset &+ 2] & 0x1F
        // An aggregate inside an aggregate would be a depth bomb; the standard forbids it.
        guard (1...23).contains(inner) else { throw .malformed }
        result.startedTypes |= 1 << UInt32(inner)
        offset &+= 2 &+ size
      }
    case 28:
      guard count >= 3 else { throw .truncated }
      let header = payload[1]
      let start = header & 0x80 != 0
      let end = header & 0x40 != 0
      let inner = header & 0x1F
      guard !(start && end), (1...23).contains(inner) else { throw .malformed }
      result.structure = .fragment(start: start, end: end)
      if start { result.startedTypes = 1 << UInt32(inner) }
    case 25...27, 29: throw .unsupported
    default: throw .malformed
    }
    return result
  }
}
