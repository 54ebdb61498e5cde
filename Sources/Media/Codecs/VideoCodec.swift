public import Basics
public import RTC

/// What a video encoder is asked for; may be changed before any frame.
public struct VideoEncoderSettings: Hashable, Sendable {
  /// Picture size that comes out. Frames of another size are scaled.
  public var width: Int
  public var height: Int
  /// Frames a second to plan the bitrate for; the caller drops frames above it.
  public var framesPerSecond: Int
  /// The rate to stay within.
  public var bitrate: DataRate
  /// Whether the picture is a screen: sharp text over motion.
  public var isScreen: Bool

  /// Settings.
  public init(width: Int, height: Int, framesPerSecond: Int = 30, bitrate: DataRate, isScreen: Bool = false) {
    self.width = width
    self.height = height
    self.framesPerSecond = framesPerSecond
    self.bitrate = bitrate
    self.isScreen = isScreen
  }
}

/// Turns pictures into frames of one codec. Not thread-safe: use it from one queue.
public protocol VideoEncoder: AnyObject {
  var codec: Codec { get }
  /// Takes effect with the next frame.
  var settings: VideoEncoderSettings { get set }
  /// Encodes one picture; nil when the encoder dropped it to keep its rate.
  /// - Parameter forceKeyframe: Makes this frame a keyframe.
  func encode(_ frame: VideoFrame, forceKeyframe: Bool) throws(MediaError) -> EncodedFrame?
}

/// Turns frames of one codec into pictures. Not thread-safe: use it from one queue.
public protocol VideoDecoder: AnyObject {
  var codec: Codec { get }
  /// Decodes one frame; nil when it gives no picture. The picture's time is the frame's.
  func decode(_ frame: EncodedFrame) throws(MediaError) -> VideoFrame?
}
