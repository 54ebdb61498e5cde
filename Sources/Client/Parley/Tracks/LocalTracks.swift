public import Basics
public import Media
public import RTC

/// Video to publish: a source, and how to encode it.
///
/// ```swift
/// let track = LocalVideoTrack(CameraSource(), options: VideoOptions(codec: .vp9, maximumBitrate: .kilobits(2_500)))
/// try await meeting.local.publish(track)
/// ```
public final class LocalVideoTrack: Sendable {
  /// The source of the video.
  public let source: any VideoSource

  /// How they are encoded.
  public let options: VideoOptions

  /// A track of `source`.
  ///
  /// ```swift
  /// let film = try FileSource("film.webm")
  /// if let pictures = film.video { try await meeting.local.publish(LocalVideoTrack(pictures)) }
  /// ```
  public init(_ source: any VideoSource, options: VideoOptions = VideoOptions()) {
    self.source = source
    self.options = options
  }
}

/// How a video track is encoded. Within these limits the estimate of the network decides.
///
/// ```swift
/// let sharp = VideoOptions(maximumBitrate: .kilobits(2_500), maximumFramesPerSecond: 15, isScreen: true)
/// try await meeting.local.publish(LocalVideoTrack(ScreenSource(), options: sharp), as: .screen)
/// ```
public struct VideoOptions: Hashable, Sendable {
  /// The codec; nil takes the first of ``JoinOptions/codecs`` that both the server takes and this machine encodes.
  public var codec: Codec?

  /// The most that is sent, of all layers together.
  public var maximumBitrate: DataRate

  /// The most frames a second.
  public var maximumFramesPerSecond: Int

  /// Whether three sizes (a quarter, a half and the whole) are sent, so that each receiver can have what suits it.
  public var simulcast: Bool

  /// Whether sharp text matters more than smooth motion.
  public var isScreen: Bool

  /// In how many temporal layers it is coded, 1 to 3: receivers who want fewer frames a second, or have no room for
  /// all, get a half of them, with three layers also a quarter (``Subscription/maximumFramesPerSecond``). Layers take
  /// some more bits for the same quality. H.264 is always sent in one, since its packets do not say of which layer they
  /// are.
  public var temporalLayers: Int

  /// Options.
  ///
  /// ```swift
  /// let options = VideoOptions(codec: .vp9, maximumBitrate: .kilobits(2_500), simulcast: true)
  /// ```
  public init(
    codec: Codec? = nil, maximumBitrate: DataRate = .kilobits(1_700), maximumFramesPerSecond: Int = 30,
    simulcast: Bool = false, isScreen: Bool = false, temporalLayers: Int = 1
  ) {
    self.codec = codec
    self.maximumBitrate = maximumBitrate
    self.maximumFramesPerSecond = maximumFramesPerSecond
    self.simulcast = simulcast
    self.isScreen = isScreen
    self.temporalLayers = temporalLayers
  }

  /// Refuses what nothing can be encoded with.
  func check() throws(MediaError) {
    guard (1...Self.highestRate).contains(maximumFramesPerSecond) else {
      throw .invalid("Video is sent at 1 to \(Self.highestRate) frames a second, not at \(maximumFramesPerSecond).")
    }
    guard maximumBitrate >= Self.lowestBitrate else {
      throw .invalid(
        "Video needs \(Self.lowestBitrate.bitsPerSecond / 1_000) kb/s at least, not \(maximumBitrate.bitsPerSecond) bit/s."
      )
    }
    guard (1...Self.mostTemporalLayers).contains(temporalLayers) else {
      throw .invalid("Video is sent in 1 to \(Self.mostTemporalLayers) temporal layers, not in \(temporalLayers).")
    }
    if let codec, !VideoCodecFactory.encodable.contains(codec) {
      throw .missingComponent("An encoder for \(codec.name)", hint: "Send VP8, VP9 or H.264 instead.")
    }
  }

  private static let highestRate = 240
  private static let mostTemporalLayers = 3
  private static let lowestBitrate = DataRate.kilobits(10)
}

/// Audio to publish: a source, and how to encode it.
///
/// ```swift
/// try await meeting.local.publish(LocalAudioTrack(MicrophoneSource()))
/// ```
public final class LocalAudioTrack: Sendable {
  /// The source of the audio.
  public let source: any AudioSource

  /// How it is encoded.
  public let options: AudioOptions

  /// A track of `source`.
  ///
  /// ```swift
  /// let film = try FileSource("film.webm")
  /// if let sound = film.audio {
  ///   let options = AudioOptions(bitrate: .kilobits(96), channels: 2)
  ///   try await meeting.local.publish(LocalAudioTrack(sound, options: options))
  /// }
  /// ```
  public init(_ source: any AudioSource, options: AudioOptions = AudioOptions()) {
    self.source = source
    self.options = options
  }
}

/// How an audio track is encoded with Opus.
///
/// ```swift
/// let music = AudioOptions(bitrate: .kilobits(128), channels: 2)
/// try await meeting.local.publish(LocalAudioTrack(MicrophoneSource(channels: 2), options: music))
/// ```
public struct AudioOptions: Hashable, Sendable {
  public var bitrate: DataRate

  /// 1 or 2.
  public var channels: Int

  /// Whether silence is not sent (DTX).
  public var discontinuous: Bool

  /// Whether each packet carries a rough copy of the one before, against loss.
  public var forwardErrorCorrection: Bool

  /// Options.
  ///
  /// ```swift
  /// let music = AudioOptions(bitrate: .kilobits(128), channels: 2)
  /// ```
  public init(
    bitrate: DataRate = .kilobits(32), channels: Int = 1, discontinuous: Bool = false,
    forwardErrorCorrection: Bool = true
  ) {
    self.bitrate = bitrate
    self.channels = channels
    self.discontinuous = discontinuous
    self.forwardErrorCorrection = forwardErrorCorrection
  }

  /// Refuses what nothing can be encoded with.
  func check() throws(MediaError) {
    guard channels == 1 || channels == 2 else {
      throw .invalid("Opus encodes one channel or two, not \(channels).")
    }
    guard bitrate >= Self.lowestBitrate, bitrate <= Self.highestBitrate else {
      throw .invalid("Opus is sent at 6 to 510 kb/s, not at \(bitrate.bitsPerSecond) bit/s.")
    }
  }

  /// RFC 6716 section 2.1.1.
  private static let lowestBitrate = DataRate.kilobits(6)
  private static let highestBitrate = DataRate.kilobits(510)
}
