/// An event of a ``PeerConnection``. Poll events after each call that lets it work.
public enum PeerConnectionEvent: Hashable, Sendable {
  /// ICE and DTLS are done and the peer's certificate is the announced one: media may flow both ways.
  case connected
  /// Media and everything else now goes over this path; nil while there is none.
  case iceSelectedPathChanged(IcePath?)
  /// This path is proven: datagrams from it belong to this connection.
  case icePathValidated(IcePath)
  /// This path is no longer proven: stop giving its datagrams to this connection.
  case icePathForgotten(IcePath)
  /// This local user fragment is no longer accepted: stop looking it up.
  case iceUfragRetired(String)
  /// No authenticated check for 30 seconds: nothing is sent any more (RFC 7675). An ICE restart can bring it back.
  case iceConsentLost
  /// An authenticated check after ``iceConsentLost``: sending goes on.
  case iceConsentRestored
  /// No path to the peer works (clients only).
  case iceFailed
  /// A candidate of ours was found, to be sent to a peer that takes candidates one by one (clients only).
  case iceLocalCandidate(IceCandidate)
  /// No more candidates of ours will come (clients only).
  case iceGatheringComplete
  /// A STUN or TURN server gives no address, or no longer; others and direct paths may still work (clients only).
  case iceServerFailed(url: String, TurnError)
  /// The handshake failed. Unless too many have, another one may follow by itself.
  case dtlsFailed(DTLSFailure)
  /// Something happened to the data channels: one opened or closed, or a message came, whose bytes are inside.
  case data(DataChannelEvent)
  /// The peer closed the connection.
  case closed
}
