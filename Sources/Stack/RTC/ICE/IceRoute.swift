public import Basics

/// How a packet for an ``IcePath`` leaves this machine: over which socket or stream, to which address, and what stands
/// around it. For a direct UDP path that is nothing; on ICE-TCP a length, on a relayed path ChannelData, or until a
/// channel is bound a Send indication.
///
/// The media path writes packets without copying or allocating: it leaves ``headroom`` bytes free before the packet and
/// ``tailroom`` after it, and then calls ``seal(payloadLength:in:)``.
///
///     let length = try srtp.protectRTP(header: …, payload: …, into: &buffer from route.headroom)
///     let total = route.seal(payloadLength: length, in: &buffer)
///     socket(route.handle).send(buffer.first(total), to: route.remote)
public struct IceRoute: Hashable, Sendable {
  /// The wrapper around a packet.
  public enum Encapsulation: Hashable, Sendable {
    case none
    /// A two-byte length before it (RFC 4571).
    case length
    /// Four bytes of ChannelData header before it (RFC 8656 section 12.4); on streams padding after it.
    case channel(UInt16)
    /// A Send indication around it (RFC 8656 section 11.1), 36 bytes for an IPv4 peer and 48 for IPv6, and padding.
    case sendIndication(to: TransportAddress)
  }

  /// UDP, or a stream.
  public var transport: IceTransport
  /// The socket or stream, in the numbering of its owner.
  public var handle: UInt32
  /// Our own address on that socket or stream.
  public var local: TransportAddress
  /// The address to send to: the peer's, or the TURN server's.
  public var remote: TransportAddress
  /// The wrapper around packets on this route.
  public var encapsulation: Encapsulation

  public init(
    transport: IceTransport, handle: UInt32, local: TransportAddress, remote: TransportAddress,
    encapsulation: Encapsulation
  ) {
    self.transport = transport
    self.handle = handle
    self.local = local
    self.remote = remote
    self.encapsulation = encapsulation
  }

  /// The route of a path that is not relayed.
  public init(direct path: IcePath) {
    self.init(
      transport: path.transport, handle: path.handle, local: path.local, remote: path.remote,
      encapsulation: path.transport == .tcp ? .length : .none)
  }

  /// Bytes before the packet.
  public var headroom: Int {
    switch encapsulation {
    case .none: 0
    case .length: 2
    case .channel: 4
    case .sendIndication(let peer): peer.ip.isIPv4 ? 36 : 48
    }
  }

  /// The most bytes after the packet.
  public var tailroom: Int {
    switch encapsulation {
    case .none, .length: 0
    case .channel: transport == .tcp ? 3 : 0
    case .sendIndication: 3
    }
  }

  /// Completes a packet of `payloadLength` bytes that stands in `buffer` from ``headroom`` on: writes what belongs
  /// before and after it. Allocates nothing.
  /// - Returns: How many bytes from the start of `buffer` are to be sent; nil when the packet and what is around it do
  ///   not fit, or it is too long for its framing.
  public func seal(payloadLength length: Int, in buffer: inout MutableSpan<UInt8>) -> Int? {
    let start = headroom
    guard length >= 0, length <= 65_535, start + length + tailroom <= buffer.count else { return nil }
    var end = start + length
    switch encapsulation {
    case .none: break
    case .length: Self.write16(UInt16(length), at: 0, &buffer)
    case .channel(let number):
      Self.write16(number, at: 0, &buffer)
      Self.write16(UInt16(length), at: 2, &buffer)
      if transport == .tcp { end = Self.pad(end, &buffer) }
    case .sendIndication(let peer):
      end = Self.pad(end, &buffer)
      guard end - STUNMessage.headerLength <= 65_535 else { return nil }
      writeSendIndication(peer, dataLength: length, end: end, &buffer)
    }
    return end
  }

  /// Copies a packet to its place in `output` and seals it there.
  /// - Returns: How many bytes from the start of `output` are to be sent; nil when it does not fit.
  public func encapsulate(_ packet: Span<UInt8>, into output: inout MutableSpan<UInt8>) -> Int? {
    let start = headroom
    guard start + packet.count + tailroom <= output.count else { return nil }
    for index in packet.indices { output[start + index] = packet[index] }
    return seal(payloadLength: packet.count, in: &output)
  }

  /// Nothing answers an indication, so its transaction id ties nothing together; it is constant, and with it the header
  /// of a peer's indications.
  private func writeSendIndication(
    _ peer: TransportAddress, dataLength: Int, end: Int, _ buffer: inout MutableSpan<UInt8>
  ) {
    let cookie = STUNMessage.magicCookie
    Self.write16(0x0016, at: 0, &buffer)
    Self.write16(UInt16(end - STUNMessage.headerLength), at: 2, &buffer)
    Self.write32(cookie, at: 4, &buffer)
    Self.write32(Self.transactionHigh, at: 8, &buffer)
    Self.write64(Self.transactionLow, at: 12, &buffer)
    Self.write16(STUNAttributeType.xorPeerAddress.rawValue, at: 20, &buffer)
    var offset = 28
    if peer.ip.isIPv4 {
      Self.write16(8, at: 22, &buffer)
      Self.write16(1, at: 24, &buffer)
      Self.write32(peer.ip.v4Bits ^ cookie, at: offset, &buffer)
      offset += 4
    } else {
      Self.write16(20, at: 22, &buffer)
      Self.write16(2, at: 24, &buffer)
      Self.write64(peer.ip.high ^ (UInt64(cookie) << 32 | UInt64(Self.transactionHigh)), at: offset, &buffer)
      Self.write64(peer.ip.low ^ Self.transactionLow, at: offset + 8, &buffer)
      offset += 16
    }
    Self.write16(peer.port ^ UInt16(cookie >> 16), at: 26, &buffer)
    Self.write16(STUNAttributeType.data.rawValue, at: offset, &buffer)
    Self.write16(UInt16(dataLength), at: offset + 2, &buffer)
  }

  private static let transactionHigh: UInt32 = 0x5041_524C
  private static let transactionLow: UInt64 = 0x4559_2D53_454E_4421

  private static func pad(_ end: Int, _ buffer: inout MutableSpan<UInt8>) -> Int {
    var end = end
    while end % 4 != 0 {
      buffer[end] = 0
      end += 1
    }
    return end
  }

  private static func write16(_ value: UInt16, at offset: Int, _ buffer: inout MutableSpan<UInt8>) {
    buffer[offset] = UInt8(value >> 8)
    buffer[offset + 1] = UInt8(truncatingIfNeeded: value)
  }

  private static func write32(_ value: UInt32, at offset: Int, _ buffer: inout MutableSpan<UInt8>) {
    write16(UInt16(value >> 16), at: offset, &buffer)
    write16(UInt16(truncatingIfNeeded: value), at: offset + 2, &buffer)
  }

  private static func write64(_ value: UInt64, at offset: Int, _ buffer: inout MutableSpan<UInt8>) {
    write32(UInt32(value >> 32), at: offset, &buffer)
    write32(UInt32(truncatingIfNeeded: value), at: offset + 4, &buffer)
  }
}
