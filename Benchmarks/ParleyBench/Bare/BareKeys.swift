import RTC

/// The keys of the bare loop: known to both ends, since there is nothing to keep secret from anybody.
enum BareKeys {
  /// The keys of sender and receivers, AES-128-GCM.
  static var material: SRTPKeyingMaterial {
    let key = SRTPMasterKey(key: [UInt8](repeating: 0x42, count: 16), salt: [UInt8](repeating: 0x24, count: 12))
    return SRTPKeyingMaterial(profile: .aeadAES128GCM, local: key, remote: key)
  }

  /// The SSRC of the only stream.
  static let ssrc = SSRC(rawValue: 0x4241_5245)
}
