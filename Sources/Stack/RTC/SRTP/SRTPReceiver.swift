/// Opens the SRTP and SRTCP packets of one peer (RFC 3711, RFC 7714): one object for each peer connection, keyed with
/// the remote half of its ``SRTPKeyingMaterial``.
///
/// State for an SSRC appears only after one of its packets has been authenticated, and nothing changes when a call
/// throws, whatever index the packet claims. Nothing is allocated for a packet of a known SSRC.
/// Not thread-safe: use it from the worker that owns the connection.
public final class SRTPReceiver {
  /// How many SSRCs a peer may use over the life of its keys, for RTP and for RTCP each.
  public static let maximumStreams = 1_024

  private let profile: SRTPProfile
  private let rtpCipher: SRTPCipher
  private let rtcpCipher: SRTPCipher
  private var rtpStreams: SRTPStreamTable
  private var rtcpStreams: SRTPStreamTable

  /// A receiver of what the peer sends.
  ///
  /// - Throws: ``SRTPError/wrongKeyLength(expectedKey:expectedSalt:)``, ``SRTPError/cipherFailed``.
  public convenience init(_ material: SRTPKeyingMaterial) throws(SRTPError) {
    let profile = material.profile
    try self.init(
      profile: profile,
      rtpKeys: SRTPKeyDerivation.sessionKeys(profile: profile, master: material.remote, isRTCP: false),
      rtcpKeys: SRTPKeyDerivation.sessionKeys(profile: profile, master: material.remote, isRTCP: true))
  }

  /// A receiver with given session keys, as published test vectors have them.
  init(profile: SRTPProfile, rtpKeys: SRTPSessionKeys, rtcpKeys: SRTPSessionKeys) throws(SRTPError) {
    self.profile = profile
    rtpCipher = try SRTPCipher(profile: profile, keys: rtpKeys, encrypts: false)
    rtcpCipher = try SRTPCipher(profile: profile, keys: rtcpKeys, encrypts: false)
    rtpStreams = SRTPStreamTable(hasWindows: true, seed: rtpCipher.tableSeed)
    rtcpStreams = SRTPStreamTable(hasWindows: true, seed: rtcpCipher.tableSeed)
  }

  /// The number of SSRCs that have sent an authentic RTP packet.
  public var streamCount: Int { rtpStreams.count }

  /// Checks and decrypts `packet` in place (RFC 3711 section 3.3) and returns the length of the RTP packet that is
  /// now at its start.
  ///
  /// Costs about 0.4 µs for 1,100 bytes with GCM. After a throw the payload's bytes are unspecified: drop the packet.
  public func unprotectRTP(_ packet: inout MutableSpan<UInt8>) throws(SRTPError) -> Int {
    if profile.kind == .insecureNull { return packet.count }
    guard packet.count >= 12 &+ profile.rtpOverhead else { throw .tooShort }
    guard packet.count <= 0xFFFF else { throw .tooLong }
    guard let facts = SRTPPacketFacts(packet.span) else { throw .malformedHeader }
    let length = packet.count &- profile.rtpOverhead
    guard length >= facts.headerLength else { throw .tooShort }

    let slot = rtpStreams.slot(of: facts.ssrc)
    let index: UInt64
    if slot >= 0 {
      guard let estimate = SRTPPacketIndex.estimate(sequence: facts.sequence, highest: rtpStreams.highestIndex(slot))
      else { throw .tooOld }
      index = estimate
      switch rtpStreams.check(slot, index: index) {
      case .fresh: break
      case .replayed: throw .replayed
      case .tooOld: throw .tooOld
      }
    } else {
      guard rtpStreams.count < Self.maximumStreams else { throw .tooManyStreams }
      index = UInt64(facts.sequence)
    }
    guard openRTP(&packet, facts, index: index, length: length) else { throw .authenticationFailed }
    if slot >= 0 { rtpStreams.accept(slot, index: index) } else { rtpStreams.insert(facts.ssrc, index: index) }
    return length
  }

  @inline(__always)
  private func openRTP(
    _ packet: inout MutableSpan<UInt8>, _ facts: SRTPPacketFacts, index: UInt64, length: Int
  ) -> Bool {
    let header = facts.headerLength
    let cipher = rtpCipher
    // The span is valid for the closure's run; headerLength ≤ length and length + tag == count were checked.
    return unsafe packet.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return false }
      if cipher.kind == .aes128CMHMACSHA1_80 {
        return unsafe cipher.tagMatches(
          base, length: length, suffix: UInt32(truncatingIfNeeded: index >> 16), tag: base + length)
          && cipher.applyKeystream(
            ssrc: facts.ssrc, index: index, input: base + header, length: length &- header, output: base + header)
      }
      return unsafe cipher.openGCM(
        ssrc: facts.ssrc, index: index, aad: base, aadLength: header, trailer: nil, data: base + header,
        length: length &- header)
    }
  }

  /// Checks and decrypts the compound `packet` in place (RFC 3711 section 3.4) and returns the length of the RTCP
  /// packet that is now at its start.
  ///
  /// After a throw the bytes behind the first eight are unspecified: drop the packet.
  public func unprotectRTCP(_ packet: inout MutableSpan<UInt8>) throws(SRTPError) -> Int {
    if profile.kind == .insecureNull { return packet.count }
    guard packet.count >= 8 &+ profile.rtcpOverhead else { throw .tooShort }
    guard packet.count <= 0xFFFF else { throw .tooLong }
    guard packet[0] >> 6 == 2 else { throw .malformedHeader }
    let length = packet.count &- profile.rtcpOverhead
    let ssrc = packet.span.bigEndianWord(at: 4)
    // GCM: ciphertext, tag, index word (RFC 7714 section 9.2). HMAC: ciphertext, index word, tag.
    let wordOffset = profile.kind == .aes128CMHMACSHA1_80 ? length : packet.count &- 4
    let word = packet.span.bigEndianWord(at: wordOffset)
    guard word >> 31 == 1 else { throw .notEncrypted }
    let index = UInt64(word & 0x7FFF_FFFF)

    let slot = rtcpStreams.slot(of: ssrc)
    if slot >= 0 {
      switch rtcpStreams.check(slot, index: index) {
      case .fresh: break
      case .replayed: throw .replayed
      case .tooOld: throw .tooOld
      }
    } else if rtcpStreams.count >= Self.maximumStreams {
      throw .tooManyStreams
    }
    guard openRTCP(&packet, ssrc: ssrc, word: word, length: length) else { throw .authenticationFailed }
    if slot >= 0 { rtcpStreams.accept(slot, index: index) } else { rtcpStreams.insert(ssrc, index: index) }
    return length
  }

  private func openRTCP(_ packet: inout MutableSpan<UInt8>, ssrc: UInt32, word: UInt32, length: Int) -> Bool {
    let index = UInt64(word & 0x7FFF_FFFF)
    let cipher = rtcpCipher
    // The span is valid for the closure's run; 8 ≤ length and length + overhead == count were checked.
    return unsafe packet.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return false }
      if cipher.kind == .aes128CMHMACSHA1_80 {
        return unsafe cipher.tagMatches(base, length: length &+ 4, suffix: nil, tag: base + length + 4)
          && cipher.applyKeystream(ssrc: ssrc, index: index, input: base + 8, length: length &- 8, output: base + 8)
      }
      return unsafe cipher.openGCM(
        ssrc: ssrc, index: index, aad: base, aadLength: 8, trailer: word, data: base + 8, length: length &- 8)
    }
  }
}
