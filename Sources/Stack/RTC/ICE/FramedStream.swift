/// Why a framed stream cannot be read on. Close the connection: the place where the next frame begins is not known.
public enum FramedStreamError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A frame announces more bytes than are accepted.
  case frameTooLong(length: Int, limit: Int)
  /// The next bytes are neither STUN nor ChannelData.
  case notTURN(firstByte: UInt8)

  public var description: String {
    switch self {
    case .frameTooLong(let length, let limit): "frame of \(length) bytes on a stream that accepts \(limit)"
    case .notTURN(let byte): "a frame that begins with \(byte) on a stream of STUN and ChannelData"
    }
  }
}

/// Packets on a byte stream: cuts what arrives into frames. By default each packet stands after its length in two bytes
/// (RFC 4571 section 2), as ICE-TCP has them (RFC 6544 section 3); with ``StreamFraming/turn`` they are STUN messages
/// and ChannelData (RFC 8656 section 12.5).
///
/// The buffer is allocated once and never grows. Read the socket straight into it, then take the frames:
///
///     stream.fill { space in read(socket, &space) }
///     while let frame = try stream.nextFrame() { var bytes = stream.bytes(of: frame); … }
///
/// or hand over bytes that are already somewhere with ``append(_:)``. A frame's bytes stay until the next fill or
/// append and may be changed in place, as decryption does.
public struct FramedStream: ~Copyable {
  /// The longest frame accepted by default: more than a packet on any network path that media takes.
  public static let defaultFrameLimit = 2_048

  /// The longest frame accepted.
  public let frameLimit: Int
  /// How frames are told apart.
  public let framing: StreamFraming

  private var storage: [UInt8]
  private var start = 0
  private var end = 0

  /// A stream with nothing in it. It takes twice the limit of memory, so that one read can bring several frames.
  public init(framing: StreamFraming = .length, frameLimit: Int = FramedStream.defaultFrameLimit) {
    self.framing = framing
    self.frameLimit = min(max(frameLimit, 1), 65_535)
    storage = [UInt8](repeating: 0, count: 2 * (self.frameLimit + 4))
  }

  /// Bytes that have arrived and are not taken yet.
  public var bufferedCount: Int { end - start }

  /// Gives `body` the free part of the buffer to write into; `body` returns how many bytes it wrote, which is also the
  /// result. As long as frames are taken after every fill there is always room for a whole frame.
  public mutating func fill<E: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(E) -> Int
  ) throws(E) -> Int {
    compact()
    let free = end..<storage.count
    var space = storage.mutableSpan._consumingExtracting(free)
    let written = try body(&space)
    let taken = min(max(written, 0), free.count)
    end += taken
    return taken
  }

  /// Takes over as much of `chunk` as there is room for, and returns how much that was. When it is less than the whole
  /// chunk, take the frames and append the rest.
  public mutating func append(_ chunk: Span<UInt8>) -> Int {
    compact()
    let count = min(chunk.count, storage.count - end)
    let offset = end
    var all = storage.mutableSpan
    for index in 0..<count { all[offset + index] = chunk[index] }
    end += count
    return count
  }

  /// The place of the next whole frame, for ``bytes(of:)``; nil when more bytes must arrive first. Frames of length
  /// zero, which keep NAT bindings alive, are skipped.
  public mutating func nextFrame() throws(FramedStreamError) -> Range<Int>? {
    if framing == .turn { return try nextTURNFrame() }
    while end - start >= 2 {
      let length = Int(storage[start]) << 8 | Int(storage[start + 1])
      guard length <= frameLimit else { throw .frameTooLong(length: length, limit: frameLimit) }
      guard end - start >= 2 + length else { return nil }
      let frame = (start + 2)..<(start + 2 + length)
      start = frame.upperBound
      if length > 0 { return frame }
    }
    return nil
  }

  /// A STUN message says its length after the header, ChannelData before its content and is padded on streams.
  private mutating func nextTURNFrame() throws(FramedStreamError) -> Range<Int>? {
    guard end - start >= 4 else { return nil }
    let length: Int
    let padded: Int
    let declared = Int(storage[start + 2]) << 8 | Int(storage[start + 3])
    switch storage[start] {
    case 0...3:
      length = STUNMessage.headerLength + declared
      padded = length
    case 64...79:
      length = 4 + declared
      padded = (length + 3) & ~3
    default: throw .notTURN(firstByte: storage[start])
    }
    guard length <= frameLimit else { throw .frameTooLong(length: length, limit: frameLimit) }
    guard end - start >= padded else { return nil }
    let frame = start..<(start + length)
    start += padded
    return frame
  }

  /// The bytes of a frame that ``nextFrame()`` returned since the last fill or append. They may be changed in place.
  @_lifetime(&self)
  public mutating func bytes(of frame: Range<Int>) -> MutableSpan<UInt8> {
    let frame = frame.clamped(to: 0..<storage.count)
    return storage.mutableSpan._consumingExtracting(frame)
  }

  /// The two bytes to send before a packet of `length` bytes; nil when it is too long to be framed.
  public static func header(forLength length: Int) -> (UInt8, UInt8)? {
    guard (0...65_535).contains(length) else { return nil }
    return (UInt8(length >> 8), UInt8(length & 0xFF))
  }

  /// A packet behind its length, for rare packets; media writes ``header(forLength:)`` in front of its payload. nil
  /// when it is too long to be framed.
  public static func framed(_ packet: Span<UInt8>) -> [UInt8]? {
    guard let (high, low) = header(forLength: packet.count) else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(packet.count + 2)
    out.append(high)
    out.append(low)
    for index in packet.indices { out.append(packet[index]) }
    return out
  }

  private mutating func compact() {
    guard start > 0 else { return }
    let taken = start
    let live = start..<end
    var all = storage.mutableSpan
    for index in live { all[index - taken] = all[index] }
    end -= start
    start = 0
  }
}
