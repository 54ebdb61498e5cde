/// The audio level of one packet (RFC 6464 section 3).
public struct AudioLevel: Hashable, Sendable {
  /// The level below full scale in decibels, 0 (loudest) to 127 (silence).
  public var decibelsBelowFullScale: UInt8
  /// Whether the sender's voice detector heard speech. Senders without one leave it false or true throughout.
  public var voiceActivity: Bool

  /// A level of `decibelsBelowFullScale` (clamped to 127).
  @inlinable public init(decibelsBelowFullScale: UInt8, voiceActivity: Bool) {
    self.decibelsBelowFullScale = min(decibelsBelowFullScale, 127)
    self.voiceActivity = voiceActivity
  }

  /// Reads the element's data. Nil when it is empty or does not lie in the packet.
  @inlinable public init?(_ packet: Span<UInt8>, at range: Range<Int>) {
    guard range.count >= 1, range.lowerBound >= 0, range.upperBound <= packet.count else { return nil }
    let byte = packet[range.lowerBound]
    self.init(decibelsBelowFullScale: byte & 0x7F, voiceActivity: byte & 0x80 != 0)
  }

  /// The byte on the wire.
  @inlinable public var encoded: UInt8 { decibelsBelowFullScale | (voiceActivity ? 0x80 : 0) }
}

/// When a packet left its sender: 24 bits of NTP time in units of 2⁻¹⁸ s, wrapping every 64 s.
public struct AbsSendTime: Hashable, Sendable {
  /// The 24 bits on the wire.
  public var rawValue: UInt32

  /// The value of the low 24 bits of `rawValue`.
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue & 0xFF_FFFF }

  /// The send time of a packet that leaves at `time`.
  @inlinable public init(_ time: NTPTime) {
    self.init(rawValue: UInt32(truncatingIfNeeded: time.rawValue >> 14))
  }

  /// Reads the element's data. Nil when it is not three bytes inside the packet.
  @inlinable public init?(_ packet: Span<UInt8>, at range: Range<Int>) {
    guard range.count == 3, range.lowerBound >= 0, range.upperBound <= packet.count else { return nil }
    self.init(rawValue: packet.networkUInt24(at: range.lowerBound))
  }
}

/// A packet's number in its transport (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 2).
public enum TransportSequenceNumber {
  /// Reads the element's data (the first two bytes, so that version 2 of the extension is read too).
  /// Nil when it is shorter or does not lie in the packet.
  @inlinable public static func parse(_ packet: Span<UInt8>, at range: Range<Int>) -> SequenceNumber? {
    guard range.count >= 2, range.lowerBound >= 0, range.upperBound <= packet.count else { return nil }
    return SequenceNumber(rawValue: packet.networkUInt16(at: range.lowerBound))
  }
}

/// A short text that travels in a header extension (MID, RID), ready to be written into each packet.
///
/// Make it once per stream: a plain value of 17 bytes, so that the packet path touches no `String`.
public struct HeaderExtensionText: Hashable, Sendable {
  @usableFromInline var bytes = SIMD16<UInt8>()
  /// The number of bytes, 1 to 16.
  @usableFromInline var length: UInt8

  /// The UTF-8 bytes of `text`; nil when there are none or more than 16.
  public init?(_ text: String) {
    let utf8 = text.utf8
    guard (1...16).contains(utf8.count) else { return nil }
    length = UInt8(utf8.count)
    for (index, byte) in utf8.enumerated() { bytes[index] = byte }
  }

  /// Reads the element's data. Nil when it is empty, longer than 16 bytes or not inside the packet.
  @inlinable public init?(_ packet: Span<UInt8>, at range: Range<Int>) {
    guard (1...16).contains(range.count), range.lowerBound >= 0, range.upperBound <= packet.count
    else { return nil }
    length = UInt8(truncatingIfNeeded: range.count)
    for index in 0..<range.count { bytes[index] = packet[range.lowerBound &+ index] }
  }

  /// The number of bytes, 1 to 16.
  @inlinable public var count: Int { Int(length) }

  /// The text; bytes that are not UTF-8 become U+FFFD. Allocates: not for every packet.
  public var text: String {
    String(decoding: (0..<count).map { bytes[$0] }, as: UTF8.self)
  }
}
