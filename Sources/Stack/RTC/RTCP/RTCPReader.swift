/// One packet of an RTCP datagram. The payloads are plain values that hold offsets into the datagram.
public enum RTCPMessage: Hashable, Sendable {
  /// A sender report (RFC 3550 section 6.4.1).
  case senderReport(SenderReport)
  /// A receiver report (RFC 3550 section 6.4.2).
  case receiverReport(ReceiverReport)
  /// A source description (RFC 3550 section 6.5).
  case sdes(SDES)
  /// A goodbye (RFC 3550 section 6.6).
  case bye(BYE)
  /// A request for lost packets (RFC 4585 section 6.2.1).
  case nack(NACK)
  /// PLI (RFC 4585 section 6.3.1).
  case pli(PLI)
  /// A full intra request (RFC 5104 section 4.3.1).
  case fir(FIR)
  /// A receiver's estimate of the bandwidth (draft-alvestrand-rmcat-remb).
  case remb(REMB)
  /// Arrival times by transport-wide sequence number (draft-holmer-rmcat-transport-wide-cc-extensions-01).
  case transportFeedback(TransportFeedback)
  /// An extended report (RFC 3611).
  case extendedReport(ExtendedReport)
}

/// Walks the packets of a compound or reduced-size RTCP datagram (RFC 3550 section 6.1, RFC 5506).
///
/// It holds an offset only; each ``next(in:)`` takes the datagram again. Packets of unknown type (APP,
/// unknown feedback) are skipped. The work is bounded by the length of the datagram. A malformed packet ends
/// the walk with an error; the packets before it have been handed out and stay valid.
///
/// ```swift
/// var reader = RTCPReader()
/// while let message = try reader.next(in: datagram) { … }
/// ```
public struct RTCPReader: Sendable {
  @usableFromInline var offset = 0
  /// How many packets of unknown type were skipped.
  public private(set) var skipped = 0

  /// A reader at the start of a datagram.
  public init() {}

  /// The next packet of a known type; nil at the end of the datagram, and after an error.
  public mutating func next(in datagram: Span<UInt8>) throws(RTCPError) -> RTCPMessage? {
    let end = datagram.count
    while offset < end {
      let start = offset
      // Set at once, so that an error below ends the walk.
      offset = end
      guard end &- start >= 4 else { throw .truncated }
      let first = datagram[start]
      guard first >> 6 == 2 else { throw .version }
      let length = (Int(datagram.networkUInt16(at: start &+ 2)) &+ 1) &* 4
      guard length <= end &- start else { throw .length }
      var bodyEnd = start &+ length
      if first & 0x20 != 0 {
        guard bodyEnd == end, length > 4 else { throw .padding }
        let padding = Int(datagram[end &- 1])
        // No multiple of four, as RFC 3550 section 6.4.1 wants it: browsers fill up transport-wide feedback with 1 to 3
        // bytes.
        guard padding > 0, padding <= length &- 4 else { throw .padding }
        bodyEnd &-= padding
      }
      let message = try Self.read(
        type: datagram[start &+ 1], count: first & 0x1F, body: (start &+ 4)..<bodyEnd, in: datagram)
      offset = start &+ length
      if let message { return message }
      skipped &+= 1
    }
    return nil
  }

  private static func read(
    type: UInt8, count: UInt8, body: Range<Int>, in datagram: Span<UInt8>
  ) throws(RTCPError) -> RTCPMessage? {
    switch (type, count) {
    case (200, _): .senderReport(try SenderReport(count: count, body: body, in: datagram))
    case (201, _): .receiverReport(try ReceiverReport(count: count, body: body, in: datagram))
    case (202, _): .sdes(try SDES(count: count, body: body, in: datagram))
    case (203, _): .bye(try BYE(count: count, body: body))
    case (205, 1): .nack(try NACK(body: body, in: datagram))
    case (205, 15): .transportFeedback(try TransportFeedback(body: body, in: datagram))
    case (206, 1): .pli(try PLI(body: body, in: datagram))
    case (206, 4): .fir(try FIR(body: body, in: datagram))
    case (207, _): .extendedReport(try ExtendedReport(body: body, in: datagram))
    case (206, 15): try REMB(body: body, in: datagram).map { .remb($0) }
    default: nil
    }
  }
}
