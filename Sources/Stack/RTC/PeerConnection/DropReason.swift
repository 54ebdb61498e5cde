/// Why ``PeerConnection`` took no notice of a datagram. Each is counted in ``DropCounts``; none is logged by itself, or
/// a flood would fill the disk.
public enum DropReason: UInt8, Hashable, Sendable, CaseIterable {
  /// Neither STUN nor DTLS nor RTP nor RTCP (RFC 7983).
  case unknownProtocol
  /// Not a well-formed STUN message.
  case malformedSTUN
  /// STUN that does not carry the right credentials.
  case unauthenticatedSTUN
  /// Well-formed STUN that nobody waits for.
  case unexpectedSTUN
  /// DTLS over a path without an authenticated ICE check.
  case dtlsFromUnprovenPath
  /// RTP or RTCP over a path without an authenticated ICE check.
  case mediaFromUnprovenPath
  /// RTP or RTCP before the DTLS handshake is complete.
  case mediaBeforeKeys
  /// An RTP or RTCP header that cannot be read.
  case malformedMedia
  /// SRTP or SRTCP whose tag does not fit.
  case unauthenticatedMedia
  /// SRTP or SRTCP that was received before, or is too old for the replay window.
  case replayedMedia
  /// One more SSRC than a peer may have, or a packet that no key can open any more.
  case mediaLimit
  /// An opened packet whose padding is longer than its payload.
  case badPadding
  /// No description was exchanged yet.
  case notNegotiated
  /// Consent was lost, and no ICE restart has renewed it.
  case consentLost
  /// The connection is closed.
  case closed
}

/// How many datagrams were dropped for each ``DropReason``.
public struct DropCounts: Hashable, Sendable {
  private var counts = [UInt64](repeating: 0, count: DropReason.allCases.count)

  public init() {}

  /// The number of datagrams dropped for `reason`.
  public subscript(reason: DropReason) -> UInt64 { counts[Int(reason.rawValue)] }

  public var total: UInt64 { counts.reduce(0, &+) }

  /// Counts one. Allocates nothing.
  mutating func count(_ reason: DropReason) { counts[Int(reason.rawValue)] &+= 1 }
}
