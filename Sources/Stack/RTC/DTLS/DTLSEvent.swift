/// The side of the DTLS handshake that an end takes; `a=setup` in the session description decides.
public enum DTLSRole: Sendable, Hashable {
  /// Sends the ClientHello (`a=setup:active`).
  case client
  /// Waits for it (`a=setup:passive`); Parley's server always.
  case server
}

/// An event of a ``DTLSTransport``.
public enum DTLSEvent: Sendable, Equatable {
  /// The handshake is complete and the peer's fingerprint is right: media may start with these keys.
  case connected(SRTPKeyingMaterial)
  /// Application data, one record's worth (data channels' SCTP packets).
  case received([UInt8])
  /// The peer closed the association.
  case closed
  /// The association is over; ``DTLSTransport/reset()`` allows another attempt.
  case failed(DTLSFailure)
}
