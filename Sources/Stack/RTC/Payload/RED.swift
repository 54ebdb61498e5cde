/// One block of redundant audio.
public struct REDBlock: Hashable, Sendable {
  /// The payload type of the block's data.
  public let payloadType: PayloadType
  /// How much earlier than the packet's timestamp the block is, in the stream's clock; 0 for the primary block.
  public let timestampOffset: UInt16
  /// The place of its data in the payload; may be empty.
  public let range: Range<Int>
  /// Whether it is the primary block, the packet's own audio.
  public let isPrimary: Bool
}

/// Redundant audio (RFC 2198 section 3): older frames in front of the packet's own.
///
/// A plain value made from a checked payload; read the blocks with ``blocks``.
public struct RED: Hashable, Sendable {
  /// More blocks than this are refused; browsers send at most three.
  public static let maximumBlocks = 16

  /// How many blocks there are, the primary one included.
  public let blockCount: Int
  let dataOffset: Int

  /// Reads the block headers.
  /// - Throws: ``PayloadError/truncated`` when they or the data are incomplete, ``PayloadError/malformed`` above
  ///   ``maximumBlocks``.
  public static func parse(_ payload: Span<UInt8>) throws(PayloadError) -> RED {
    let count = payload.count
    var offset = 0
    var redundant = 0
    var blocks = 1
    while true {
      guard offset < count else { throw .truncated }
      if payload[offset] & 0x80 == 0 { break }
      guard offset &+ 4 <= count else { throw .truncated }
      redundant &+= Int(payload.networkUInt16(at: offset &+ 2) & 0x03FF)
      blocks &+= 1
      guard blocks <= maximumBlocks else { throw .malformed }
      offset &+= 4
    }
    guard offset &+ 1 &+ redundant <= count else { throw .truncated }
    return RED(blockCount: blocks, dataOffset: offset &+ 1)
  }

  /// An iterator over the blocks, oldest first as in the packet.
  public var blocks: REDIterator { REDIterator(data: dataOffset, headerEnd: dataOffset) }
}

/// Walks the blocks of redundant audio.
public struct REDIterator: Sendable {
  var header = 0
  var data: Int
  let headerEnd: Int

  init(data: Int, headerEnd: Int) {
    self.data = data
    self.headerEnd = headerEnd
  }

  /// The next block; nil after the primary one.
  public mutating func next(in payload: Span<UInt8>) -> REDBlock? {
    guard header < headerEnd, header < payload.count, data <= payload.count else { return nil }
    let type = PayloadType(rawValue: payload[header])
    if payload[header] & 0x80 == 0 {
      header = headerEnd
      return REDBlock(
        payloadType: type, timestampOffset: 0, range: data..<payload.count, isPrimary: true)
    }
    guard header &+ 4 <= payload.count else { return nil }
    let fields = payload.networkUInt24(at: header &+ 1)
    let end = data &+ Int(fields & 0x3FF)
    guard end <= payload.count else { return nil }
    let block = REDBlock(
      payloadType: type, timestampOffset: UInt16(truncatingIfNeeded: fields >> 10), range: data..<end,
      isPrimary: false)
    header &+= 4
    data = end
    return block
  }
}
