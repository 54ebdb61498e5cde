/// A source description (RFC 3550 section 6.5). WebRTC sends one chunk with the CNAME.
public struct SDES: Hashable, Sendable {
  let body: Range<Int>
  /// How many sources are described, 0 to 31.
  public let chunkCount: Int

  init(count: UInt8, body: Range<Int>, in datagram: Span<UInt8>) throws(RTCPError) {
    self.body = body
    chunkCount = Int(count)
    var iterator = items
    while try iterator.step(in: datagram) != nil {}
  }

  /// An iterator over the items of all chunks.
  public var items: SDESIterator { SDESIterator(offset: body.lowerBound, end: body.upperBound, chunks: chunkCount) }

  /// The CNAME of `ssrc`, at most 255 bytes of UTF-8; nil when there is none. Allocates.
  public func cname(of ssrc: SSRC, in datagram: Span<UInt8>) -> String? {
    var iterator = items
    while let item = iterator.next(in: datagram) {
      guard item.ssrc == ssrc, item.type == SDESItem.cname else { continue }
      return String(decoding: item.text.map { datagram[$0] }, as: UTF8.self)
    }
    return nil
  }
}

/// One item of a source description.
public struct SDESItem: Hashable, Sendable {
  /// The type of a canonical name (RFC 3550 section 6.5.1).
  public static let cname: UInt8 = 1
  public let ssrc: SSRC
  public let type: UInt8
  /// The place of its text in the datagram.
  public let text: Range<Int>
}

/// Walks the items of a source description, chunk by chunk.
public struct SDESIterator: Sendable {
  var offset: Int
  let end: Int
  var chunks: Int
  var ssrc: SSRC?

  init(offset: Int, end: Int, chunks: Int) {
    self.offset = offset
    self.end = end
    self.chunks = chunks
  }

  /// The next item; nil after the last one.
  public mutating func next(in datagram: Span<UInt8>) -> SDESItem? {
    (try? step(in: datagram)) ?? nil
  }

  mutating func step(in datagram: Span<UInt8>) throws(RTCPError) -> SDESItem? {
    guard end <= datagram.count else { throw .truncated }
    while true {
      guard let current = ssrc else {
        guard chunks > 0 else { return nil }
        guard offset &+ 4 <= end else { throw .malformed }
        ssrc = SSRC(rawValue: datagram.networkUInt32(at: offset))
        offset &+= 4
        chunks &-= 1
        continue
      }
      guard offset < end else { throw .malformed }
      let type = datagram[offset]
      if type == 0 {
        // One to four zero bytes end the chunk on a 32-bit boundary. Packets start on one, so the
        // datagram's offsets serve.
        offset = (offset &+ 4) & ~3
        guard offset <= end else { throw .malformed }
        ssrc = nil
        continue
      }
      guard offset &+ 2 <= end else { throw .malformed }
      let start = offset &+ 2
      let length = Int(datagram[offset &+ 1])
      guard start &+ length <= end else { throw .malformed }
      offset = start &+ length
      return SDESItem(ssrc: current, type: type, text: start..<(start &+ length))
    }
  }
}
