/// Why a ``PeerConnection`` refused an offer or an answer.
public enum PeerConnectionError: Error, Hashable, Sendable {
  /// The description is not acceptable; nothing has changed.
  case description(SDPError)
  /// OpenSSL could not make a DTLS association.
  case dtls(DTLSSetupError)
  /// The operation belongs to the other role: a server answers, a client offers.
  case wrongRole(expected: PeerConnection.Role)
  /// The peer takes no data channels, or none were negotiated: a client asks for them before its offer.
  case noDataChannels
  /// The data channels refused.
  case dataChannel(DataChannelError)
  /// The connection is closed.
  case closed
}

extension PeerConnectionError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .description(let error): error.description
    case .dtls(let error): "The DTLS association could not be made: \(error)."
    case .wrongRole(let expected): "Only the \(expected) of a connection can do this."
    case .noDataChannels: "No data channels were agreed on; add them before the offer."
    case .dataChannel(let error): "The data channel cannot do this: \(error)."
    case .closed: "The connection is closed; make a new one."
    }
  }
}
