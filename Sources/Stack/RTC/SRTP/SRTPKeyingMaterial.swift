public import Basics

/// A master key and salt: what one direction of an SRTP session derives its keys from (RFC 3711 section 8.2).
public struct SRTPMasterKey: Sendable, Equatable {
  /// The master key, ``SRTPProfile/masterKeyLength`` bytes.
  public let key: Secret<[UInt8]>
  /// The master salt, ``SRTPProfile/masterSaltLength`` bytes.
  public let salt: Secret<[UInt8]>

  /// A master key of `key` and `salt`; lengths are checked where it is used.
  public init(key: [UInt8], salt: [UInt8]) {
    self.key = Secret(key)
    self.salt = Secret(salt)
  }
}

/// The result of a DTLS handshake for media: the chosen profile and both directions' master keys (RFC 5764 section
/// 4.2).
public struct SRTPKeyingMaterial: Sendable, Equatable {
  /// The profile both ends agreed on.
  public let profile: SRTPProfile
  /// For what this end sends: make an ``SRTPSender`` of it.
  public let local: SRTPMasterKey
  /// For what the peer sends: make an ``SRTPReceiver`` of it.
  public let remote: SRTPMasterKey

  /// Keying material from its parts.
  public init(profile: SRTPProfile, local: SRTPMasterKey, remote: SRTPMasterKey) {
    self.profile = profile
    self.local = local
    self.remote = remote
  }

  /// Splits what the exporter "EXTRACTOR-dtls_srtp" gave: client key, server key, client salt, server salt.
  /// Nil when the length is not the profile's.
  init?(profile: SRTPProfile, exported: [UInt8], isClient: Bool) {
    let key = profile.masterKeyLength
    let salt = profile.masterSaltLength
    guard exported.count == Self.exportedLength(profile) else { return nil }
    let client = SRTPMasterKey(
      key: Array(exported[0..<key]), salt: Array(exported[(2 * key)..<(2 * key + salt)]))
    let server = SRTPMasterKey(
      key: Array(exported[key..<(2 * key)]), salt: Array(exported[(2 * key + salt)..<(2 * key + 2 * salt)]))
    self.init(profile: profile, local: isClient ? client : server, remote: isClient ? server : client)
  }

  /// How many bytes to ask the exporter for.
  static func exportedLength(_ profile: SRTPProfile) -> Int {
    2 * (profile.masterKeyLength + profile.masterSaltLength)
  }

  /// Material for a session without protection (``SRTPProfile/insecureNullForSimulation()``).
  public static func insecureNullForSimulation() -> SRTPKeyingMaterial {
    let none = SRTPMasterKey(key: [], salt: [])
    return SRTPKeyingMaterial(profile: .insecureNullForSimulation(), local: none, remote: none)
  }
}
