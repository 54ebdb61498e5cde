internal import Crypto

/// The cipher suites of RFC 9605 section 4.5. Parley sends with ``aes128GCM``; the others are there for other programs.
public enum SFrameSuite: UInt16, Hashable, Sendable, CaseIterable {
  /// AES_128_CTR_HMAC_SHA256_80
  case aes128CTRHMAC80 = 1
  /// AES_128_CTR_HMAC_SHA256_64
  case aes128CTRHMAC64 = 2
  /// AES_128_CTR_HMAC_SHA256_32, whose tags of 4 bytes don't protect against somebody who may try often.
  case aes128CTRHMAC32 = 3
  /// AES_128_GCM_SHA256_128
  case aes128GCM = 4
  /// AES_256_GCM_SHA512_128
  case aes256GCM = 5

  /// Bytes of a tag.
  public var tagLength: Int {
    switch self {
    case .aes128CTRHMAC80: 10
    case .aes128CTRHMAC64: 8
    case .aes128CTRHMAC32: 4
    case .aes128GCM, .aes256GCM: 16
    }
  }

  /// Bytes of a key, authentication included.
  var keyLength: Int {
    switch self {
    case .aes128CTRHMAC80, .aes128CTRHMAC64, .aes128CTRHMAC32: 48
    case .aes128GCM: 16
    case .aes256GCM: 32
    }
  }

  /// The hash of the key derivation.
  var hash: HashAlgorithm {
    switch self {
    case .aes128CTRHMAC80, .aes128CTRHMAC64, .aes128CTRHMAC32, .aes128GCM: .sha256
    case .aes256GCM: .sha512
    }
  }
}
