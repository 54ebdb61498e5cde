/// The key id of a frame: sender, track and the low bits of the epoch.
///
/// 16 bits for sender indices up to 255, 24 above. Receivers compare sender and track with what signalling says about a
/// slot, so that the server can pass nobody's media off as somebody else's.
public struct FrameKeyID: Hashable, Sendable {
  /// Epochs that differ by this many share their key ids.
  public static let epochs: UInt64 = 16
  /// Tracks of a sender.
  public static let tracks: UInt8 = 16

  /// The sender, from 1 on.
  public let sender: UInt16
  /// The track, below ``tracks``.
  public let track: UInt8
  /// The epoch modulo ``epochs``.
  public let epochBits: UInt8

  /// The id of a track's key of an epoch.
  ///
  /// - Precondition: `track` is below ``tracks``.
  public init(sender: UInt16, track: UInt8, epoch: UInt64) {
    precondition(track < Self.tracks)
    self.sender = sender
    self.track = track
    epochBits = UInt8(truncatingIfNeeded: epoch % Self.epochs)
  }

  /// Takes the number of a header apart; nil when no sender has it.
  public init?(rawValue: UInt64) {
    guard let sender = UInt16(exactly: rawValue >> 8), sender > 0 else { return nil }
    self.sender = sender
    track = UInt8(truncatingIfNeeded: rawValue >> 4) & 15
    epochBits = UInt8(truncatingIfNeeded: rawValue) & 15
  }

  /// The number in the header.
  public var rawValue: UInt64 { UInt64(sender) << 8 | UInt64(track) << 4 | UInt64(epochBits) }
}

/// The source of a publisher's track. The publisher's own word, sent with its key, counts more than the server's.
public enum FrameSource: UInt8, Hashable, Sendable, CaseIterable {
  case microphone = 1
  case camera = 2
  case screen = 3
  case screenAudio = 4
  case data = 5
  case chat = 6
}
