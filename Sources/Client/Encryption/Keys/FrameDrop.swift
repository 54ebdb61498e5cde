/// Why a frame was not sent or not played. None of these ever leads to a plain frame.
public enum FrameDrop: Error, Hashable, Sendable {
  /// This end has no key for the track, or none of the sender's yet.
  case noKey
  /// The key id names another participant than the one whose media the server says it is, or nobody.
  case wrongSender
  /// The key id names a track that carries something else than the server says, such as a screen in place of a camera.
  case wrongTrack
  /// The frame is none of its codec, or lacks the form of an encrypted one.
  case malformed
  /// The frame was refused: it is plain, damaged, forged, or was there before.
  case refused(SFrameError)
}
