// Settings, permissions and errors of an app's own class.
import OpenTok

class FixedSettings: OTSessionSettings {
  override var iceConfig: OTSessionICEConfig? {
    get { FixedRelays() }
    set {}
  }
  override var connectionEventsSuppressed: Bool {
    get { true }
    set { super.connectionEventsSuppressed = newValue }
  }
}

class FixedRelays: OTSessionICEConfig {
  override var transportPolicy: OTSessionICETransportPolicy {
    get { .relay }
    set {}
  }
  override var customIceServers: [Any]? { nil }
  override class func maxTURNServersLimit() -> Int { 1 }
}

class Moderator: OTSessionCapabilities {
  override var canForceMute: Bool { true }
}

class MutedInfo: OTMuteForcedInfo {
  override var active: Bool {
    get { true }
    set {}
  }
}

class ScreenSettings: OTPublisherSettings {
  override var scalableScreenshare: Bool {
    get { true }
    set {}
  }
  override var cameraResolution: OTCameraCaptureResolution {
    get { .high }
    set {}
  }
}

/// Unchecked, since `NSError` is Sendable in a way that the compiler can't prove for its subclasses.
class NamedError: OTError, @unchecked Sendable {
  override var description: String { "named" }
}
