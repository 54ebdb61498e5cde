/// PLI: the receiver needs a keyframe (RFC 4585 section 6.3.1).
public struct PLI: Hashable, Sendable {
  public let senderSSRC: SSRC
  /// The stream that shall send a keyframe.
  public let mediaSSRC: SSRC

  init(body: Range<Int>, in datagram: Span<UInt8>) throws(RTCPError) {
    guard body.count >= 8 else { throw .malformed }
    senderSSRC = SSRC(rawValue: datagram.networkUInt32(at: body.lowerBound))
    mediaSSRC = SSRC(rawValue: datagram.networkUInt32(at: body.lowerBound &+ 4))
  }
}

/// One entry of a full intra request.
public struct FIREntry: Hashable, Sendable {
  /// The stream that shall send a keyframe.
  public var ssrc: SSRC
  /// The command's number: a repeated request keeps it, a new one counts on.
  public var sequenceNumber: UInt8

  /// An entry for `ssrc`.
  public init(ssrc: SSRC, sequenceNumber: UInt8) {
    self.ssrc = ssrc
    self.sequenceNumber = sequenceNumber
  }
}

/// A full intra request (RFC 5104 section 4.3.1).
public struct FIR: Hashable, Sendable {
  public let senderSSRC: SSRC
  let offset: Int
  /// How many entries there are.
  public let count: Int

  init(body: Range<Int>, in datagram: Span<UInt8>) throws(RTCPError) {
    guard body.count >= 16, body.count & 7 == 0 else { throw .malformed }
    senderSSRC = SSRC(rawValue: datagram.networkUInt32(at: body.lowerBound))
    offset = body.lowerBound &+ 8
    count = (body.count &- 8) / 8
  }

  /// The `index`-th entry; nil past the last one.
  public func entry(at index: Int, in datagram: Span<UInt8>) -> FIREntry? {
    guard index >= 0, index < count else { return nil }
    let start = offset &+ index &* 8
    guard start &+ 8 <= datagram.count else { return nil }
    return FIREntry(
      ssrc: SSRC(rawValue: datagram.networkUInt32(at: start)), sequenceNumber: datagram[start &+ 4])
  }
}
