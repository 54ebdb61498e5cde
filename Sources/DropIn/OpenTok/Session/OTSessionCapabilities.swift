public import Foundation

/// The permissions of a token.
open class OTSessionCapabilities: NSObject {
  open internal(set) var canPublish = false
  open internal(set) var canSubscribe = false
  open internal(set) var canForceMute = false
  /// Take others out of the session.
  open internal(set) var canForceDisconnect = false

  public override init() { super.init() }

  public init(canPublish: Bool, canSubscribe: Bool, canForceMute: Bool, canForceDisconnect: Bool) {
    super.init()
    (self.canPublish, self.canSubscribe) = (canPublish, canSubscribe)
    (self.canForceMute, self.canForceDisconnect) = (canForceMute, canForceDisconnect)
  }
}

/// A moderator's change of muting.
open class OTMuteForcedInfo: NSObject {
  /// True when everybody is muted, false when that does not hold for later streams any more.
  open var active = false

  /// That it does not hold.
  public override init() { super.init() }

  convenience init(active: Bool) {
    self.init()
    self.active = active
  }
}
