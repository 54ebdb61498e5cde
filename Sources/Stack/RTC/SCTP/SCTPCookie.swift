internal import Basics
internal import Crypto

/// The state cookie (RFC 9260 section 5.1.3): what an end that answered INIT needs to know when the COOKIE ECHO comes,
/// so that it keeps nothing before. Protected by HMAC-SHA256 with a secret of the association alone; its layout is
/// nobody else's business.
struct SCTPCookie: Equatable {
  /// Bytes of a cookie with its code.
  static let length = 8 + 4 * 7 + 2 * 2 + 4 + 32

  var issuedAt: Instant
  var localTag: UInt32
  var peerTag: UInt32
  var localInitialTSN: UInt32
  var peerInitialTSN: UInt32
  var peerWindow: UInt32
  /// The tags of the association that existed when the INIT came, else zero (section 5.2.2).
  var localTieTag: UInt32
  var peerTieTag: UInt32
  var peerOutboundStreams: UInt16
  var peerInboundStreams: UInt16
  var supportsForwardTSN: Bool
  var supportsReset: Bool

  /// The cookie's bytes with their code; nil when OpenSSL fails.
  func sealed(_ secret: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.length)
    bytes.appendNetwork(UInt64(bitPattern: issuedAt.nanoseconds))
    for word in [localTag, peerTag, localInitialTSN, peerInitialTSN, peerWindow, localTieTag, peerTieTag] {
      bytes.appendNetwork(word)
    }
    bytes.appendNetwork(peerOutboundStreams)
    bytes.appendNetwork(peerInboundStreams)
    bytes.appendNetwork(UInt32(supportsForwardTSN ? 1 : 0) | UInt32(supportsReset ? 2 : 0))
    guard let code = Self.code(bytes, secret) else { return nil }
    return bytes + code
  }

  /// Reads the cookie at `range` of a packet; nil when its code is not of this secret. Compared in constant time.
  init?(opening packet: Span<UInt8>, _ range: Range<Int>, _ secret: [UInt8]) {
    guard range.count == Self.length, range.upperBound <= packet.count else { return nil }
    let body = [UInt8](copying: packet, range.lowerBound..<range.upperBound &- 32)
    guard let code = Self.code(body, secret),
      ConstantTime.areEqual(code.span, packet.extracting((range.upperBound &- 32)..<range.upperBound))
    else { return nil }
    let bytes = body.span
    issuedAt = Instant(nanoseconds: Int64(bitPattern: bytes.networkUInt64(at: 0)))
    localTag = bytes.networkUInt32(at: 8)
    peerTag = bytes.networkUInt32(at: 12)
    localInitialTSN = bytes.networkUInt32(at: 16)
    peerInitialTSN = bytes.networkUInt32(at: 20)
    peerWindow = bytes.networkUInt32(at: 24)
    localTieTag = bytes.networkUInt32(at: 28)
    peerTieTag = bytes.networkUInt32(at: 32)
    peerOutboundStreams = bytes.networkUInt16(at: 36)
    peerInboundStreams = bytes.networkUInt16(at: 38)
    supportsForwardTSN = bytes.networkUInt32(at: 40) & 1 != 0
    supportsReset = bytes.networkUInt32(at: 40) & 2 != 0
  }

  init(
    issuedAt: Instant, localTag: UInt32, localInitialTSN: UInt32, peer: SCTPInitiation, localTieTag: UInt32,
    peerTieTag: UInt32
  ) {
    self.issuedAt = issuedAt
    self.localTag = localTag
    self.peerTag = peer.tag
    self.localInitialTSN = localInitialTSN
    self.peerInitialTSN = peer.initialTSN
    self.peerWindow = peer.window
    self.localTieTag = localTieTag
    self.peerTieTag = peerTieTag
    self.peerOutboundStreams = peer.outboundStreams
    self.peerInboundStreams = peer.inboundStreams
    self.supportsForwardTSN = peer.supportsForwardTSN
    self.supportsReset = peer.supportsReset
  }

  private static func code(_ bytes: [UInt8], _ secret: [UInt8]) -> [UInt8]? {
    try? HMAC.code(of: bytes.span, key: secret.span, using: .sha256)
  }
}
