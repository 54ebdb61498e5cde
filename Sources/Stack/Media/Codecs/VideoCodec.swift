public import Basics
public import RTC

/// The settings of a video encoder; they may be changed before any frame.
public struct VideoEncoderSettings: Hashable, Sendable {
  /// In pixels, of the encoded frames. Frames of another size are scaled. H.264 rounds down to even numbers.
  public var width: Int
  /// In pixels, of the encoded frames.
  public var height: Int
  /// Frames a second to plan the bitrate for; the caller drops frames above it.
  public var framesPerSecond: Int
  /// The rate to stay within.
  public var bitrate: DataRate
  /// Whether the video is a screen: sharp text over motion.
  public var isScreen: Bool
  /// How many temporal layers, 1 to 3: each one more can be left out by the server to halve the frame rate.
  public var temporalLayers: Int

  public init(
    width: Int, height: Int, framesPerSecond: Int = 30, bitrate: DataRate, isScreen: Bool = false,
    temporalLayers: Int = 1
  ) {
    self.width = width
    self.height = height
    self.framesPerSecond = framesPerSecond
    self.bitrate = bitrate
    self.isScreen = isScreen
    self.temporalLayers = temporalLayers
  }

  /// Whether an encoder can continue with `other` without starting again.
  func isSameStream(as other: VideoEncoderSettings) -> Bool {
    width == other.width && height == other.height && isScreen == other.isScreen
      && temporalLayers == other.temporalLayers
  }

  /// Refuses what no encoder takes.
  func check(minimumDimension: Int = 2) throws(MediaError) {
    guard width >= minimumDimension, height >= minimumDimension, VideoFrame.isAcceptable(width: width, height: height)
    else {
      throw .invalid(
        "Video of \(width)×\(height) cannot be encoded: each side must be \(minimumDimension) to \(VideoFrame.maximumDimension), and at most \(VideoFrame.maximumPixelCount) pixels in all."
      )
    }
    guard (1...240).contains(framesPerSecond) else {
      throw .invalid("Video of \(framesPerSecond) frames a second cannot be encoded: it must be 1 to 240.")
    }
    guard (1...3).contains(temporalLayers) else {
      throw .invalid("Video has 1 to 3 temporal layers, not \(temporalLayers).")
    }
  }

  /// The rate in whole bits a second, within what the libraries take.
  var boundedBitrate: Int { Int(min(max(bitrate.bitsPerSecond, 10_000), 200_000_000)) }
}

/// Turns captured frames into frames of one codec. Not thread-safe: use it from one queue.
///
/// Make one with ``VideoCodecFactory``. A frame never waits inside: each result belongs to the frame that went in.
public protocol VideoEncoder: AnyObject {
  var codec: Codec { get }
  /// Bitrate and frame rate take effect with the next frame; after a change of size, content kind or temporal layers
  /// the next frame is a keyframe.
  var settings: VideoEncoderSettings { get set }
  /// Encodes one frame; nil when the encoder dropped it to keep its rate. The RTP timestamp follows the frame's time at
  /// 90 kHz.
  /// - Parameters:
  ///   - frame: Scaled when it is not of the size in the settings.
  ///   - forceKeyframe: Makes this frame a keyframe; it is never dropped then.
  /// - Throws: ``MediaError/invalid(_:)`` for settings that cannot be encoded, ``MediaError/encoderFailed(_:reason:)``;
  ///   the next frame may be tried again and is then a keyframe.
  func encode(_ frame: VideoFrame, forceKeyframe: Bool) throws(MediaError) -> EncodedFrame?
}

/// Turns frames of one codec into frames to show. Not thread-safe: use it from one queue.
///
/// Make one with ``VideoCodecFactory``. Bytes may be hostile: data that is damaged, cut short or too large
/// (``VideoFrame/isAcceptable(width:height:)``) is an error and is never shown, and sizes are checked before memory is
/// taken.
public protocol VideoDecoder: AnyObject {
  var codec: Codec { get }
  /// Whether only a keyframe can be decoded now: at the beginning and after an error.
  var needsKeyframe: Bool { get }
  /// Decodes one frame; nil when there is nothing to show. The result has the frame's time.
  /// - Throws: ``MediaError/decoderFailed(_:reason:)``. Ask the sender for a keyframe then: until one comes, every
  ///   frame is refused.
  func decode(_ frame: EncodedFrame) throws(MediaError) -> VideoFrame?
}
