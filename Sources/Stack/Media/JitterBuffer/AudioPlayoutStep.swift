/// What is to be played next. See ``AudioJitterBuffer/next(now:ahead:)``.
public enum AudioPlayoutStep: Hashable, Sendable {
  /// How the length of decoded sound shall be changed, keeping its pitch.
  public enum Stretch: Hashable, Sendable {
    /// Not at all.
    case none
    /// Take out up to so many samples a channel. An urgent wish accepts less similar joints.
    case shorten(upTo: Int, isUrgent: Bool)
    /// Put in up to so many samples a channel.
    case lengthen(upTo: Int)
  }

  /// Decode a packet.
  case decode([UInt8], Stretch)
  /// The packet before `next` is lost: decode its copy out of `next`, or make it up. `next` itself follows.
  case recover(next: [UInt8], samples: Int)
  /// Make up sound for what is lost or late.
  case conceal(samples: Int)
  /// The sender is silent (discontinuous transmission): background noise, or silence.
  case comfortNoise(samples: Int)
  /// There is nothing to play.
  case silence(samples: Int)
}
