public import Basics

/// A meeting's rules for people on their way in and out, besides its ``AccessLevel`` and ``PasscodeHash``.
public struct LobbySettings: Sendable, Hashable {
  /// Whether nobody but hosts gets in until a host is there.
  public var waitsForHost: Bool
  /// Whether who comes and who goes is announced to the others.
  public var announces: Bool
  /// How long somebody waits before they are sent away; nil for as long as the server's setting says.
  public var timeout: TimeSpan?

  /// The shortest and the longest waiting time that can be set.
  public static let patienceRange = TimeSpan.seconds(1)...TimeSpan.seconds(86_400)

  /// Settings. The waiting time is kept in whole seconds, within ``patienceRange``.
  public init(waitsForHost: Bool = false, announces: Bool = true, timeout: TimeSpan? = nil) {
    self.waitsForHost = waitsForHost
    self.announces = announces
    let range = Self.patienceRange
    self.timeout = timeout.map {
      .seconds(min(max($0, range.lowerBound), range.upperBound).nanoseconds / 1_000_000_000)
    }
  }
}

extension AccessLevel {
  /// Whether the holder of a token goes in without waiting for somebody to admit them. A host always does.
  public func passes(_ grant: JoinGrant) -> Bool {
    if grant.isHost { return true }
    switch self {
    case .everyone: return true
    case .sameEnterprise: return !grant.isGuest
    // An invitation names the meeting; a token for every room does not.
    case .invited: return !grant.isGuest && grant.target != .anyRoom
    case .locked: return false
    }
  }
}
