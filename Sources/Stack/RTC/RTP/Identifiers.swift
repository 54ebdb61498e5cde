/// A synchronization source identifier (RFC 3550 section 3): names one RTP stream inside a session.
public struct SSRC: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The 32 bits on the wire.
  public let rawValue: UInt32
  /// From the bits on the wire.
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The decimal form that SDP uses.
  public var description: String { String(rawValue) }
}

/// An RTP payload type (RFC 3550 section 5.1), 0 to 127.
public struct PayloadType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The seven bits on the wire.
  public let rawValue: UInt8
  /// From the bits on the wire.
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue & 0x7F }
  /// The decimal form that SDP uses.
  public var description: String { String(rawValue) }
}

/// An RTP sequence number (RFC 3550 section 5.1). It wraps, so it has no total order: compare with ``isNewer(than:)``.
public struct SequenceNumber: RawRepresentable, Hashable, Sendable {
  /// The 16 bits on the wire.
  public var rawValue: UInt16
  /// From the bits on the wire.
  @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Whether this number follows `other` within half the number space.
  @inlinable public func isNewer(than other: SequenceNumber) -> Bool {
    rawValue != other.rawValue && rawValue &- other.rawValue < 0x8000
  }

  /// The signed distance from `other` to this number, -32,768 to 32,767.
  @inlinable public func distance(from other: SequenceNumber) -> Int {
    Int(Int16(truncatingIfNeeded: Int(rawValue) &- Int(other.rawValue)))
  }

  /// The number `n` places later, wrapping.
  @inlinable public func advanced(by n: Int) -> SequenceNumber {
    SequenceNumber(rawValue: rawValue &+ UInt16(truncatingIfNeeded: n))
  }
}

/// An RTP timestamp (RFC 3550 section 5.1) in units of the stream's clock rate. It wraps.
public struct RTPTimestamp: RawRepresentable, Hashable, Sendable {
  /// The 32 bits on the wire.
  public var rawValue: UInt32
  /// From the bits on the wire.
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Whether this instant follows `other` within half the number space.
  @inlinable public func isNewer(than other: RTPTimestamp) -> Bool {
    rawValue != other.rawValue && rawValue &- other.rawValue < 0x8000_0000
  }
}

/// An RTP stream identifier (RFC 8852): names one simulcast layer of an m-section.
public struct RID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The token, 1 to 16 alphanumeric characters here.
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }
}

/// The kind of a media stream.
public enum MediaKind: String, Hashable, Sendable {
  case audio
  case video
}
