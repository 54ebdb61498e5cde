public import Basics

/// An event of the streams that a ``MediaReceiver`` receives.
public enum MediaReceiverEvent: Hashable, Sendable {
  /// The first packet of a stream came; it belongs to the m-section. A second stream of one m-section takes the place
  /// of the first.
  case started(MID, SSRC)
  /// The other side said goodbye for a stream (RFC 3550 section 6.6). Packets that come all the same are still
  /// delivered.
  case ended(MID, SSRC)
}
