/// Protects the RTP and RTCP packets that go to one peer (RFC 3711, RFC 7714): one object for each peer connection,
/// keyed with the local half of its ``SRTPKeyingMaterial``.
///
/// **Never protect two different packets with the same SSRC and sequence number** (within one roll-over): the
/// ciphers' security ends there. Sending the same bytes again is harmless; a retransmission whose header extensions
/// differ must go out by RTX (RFC 4588), which has its own SSRC and sequence numbers. Start a stream's sequence
/// numbers below 32,768, so that a receiver that misses the first packets still guesses the roll-over counter right.
///
/// Nothing is allocated for a packet of a known SSRC. Not thread-safe: use it from the worker that owns the connection.
public final class SRTPSender {
  /// How many SSRCs may be sent over the life of the keys.
  public static let maximumStreams = 16_384

  private let profile: SRTPProfile
  private let rtpCipher: SRTPCipher
  private let rtcpCipher: SRTPCipher
  private var streams: SRTPStreamTable
  private var nextRTCPIndex: UInt32 = 1
  // The stream of the last packet, and its highest index, which the table has when another stream's turn comes: as a
  // rule that is several packets later, and plain numbers need no check for exclusive access.
  private var lastSSRC: UInt32 = 0
  private var lastSlot = -1
  private var lastHighest: UInt64 = 0

  /// A sender for what this end sends.
  ///
  /// - Throws: ``SRTPError/wrongKeyLength(expectedKey:expectedSalt:)``, ``SRTPError/cipherFailed``.
  public convenience init(_ material: SRTPKeyingMaterial) throws(SRTPError) {
    let profile = material.profile
    try self.init(
      profile: profile,
      rtpKeys: SRTPKeyDerivation.sessionKeys(profile: profile, master: material.local, isRTCP: false),
      rtcpKeys: SRTPKeyDerivation.sessionKeys(profile: profile, master: material.local, isRTCP: true))
  }

  /// A sender with given session keys and first RTCP index, as published test vectors have them.
  init(
    profile: SRTPProfile, rtpKeys: SRTPSessionKeys, rtcpKeys: SRTPSessionKeys, firstRTCPIndex: UInt32 = 1
  ) throws(SRTPError) {
    self.profile = profile
    rtpCipher = try SRTPCipher(profile: profile, keys: rtpKeys, encrypts: true)
    rtcpCipher = try SRTPCipher(profile: profile, keys: rtcpKeys, encrypts: true)
    streams = SRTPStreamTable(hasWindows: false, seed: rtpCipher.tableSeed)
    nextRTCPIndex = firstRTCPIndex
  }

  /// Bytes that ``protectRTP(header:payload:into:index:)`` adds.
  public var rtpOverhead: Int { profile.rtpOverhead }
  /// Bytes that ``protectRTCP(_:length:)`` adds.
  public var rtcpOverhead: Int { profile.rtcpOverhead }

  /// Writes the protected packet of `header` and `payload` to the start of `output` and returns its length (RFC 3711
  /// section 3.3).
  ///
  /// `header` is exactly one RTP header: fixed part, CSRC list and extension. The payload, which many receivers may
  /// share, is encrypted straight into the output and not copied otherwise. `output` holds at least both and
  /// ``rtpOverhead``. About 0.4 µs for 1,100 bytes with GCM.
  ///
  /// - Parameter index: The packet's index, roll-overs and sequence number (RFC 3711 section 3.3.1), where the caller
  ///   counts them: then no gap can make this end take a new number for an old one. Without it the roll-over counter
  ///   follows the sequence numbers of each SSRC, in either direction, as long as neighbours differ by less than
  ///   32,768.
  public func protectRTP(
    header: Span<UInt8>, payload: Span<UInt8>, into output: inout MutableSpan<UInt8>, index given: UInt64? = nil
  ) throws(SRTPError) -> Int {
    let total = header.count &+ payload.count &+ profile.rtpOverhead
    guard total <= 0xFFFF else { throw .tooLong }
    guard output.count >= total else { throw .outputTooSmall }
    guard let facts = SRTPPacketFacts(header), facts.headerLength == header.count else { throw .malformedHeader }

    let isKnown = lastSlot >= 0 && lastSSRC == facts.ssrc || select(facts.ssrc)
    let index: UInt64
    if let given {
      guard given <= SRTPPacketIndex.maximum, UInt16(truncatingIfNeeded: given) == facts.sequence else {
        throw .keyExhausted
      }
      guard isKnown || streams.count < Self.maximumStreams else { throw .tooManyStreams }
      index = given
    } else if isKnown {
      let highest = lastHighest
      guard let estimate = SRTPPacketIndex.estimate(sequence: facts.sequence, highest: highest) else {
        throw highest >> 16 == 0 ? .tooOld : .keyExhausted
      }
      index = estimate
    } else {
      guard streams.count < Self.maximumStreams else { throw .tooManyStreams }
      index = UInt64(facts.sequence)
    }
    guard seal(header, payload, into: &output, facts, index: index) else { throw .cipherFailed }
    if isKnown {
      if index > lastHighest { lastHighest = index }
    } else {
      streams.insert(facts.ssrc, index: index)
    }
    return total
  }

