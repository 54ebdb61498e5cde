/// A goodbye: streams that end (RFC 3550 section 6.6). The reason text is not read.
public struct BYE: Hashable, Sendable {
  let offset: Int
  /// How many streams end, 0 to 31.
  public let count: Int

  init(count: UInt8, body: Range<Int>) throws(RTCPError) {
    guard body.count >= Int(count) &* 4 else { throw .malformed }
    offset = body.lowerBound
    self.count = Int(count)
  }

  /// The `index`-th stream; nil past the last one.
  public func ssrc(at index: Int, in datagram: Span<UInt8>) -> SSRC? {
    guard index >= 0, index < count else { return nil }
    let start = offset &+ index &* 4
    guard start &+ 4 <= datagram.count else { return nil }
    return SSRC(rawValue: datagram.networkUInt32(at: start))
  }
}
