/// The type of a chunk (RFC 9260 section 3.2, RFC 3758 section 3.2, RFC 6525 section 3.1).
struct SCTPChunkType: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt8
  init(rawValue: UInt8) { self.rawValue = rawValue }

  static let data = SCTPChunkType(rawValue: 0)
  static let initiation = SCTPChunkType(rawValue: 1)
  static let initiationAck = SCTPChunkType(rawValue: 2)
  static let sack = SCTPChunkType(rawValue: 3)
  static let heartbeat = SCTPChunkType(rawValue: 4)
  static let heartbeatAck = SCTPChunkType(rawValue: 5)
  static let abort = SCTPChunkType(rawValue: 6)
  static let shutdown = SCTPChunkType(rawValue: 7)
  static let shutdownAck = SCTPChunkType(rawValue: 8)
  static let error = SCTPChunkType(rawValue: 9)
  static let cookieEcho = SCTPChunkType(rawValue: 10)
  static let cookieAck = SCTPChunkType(rawValue: 11)
  static let shutdownComplete = SCTPChunkType(rawValue: 14)
  static let reconfiguration = SCTPChunkType(rawValue: 130)
  static let forwardTSN = SCTPChunkType(rawValue: 192)

  /// Whether the rest of the packet is to be read when the type is not known: the upper bit (section 3.2).
  var isSkippable: Bool { rawValue & 0x80 != 0 }
  /// Whether the sender wants to know that the type is not known: the second bit.
  var wantsReport: Bool { rawValue & 0x40 != 0 }
}

/// One chunk of a packet: type, flags, and where its value lies.
struct SCTPChunk {
  let type: SCTPChunkType
  let flags: UInt8
  /// The value without the four bytes of header and without padding.
  let value: Range<Int>
}

/// Walks the type-length-value items that chunks and parameters both are, padded to four bytes. Constant work per item.
struct SCTPItemWalker {
  enum ParseResult {
    /// An item whose header starts at `offset`; `value` is behind the header.
    case item(offset: Int, value: Range<Int>)
    /// The end of the packet's chunks: nothing is left.
    case end
    /// A header that does not fit, or a length beyond the end or below the header's own.
    case malformed
  }

  private var offset: Int
  private let end: Int

  /// A walk over these bytes of a packet.
  init(_ range: Range<Int>) {
    offset = range.lowerBound
    end = range.upperBound
  }

  mutating func next(in packet: Span<UInt8>) -> ParseResult {
    guard offset < end else { return .end }
    guard offset &+ 4 <= end, end <= packet.count else { return .malformed }
    let length = Int(packet.networkUInt16(at: offset &+ 2))
    guard length >= 4, offset &+ length <= end else { return .malformed }
    let start = offset
    // The padding of the last item may be missing: RFC 9260 section 3.2 leaves it out of the chunk's length.
    offset = min(end, (start &+ length &+ 3) & ~3)
    return .item(offset: start, value: start &+ 4..<start &+ length)
  }
}

/// Cause codes of ERROR and ABORT (RFC 9260 section 3.3.10).
enum SCTPCause {
  static let invalidStream: UInt16 = 1
  static let staleCookie: UInt16 = 3
  static let outOfResource: UInt16 = 4
  static let unrecognizedChunk: UInt16 = 6
  static let invalidMandatoryParameter: UInt16 = 7
  static let unrecognizedParameters: UInt16 = 8
  static let noUserData: UInt16 = 9
  static let cookieWhileShuttingDown: UInt16 = 10
  static let protocolViolation: UInt16 = 13
}
