public import Foundation

/// A change of each frame before it is sent.
open class OTVideoTransformer: NSObject {
  public let name: String
  let transformer: any OTCustomVideoTransformer

  /// One of OpenTok's own (`BackgroundBlur`, `BackgroundReplacement`): always nil, there is none here.
  public init?(name: String, properties: String) { return nil }

  /// One of the app's own; never nil.
  public init?(name: String, transformer: any OTCustomVideoTransformer) {
    self.name = name
    self.transformer = transformer
    super.init()
  }
}

/// A change of audio before it is sent.
open class OTAudioTransformer: NSObject {
  public let name: String
  let transformer: any OTCustomAudioTransformer

  /// One of OpenTok's own: always nil, there is none here.
  public init?(name: String, properties: String) { return nil }

  /// One of the app's own; never nil.
  public init?(name: String, transformer: any OTCustomAudioTransformer) {
    self.name = name
    self.transformer = transformer
    super.init()
  }
}

/// Changes audio before it is sent.
public protocol OTCustomAudioTransformer: AnyObject {
  /// Changes 10 ms in their place.
  func transform(_ audioData: OTAudioData)
}

/// 10 ms of audio, interleaved.
open class OTAudioData: NSObject {
  /// The samples; valid during the transformer's call. They may be changed in place, through
  /// `UnsafeMutablePointer(mutating:)`.
  open var sampleBuffer: UnsafePointer<Int16>?
  /// 16.
  open var bitsPerSample: UInt32 = 16
  /// Samples a second of each channel.
  open var sampleRate: UInt32 = 48_000
  /// 1 or 2.
  open var numberOfChannels: UInt64 = 1
  /// Samples of each channel.
  open var numberOfSamples: UInt64 = 0

  /// A buffer without samples.
  public override init() { super.init() }

  convenience init(_ samples: UnsafeMutablePointer<Int16>, rate: Int, channels: Int, count: Int) {
    self.init()
    (sampleBuffer, sampleRate) = (UnsafePointer(samples), UInt32(rate))
    (numberOfChannels, numberOfSamples) = (UInt64(channels), UInt64(count))
  }
}
