public import Basics

/// A receiver's estimate of the bandwidth for some streams together (draft-alvestrand-rmcat-remb-03 section 2.2).
public struct REMB: Hashable, Sendable {
  /// The SSRC of the estimating receiver (draft-alvestrand-rmcat-remb-03).
  public let senderSSRC: SSRC
  /// The estimate; saturates where the 6-bit exponent leaves 63 bits.
  public let bitrate: DataRate
  let offset: Int
  /// How many streams it is about, 0 to 255.
  public let count: Int

  /// "REMB" in ASCII, which marks it among application layer feedback.
  static let identifier: UInt32 = 0x5245_4D42

  /// - Returns: nil for application layer feedback that is not REMB.
  init?(body: Range<Int>, in datagram: Span<UInt8>) throws(RTCPError) {
    guard body.count >= 8 else { throw .malformed }
    let start = body.lowerBound
    guard body.count >= 12, datagram.networkUInt32(at: start &+ 8) == Self.identifier else { return nil }
    guard body.count >= 16 else { throw .malformed }
    count = Int(datagram[start &+ 12])
    guard body.count >= 16 &+ count &* 4 else { throw .malformed }
    senderSSRC = SSRC(rawValue: datagram.networkUInt32(at: start))
    let fields = datagram.networkUInt24(at: start &+ 13)
    let exponent = Int(fields >> 18)
    let mantissa = Int64(fields & 0x3_FFFF)
    let fits = mantissa == 0 || exponent <= mantissa.leadingZeroBitCount &- 1
    bitrate = DataRate(bitsPerSecond: fits ? mantissa << exponent : .max)
    offset = start &+ 16
  }

  /// The `index`-th stream; nil past the last one.
  public func ssrc(at index: Int, in datagram: Span<UInt8>) -> SSRC? {
    guard index >= 0, index < count else { return nil }
    let start = offset &+ index &* 4
    guard start &+ 4 <= datagram.count else { return nil }
    return SSRC(rawValue: datagram.networkUInt32(at: start))
  }
}
