/// A step of playout. See ``AudioJitterBuffer/next(now:ahead:)``.
public enum AudioPlayoutStep: Hashable, Sendable {
  /// The change to the length of decoded audio, which keeps its pitch.
  public enum Stretch: Hashable, Sendable {
    case none
    /// Take out up to so many samples a channel. An urgent wish accepts less similar joints.
    case shorten(upTo: Int, isUrgent: Bool)
    /// Put in up to so many samples a channel.
    case lengthen(upTo: Int)
  }

  case decode([UInt8], Stretch)
  /// The packet before `next` is lost: decode its copy out of `next`, or make it up. `next` itself follows.
  case recover(next: [UInt8], samples: Int)
  /// Conceal lost or late audio.
  case conceal(samples: Int)
  /// The sender is silent (discontinuous transmission): background noise, or silence.
  case comfortNoise(samples: Int)
  /// There is nothing to play.
  case silence(samples: Int)
}
