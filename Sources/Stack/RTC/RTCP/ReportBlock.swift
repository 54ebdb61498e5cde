/// A receiver's report on one stream (RFC 3550 section 6.4.1, report block; 24 bytes).
public struct ReportBlock: Hashable, Sendable {
  /// The stream the block is about.
  public var ssrc: SSRC
  /// The share of packets lost since the last report, in 1/256.
  public var fractionLost: UInt8
  /// Packets lost since the start, -2²³ to 2²³-1; negative when duplicates arrived.
  public var cumulativeLost: Int32
  /// The highest sequence number received; the high 16 bits count its cycles.
  public var extendedHighestSequence: UInt32
  /// The interarrival jitter in units of the stream's clock.
  public var jitter: UInt32
  /// The middle 32 bits of the last sender report's NTP time; 0 when none came yet.
  public var lastSenderReport: UInt32
  /// How long ago that report arrived, in 1/65,536 s; 0 when none came yet.
  public var delaySinceLastSenderReport: UInt32

  /// The bytes of a block on the wire.
  public static let size = 24

  /// A block with the given fields.
  public init(
    ssrc: SSRC, fractionLost: UInt8, cumulativeLost: Int32, extendedHighestSequence: UInt32,
    jitter: UInt32, lastSenderReport: UInt32, delaySinceLastSenderReport: UInt32
  ) {
    self.ssrc = ssrc
    self.fractionLost = fractionLost
    self.cumulativeLost = cumulativeLost
    self.extendedHighestSequence = extendedHighestSequence
    self.jitter = jitter
    self.lastSenderReport = lastSenderReport
    self.delaySinceLastSenderReport = delaySinceLastSenderReport
  }

  /// Reads a block whose 24 bytes the caller has checked to lie in the datagram.
  init(_ datagram: Span<UInt8>, at offset: Int) {
    ssrc = SSRC(rawValue: datagram.networkUInt32(at: offset))
    fractionLost = datagram[offset &+ 4]
    let lost = datagram.networkUInt24(at: offset &+ 5)
    cumulativeLost = Int32(bitPattern: lost << 8) >> 8
    extendedHighestSequence = datagram.networkUInt32(at: offset &+ 8)
    jitter = datagram.networkUInt32(at: offset &+ 12)
    lastSenderReport = datagram.networkUInt32(at: offset &+ 16)
    delaySinceLastSenderReport = datagram.networkUInt32(at: offset &+ 20)
  }

  func write(into buffer: inout MutableSpan<UInt8>, at offset: Int) {
    buffer.setNetworkUInt32(ssrc.rawValue, at: offset)
    buffer[offset &+ 4] = fractionLost
    let clamped = max(-0x80_0000, min(cumulativeLost, 0x7F_FFFF))
    buffer.setNetworkUInt24(UInt32(bitPattern: clamped) & 0xFF_FFFF, at: offset &+ 5)
    buffer.setNetworkUInt32(extendedHighestSequence, at: offset &+ 8)
    buffer.setNetworkUInt32(jitter, at: offset &+ 12)
    buffer.setNetworkUInt32(lastSenderReport, at: offset &+ 16)
    buffer.setNetworkUInt32(delaySinceLastSenderReport, at: offset &+ 20)
  }
}

/// The report blocks of one report: at most 31, read on demand.
public struct ReportBlocks: Hashable, Sendable {
  let offset: Int
  /// How many blocks there are, 0 to 31.
  public let count: Int

  init(offset: Int, count: Int) {
    self.offset = offset
    self.count = count
  }

  /// The `index`-th block; nil past the last one.
  public func block(at index: Int, in datagram: Span<UInt8>) -> ReportBlock? {
    guard index >= 0, index < count else { return nil }
    let start = offset &+ index &* ReportBlock.size
    guard start &+ ReportBlock.size <= datagram.count else { return nil }
    return ReportBlock(datagram, at: start)
  }
}
