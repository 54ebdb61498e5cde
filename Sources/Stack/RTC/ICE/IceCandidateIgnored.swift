/// Why a candidate of the peer's makes no pairs. None of these is an error: the others of the peer's candidates stay
/// good.
public enum IceCandidateIgnored: UInt8, Hashable, Sendable, CaseIterable {
  /// It cannot be read, or is of a transport or type that is not known.
  case unreadable
  /// It has a host name, such as the `.local` ones of mDNS. The peer's own checks will reveal the address.
  case hostName
  /// A component other than 1: RTCP is multiplexed.
  case otherComponent
  /// An active or simultaneous-open TCP candidate: we would have to listen.
  case tcpNotPassive
  /// An address that nothing can be sent to: unspecified, or port 0.
  case unusableAddress
  /// A link-local IPv6 address, which means nothing without a zone.
  case linkLocal
  /// It was there before.
  case duplicate
  /// More candidates than are looked at.
  case tooMany

  /// Why this candidate cannot be used; nil when it can.
  init?(_ candidate: IceCandidate) {
    guard candidate.component == 1 else {
      self = .otherComponent
      return
    }
    guard candidate.transport == .udp || candidate.tcpType == .passive else {
      self = .tcpNotPassive
      return
    }
    guard case .ip(let ip) = candidate.host else {
      self = .hostName
      return
    }
    if ip.isUnspecified || candidate.port == 0 {
      self = .unusableAddress
    } else if !ip.isIPv4 && ip.isLinkLocal {
      self = .linkLocal
    } else {
      return nil
    }
  }
}

/// How many candidates were ignored for each ``IceCandidateIgnored``.
public struct IgnoredCandidateCounts: Hashable, Sendable {
  private var counts = [Int](repeating: 0, count: IceCandidateIgnored.allCases.count)

  public init() {}

  /// How many were ignored for `reason`.
  public subscript(reason: IceCandidateIgnored) -> Int { counts[Int(reason.rawValue)] }

  public var total: Int { counts.reduce(0, +) }

  mutating func count(_ reason: IceCandidateIgnored, _ number: Int = 1) { counts[Int(reason.rawValue)] += number }
}
