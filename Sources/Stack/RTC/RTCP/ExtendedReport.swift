public import Basics

/// An extended report (RFC 3611), of which the blocks are read with which somebody measures the round trip who receives
/// and sends nothing (sections 4.4 and 4.5); others are passed over.
public struct ExtendedReport: Hashable, Sendable {
  /// The SSRC of the reporting side (RFC 3611 section 2).
  public let ssrc: SSRC
  /// The sender's clock when it left: who gets it is asked to say later how long ago it came. Nil without such a block.
  public private(set) var referenceTime: NTPTime?
  private var delays = 0..<0

  private enum Block {
    static let referenceTime: UInt8 = 4
    static let delay: UInt8 = 5
    static let delaySize = 12
  }

  init(body: Range<Int>, in datagram: Span<UInt8>) throws(RTCPError) {
    guard body.count >= 4 else { throw .malformed }
    ssrc = SSRC(rawValue: datagram.networkUInt32(at: body.lowerBound))
    var offset = body.lowerBound &+ 4
    while offset < body.upperBound {
      guard body.upperBound &- offset >= 4 else { throw .malformed }
      let length = Int(datagram.networkUInt16(at: offset &+ 2)) &* 4
      let start = offset &+ 4
      guard length <= body.upperBound &- start else { throw .malformed }
      switch datagram[offset] {
      case Block.referenceTime:
        guard length >= 8 else { throw .malformed }
        referenceTime = NTPTime(rawValue: datagram.networkUInt64(at: start))
      case Block.delay: delays = start..<(start &+ length / Block.delaySize &* Block.delaySize)
      default: break
      }
      offset = start &+ length
    }
  }

  /// The reference time of `ssrc` as the report echoes it: its middle 32 bits, and how long ago it had come, in
  /// 1/65,536 s; nil without one. The work is bounded by the datagram's length.
  public func delay(of ssrc: SSRC, in datagram: Span<UInt8>) -> ReferenceDelay? {
    var offset = delays.lowerBound
    while offset < delays.upperBound, offset &+ Block.delaySize <= datagram.count {
      if datagram.networkUInt32(at: offset) == ssrc.rawValue {
        return ReferenceDelay(
          ssrc: ssrc, lastReference: datagram.networkUInt32(at: offset &+ 4),
          delaySinceLastReference: datagram.networkUInt32(at: offset &+ 8))
      }
      offset &+= Block.delaySize
    }
    return nil
  }
}

/// How long ago somebody's reference time came, when the answer to it left (RFC 3611 section 4.5).
public struct ReferenceDelay: Hashable, Sendable {
  /// The SSRC that sent the reference time.
  public var ssrc: SSRC
  /// The middle 32 bits of that time.
  public var lastReference: UInt32
  /// How long ago it had come, in 1/65,536 s.
  public var delaySinceLastReference: UInt32

  /// A delay with the given fields.
  public init(ssrc: SSRC, lastReference: UInt32, delaySinceLastReference: UInt32) {
    self.ssrc = ssrc
    self.lastReference = lastReference
    self.delaySinceLastReference = delaySinceLastReference
  }

  /// The answer at `now` to a reference time that came at `arrival`.
  public init(to referenceTime: NTPTime, of ssrc: SSRC, arrival: Instant, now: Instant) {
    self.init(
      ssrc: ssrc, lastReference: referenceTime.middle32, delaySinceLastReference: (now - arrival).shortNTP)
  }

  /// The round-trip time to the sender of the reference time; nil when the times contradict each other. `now` must come
  /// from the same clock as the reference time.
  public func roundTripTime(at now: NTPTime) -> TimeSpan? {
    guard lastReference != 0 else { return nil }
    let difference = Int32(bitPattern: now.middle32 &- lastReference &- delaySinceLastReference)
    // Rounding in both directions can make it a little less than nothing.
    guard difference >= -66 else { return nil }
    return TimeSpan(nanoseconds: (Int64(max(0, difference)) &* 1_000_000_000) >> 16)
  }
}

extension RTCPWriter {
  /// Adds an extended report with the clock of `ssrc`, who asks how long ago it came (RFC 3611 section 4.4).
  public mutating func append(
    referenceTime: NTPTime, of ssrc: SSRC, into buffer: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    let body = try begin(type: 207, count: 0, bodyLength: 16, in: &buffer)
    buffer.setNetworkUInt32(ssrc.rawValue, at: body)
    buffer.setNetworkUInt32(0x0400_0002, at: body &+ 4)
    buffer.setNetworkUInt64(referenceTime.rawValue, at: body &+ 8)
  }

  /// Adds an extended report of `sender` that answers somebody's reference time (RFC 3611 section 4.5).
  public mutating func append(
    delay: ReferenceDelay, sender: SSRC, into buffer: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    let body = try begin(type: 207, count: 0, bodyLength: 20, in: &buffer)
    buffer.setNetworkUInt32(sender.rawValue, at: body)
    buffer.setNetworkUInt32(0x0500_0003, at: body &+ 4)
    buffer.setNetworkUInt32(delay.ssrc.rawValue, at: body &+ 8)
    buffer.setNetworkUInt32(delay.lastReference, at: body &+ 12)
    buffer.setNetworkUInt32(delay.delaySinceLastReference, at: body &+ 16)
  }
}
