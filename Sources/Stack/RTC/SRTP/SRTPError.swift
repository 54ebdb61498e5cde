/// Why a packet was not protected or unprotected. Trivial, so that dropping a hostile packet allocates nothing.
///
/// After any of these the session's state is as it was before the call.
public enum SRTPError: Error, Hashable, Sendable {
  /// Shorter than its own header and the profile's tag: not SRTP, or cut.
  case tooShort
  /// The RTP or RTCP header is not version 2, or its CSRC list or extension runs past the end; for protecting: the
  /// header span is not exactly one header.
  case malformedHeader
  /// The tag does not fit the bytes: damaged, forged, or the keys differ.
  case authenticationFailed
  /// This index was received before (RFC 3711 section 3.3.2).
  case replayed
  /// The index lies before the replay window, or before the start of the stream.
  case tooOld
  /// A new SSRC while ``SRTPReceiver/maximumStreams`` are known.
  case tooManyStreams
  /// An SRTCP packet whose E flag says "not encrypted"; DTLS-SRTP never negotiates that.
  case notEncrypted
  /// All indices of the key are used up (2^48 RTP or 2^31 RTCP packets): negotiate new keys.
  case keyExhausted
  /// The output is too small for header, payload and ``SRTPProfile/rtpOverhead``.
  case outputTooSmall
  /// More than 65,535 bytes: no datagram carries that.
  case tooLong
  /// OpenSSL refused; out of memory in practice.
  case cipherFailed
  /// Keying material whose key or salt length is not the profile's.
  case wrongKeyLength(expectedKey: Int, expectedSalt: Int)
}
