public import Foundation

/// What the token lets this client do.
public final class OTSessionCapabilities: NSObject, Sendable {
  /// Send streams.
  public let canPublish: Bool
  /// Receive streams.
  public let canSubscribe: Bool
  /// Mute others.
  public let canForceMute: Bool
  /// Take others out of the session.
  public let canForceDisconnect: Bool

  init(canPublish: Bool, canSubscribe: Bool, canForceMute: Bool, canForceDisconnect: Bool) {
    self.canPublish = canPublish
    self.canSubscribe = canSubscribe
    self.canForceMute = canForceMute
    self.canForceDisconnect = canForceDisconnect
    super.init()
  }
}

/// What a moderator said of muting.
public final class OTMuteForcedInfo: NSObject, Sendable {
  /// True when everybody is muted, false when that does not hold for later streams any more.
  public let active: Bool

  init(active: Bool) {
    self.active = active
    super.init()
  }
}
