public import RTC

/// VP9, profile 0, by libvpx, set for conversation: constant rate, no look-ahead, frames dropped rather than delayed.
///
/// Cost: about 6 ms for 1280×720 at 1.5 Mb/s, and one allocation a frame (its bytes).
public final class VP9Encoder: VideoEncoder {
  private let encoder: VPXEncoder

  /// An encoder.
  /// - Throws: ``MediaError/invalid(_:)`` for settings that cannot be encoded, ``MediaError/encoderFailed(_:reason:)``.
  public init(_ settings: VideoEncoderSettings) throws(MediaError) {
    encoder = try VPXEncoder(.vp9, settings)
  }

  public var codec: Codec { .vp9 }
  /// Changes take effect with the next frame.
  public var settings: VideoEncoderSettings {
    get { encoder.settings }
    set { encoder.settings = newValue }
  }
  /// Encodes one frame; nil when it was dropped to keep the rate. See ``VideoEncoder/encode(_:forceKeyframe:)``.
  public func encode(_ frame: VideoFrame, forceKeyframe: Bool) throws(MediaError) -> EncodedFrame? {
    try encoder.encode(frame, forceKeyframe: forceKeyframe)
  }
}
