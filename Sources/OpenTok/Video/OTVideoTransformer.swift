public import Foundation

/// A change of each picture before it is sent.
// unchecked: open to subclasses; it is constant, and the app's transformer is called by one thread at a time.
open class OTVideoTransformer: NSObject, @unchecked Sendable {
  /// The name.
  public let name: String
  let transformer: any OTCustomVideoTransformer

  /// One of OpenTok's own (`BackgroundBlur`, `BackgroundReplacement`): always nil, there is none here.
  public init?(name: String, properties: String) { return nil }

  /// One of the app's own; nil without a transformer.
  public init?(name: String, transformer: (any OTCustomVideoTransformer)?) {
    guard let transformer else { return nil }
    self.name = name
    self.transformer = transformer
    super.init()
  }
}

/// A change of sound before it is sent.
// unchecked: open to subclasses; it is constant, and the app's transformer is called by one thread at a time.
open class OTAudioTransformer: NSObject, @unchecked Sendable {
  /// The name.
  public let name: String
  let transformer: any OTCustomAudioTransformer

  /// One of OpenTok's own: always nil, there is none here.
  public init?(name: String, properties: String) { return nil }

  /// One of the app's own; nil without a transformer.
  public init?(name: String, transformer: (any OTCustomAudioTransformer)?) {
    guard let transformer else { return nil }
    self.name = name
    self.transformer = transformer
    super.init()
  }
}

/// Changes sound before it is sent.
public protocol OTCustomAudioTransformer: AnyObject {
  /// Changes 10 ms in their place.
  func transform(_ audioData: OTAudioData)
}

/// 10 ms of sound, interleaved.
open class OTAudioData: NSObject {
  /// The samples; valid while the transformer is called.
  public let sampleBuffer: UnsafeMutablePointer<Int16>
  /// 16.
  public let bitsPerSample: UInt32 = 16
  /// Samples a second of each channel.
  public let sampleRate: UInt32
  /// 1 or 2.
  public let numberOfChannels: UInt32
  /// Samples of each channel.
  public let numberOfSamples: UInt32

  init(_ samples: UnsafeMutablePointer<Int16>, rate: Int, channels: Int, count: Int) {
    sampleBuffer = samples
    sampleRate = UInt32(rate)
    numberOfChannels = UInt32(channels)
    numberOfSamples = UInt32(count)
    super.init()
  }
}
