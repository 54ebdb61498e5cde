/// The parts of the connection that are down.
struct ConnectionParts {
  /// Whether ICE and DTLS of the connection under way are done.
  var mediaUp = false
  var signalingDown = false
  var mediaDown = false
  /// Whether the media connection is over, and it is not known yet whether the meeting is, too.
  var mediaIsOver = false
  var rejoining = false
  var isFine: Bool { !signalingDown && !mediaDown && !rejoining }
}
