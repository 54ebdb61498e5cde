/// An SRTP protection profile: which cipher and authentication a peer connection's media uses
/// (RFC 5764 section 4.1.2, RFC 7714 section 14.2).
///
/// The DTLS handshake chooses one from ``DTLSContext``'s ordered list.
public struct SRTPProfile: Hashable, Sendable {
  /// The implementation behind the profile.
  enum Kind: UInt8, Sendable {
    case aeadAES128GCM, aeadAES256GCM, aes128CMHMACSHA1_80, insecureNull
  }

  let kind: Kind

  /// AES-128 in Galois/counter mode with a 16-byte tag (RFC 7714). The fastest profile; the first choice.
  public static var aeadAES128GCM: SRTPProfile { SRTPProfile(kind: .aeadAES128GCM) }
  /// AES-256 in Galois/counter mode with a 16-byte tag (RFC 7714).
  public static var aeadAES256GCM: SRTPProfile { SRTPProfile(kind: .aeadAES256GCM) }
  /// AES-128 in counter mode with HMAC-SHA1 cut to 80 bits (RFC 3711): the profile every WebRTC end has.
  public static var aes128CMHMACSHA1_80: SRTPProfile { SRTPProfile(kind: .aes128CMHMACSHA1_80) }

  /// No encryption, no authentication, no replay check. For simulations that study something else than SRTP; never
  /// negotiated with a peer, and ``DTLSContext`` refuses it.
  public static func insecureNullForSimulation() -> SRTPProfile { SRTPProfile(kind: .insecureNull) }

  /// The profile that a DTLS `use_srtp` identifier means; nil when it is not one of ours.
  public init?(dtlsIdentifier: UInt16) {
    switch dtlsIdentifier {
    case 0x0001: self = .aes128CMHMACSHA1_80
    case 0x0007: self = .aeadAES128GCM
    case 0x0008: self = .aeadAES256GCM
    default: return nil
    }
  }

  init(kind: Kind) { self.kind = kind }

  /// Bytes that protection adds to an RTP packet.
  public var rtpOverhead: Int {
    switch kind {
    case .aeadAES128GCM, .aeadAES256GCM: 16
    case .aes128CMHMACSHA1_80: 10
    case .insecureNull: 0
    }
  }

  /// Bytes that protection adds to a compound RTCP packet: the tag and the four-byte index word.
  public var rtcpOverhead: Int { kind == .insecureNull ? 0 : rtpOverhead + 4 }

  /// Length of the master key, in bytes.
  public var masterKeyLength: Int {
    switch kind {
    case .aeadAES128GCM, .aes128CMHMACSHA1_80: 16
    case .aeadAES256GCM: 32
    case .insecureNull: 0
    }
  }

  /// Length of the master salt, in bytes: 12 with GCM, 14 with counter mode.
  public var masterSaltLength: Int {
    switch kind {
    case .aeadAES128GCM, .aeadAES256GCM: 12
    case .aes128CMHMACSHA1_80: 14
    case .insecureNull: 0
    }
  }

  /// The name OpenSSL knows the profile by; nil for the null profile, which is never negotiated.
  var opensslName: String? {
    switch kind {
    case .aeadAES128GCM: "SRTP_AEAD_AES_128_GCM"
    case .aeadAES256GCM: "SRTP_AEAD_AES_256_GCM"
    case .aes128CMHMACSHA1_80: "SRTP_AES128_CM_SHA1_80"
    case .insecureNull: nil
    }
  }
}

extension SRTPProfile: CustomStringConvertible {
  /// The registered name of RFC 5764 section 4.1.2, or of RFC 7714.
  public var description: String { opensslName ?? "insecure null" }
}