  /// Makes the stream of `ssrc` the current one; false when nothing of it has been sent.
  @inline(never)
  private func select(_ ssrc: UInt32) -> Bool {
    (lastSlot, lastHighest) = streams.change(from: lastSlot, index: lastHighest, to: ssrc)
    lastSSRC = ssrc
    return lastSlot >= 0
  }

  @inline(__always)
  private func seal(
    _ header: Span<UInt8>, _ payload: Span<UInt8>, into output: inout MutableSpan<UInt8>, _ facts: SRTPPacketFacts,
    index: UInt64
  ) -> Bool {
    let cipher = rtpCipher
    // The three spans are valid for the closures' run and cannot overlap (the output is exclusive); the output's size
    // was checked against header, payload and tag. The payload's pointer is nil only when it is empty.
    return unsafe output.withUnsafeMutableBufferPointer { out in
      unsafe header.withUnsafeBufferPointer { head in
        unsafe payload.withUnsafeBufferPointer { body in
          guard let base = out.baseAddress, let aad = head.baseAddress else { return false }
          let input = unsafe body.baseAddress ?? aad
          let start = unsafe base + head.count
          unsafe base.update(from: aad, count: head.count)
          switch cipher.kind {
          case .aeadAES128GCM, .aeadAES256GCM:
            return unsafe cipher.sealGCM(
              ssrc: facts.ssrc, index: index, aad: aad, aadLength: head.count, trailer: nil, input: input,
              length: body.count, output: start)
          case .aes128CMHMACSHA1_80:
            guard
              unsafe cipher.applyKeystream(
                ssrc: facts.ssrc, index: index, input: input, length: body.count, output: start)
            else { return false }
            unsafe cipher.writeTag(
              base, length: head.count &+ body.count, suffix: UInt32(truncatingIfNeeded: index >> 16),
              to: start + body.count)
            return true
          case .insecureNull:
            unsafe start.update(from: input, count: body.count)
            return true
          }
        }
      }
    }
  }

  /// Protects the compound RTCP packet in the first `length` bytes of `packet` in place and returns the new length
  /// (RFC 3711 section 3.4). `packet` has room for ``rtcpOverhead`` more bytes.
  public func protectRTCP(_ packet: inout MutableSpan<UInt8>, length: Int) throws(SRTPError) -> Int {
    guard length >= 8 else { throw .tooShort }
    guard length <= 0xFFFF else { throw .tooLong }
    guard length <= packet.count, packet.count &- length >= profile.rtcpOverhead else { throw .outputTooSmall }
    guard packet[0] >> 6 == 2 else { throw .malformedHeader }
    if profile.kind == .insecureNull { return length }
    // One counter for all SSRCs: each still sees rising indices, and no nonce comes twice.
    let index = nextRTCPIndex
    guard index <= 0x7FFF_FFFF else { throw .keyExhausted }
    guard sealRTCP(&packet, ssrc: packet.span.bigEndianWord(at: 4), index: index, length: length) else {
      throw .cipherFailed
    }
    nextRTCPIndex = index &+ 1
    return length &+ profile.rtcpOverhead
  }

  private func sealRTCP(_ packet: inout MutableSpan<UInt8>, ssrc: UInt32, index: UInt32, length: Int) -> Bool {
    let word = index | 0x8000_0000
    let cipher = rtcpCipher
    // The span is valid for the closure's run; length ≥ 8 and room for tag and index word were checked.
    return unsafe packet.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return false }
      let payload = unsafe base + 8
      let isCounterMode = cipher.kind == .aes128CMHMACSHA1_80
      if isCounterMode {
        guard
          unsafe cipher.applyKeystream(
            ssrc: ssrc, index: UInt64(index), input: payload, length: length &- 8, output: payload)
        else { return false }
      } else {
        guard
          unsafe cipher.sealGCM(
            ssrc: ssrc, index: UInt64(index), aad: base, aadLength: 8, trailer: word, input: payload,
            length: length &- 8, output: payload)
        else { return false }
      }
      // Counter mode: index word, then the tag over all of it. GCM: the word comes after the tag.
      let at = isCounterMode ? length : length &+ 16
      for byte in 0..<4 {
        unsafe base[at &+ byte] = UInt8(truncatingIfNeeded: word >> UInt32(24 &- 8 &* byte))
      }
      if isCounterMode { unsafe cipher.writeTag(base, length: length &+ 4, suffix: nil, to: base + length + 4) }
      return true
    }
  }
}
