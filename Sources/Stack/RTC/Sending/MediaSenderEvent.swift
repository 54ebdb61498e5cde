public import Basics

/// An encoder's present target: the share of the bandwidth that one stream got.
public struct StreamAllocation: Hashable, Sendable {
  /// The stream's m-section.
  public var mid: MID
  /// The simulcast layer; nil without simulcast.
  public var rid: RID?
  /// The rate that the encoder may use; zero when the stream is paused.
  public var bitrate: DataRate
  /// The divisor of the frame's width and height before encoding, at least 1. Always 1 with simulcast and for audio.
  public var scaleDown: Double
  /// The frame rate that suits the bit rate, in frames per second; 0 for audio.
  public var framerate: Double

  public init(mid: MID, rid: RID? = nil, bitrate: DataRate, scaleDown: Double = 1, framerate: Double = 0) {
    self.mid = mid
    self.rid = rid
    self.bitrate = bitrate
    self.scaleDown = scaleDown
    self.framerate = framerate
  }

  /// Whether nothing is to be encoded.
  public var isPaused: Bool { bitrate <= .zero }
}

/// An event for the owner of a ``MediaSender``.
public enum MediaSenderEvent: Hashable, Sendable {
  /// The encoder of this stream must make its next frame a keyframe.
  case keyframeRequested(MID, RID?)
  /// The streams' bit rates, resolutions or frame rates are to change. Holds every stream.
  case allocationChanged([StreamAllocation])
  /// The estimate of the bandwidth has changed.
  case targetChanged(DataRate)
}
