#if canImport(AVFAudio)
  public import AVFAudio
#endif
public import Foundation
public import ParleyViews

/// The rate and channels of an audio device's sound: 16-bit samples.
// unchecked: the SDK's own form; an app fills it before it gives it away.
open class OTAudioFormat: NSObject, @unchecked Sendable {
  /// Samples a second of each channel.
  open var sampleRate: UInt16 = 16_000
  /// 1 or 2.
  open var numChannels: UInt8 = 1

  /// 16,000 samples a second of one channel.
  public override init() { super.init() }
}

/// What an audio device gives to the sessions, and takes from them. Any thread.
public protocol OTAudioBus: AnyObject {
  /// Gives sound that was captured: interleaved 16-bit samples in the device's capture format.
  func writeCaptureData(_ data: UnsafeMutableRawPointer, numberOfSamples count: UInt32)
  /// Takes sound to be heard, in the device's render format; silence fills what is missing. Returns how many samples there were.
  func readRenderData(_ data: UnsafeMutableRawPointer, numberOfSamples count: UInt32) -> UInt32
}

/// Where sound comes from and goes to: a device of the app's own, for every session of the process.
public protocol OTAudioDevice: AnyObject {
  /// Takes the bus; nil takes it away. False when the device cannot be used.
  func setAudioBus(_ audioBus: (any OTAudioBus)?) -> Bool
  /// What the device captures.
  func captureFormat() -> OTAudioFormat
  /// What the device plays.
  func renderFormat() -> OTAudioFormat
  /// Whether it can play.
  func renderingIsAvailable() -> Bool
  /// Gets ready to play.
  func initializeRendering() -> Bool
  /// Whether it is ready to play.
  func renderingIsInitialized() -> Bool
  /// Begins to play.
  func startRendering() -> Bool
  /// Ends playing.
  func stopRendering() -> Bool
  /// Whether it plays.
  func isRendering() -> Bool
  /// About how long it takes until sound that it has fetched is heard, in milliseconds, up to 1000. Asked about once a second while it plays: pictures
  /// are shown so much later.
  func estimatedRenderDelay() -> UInt16
  /// Whether it can capture.
  func captureIsAvailable() -> Bool
  /// Gets ready to capture. False fails what is being published.
  func initializeCapture() -> Bool
  /// Whether it is ready to capture.
  func captureIsInitialized() -> Bool
  /// Begins to capture. False fails what is being published.
  func startCapture() -> Bool
  /// Ends capturing.
  func stopCapture() -> Bool
  /// Whether it captures.
  func isCapturing() -> Bool
  /// About how old captured sound is, in milliseconds, up to 1000. Asked when it begins and once a second.
  func estimatedCaptureDelay() -> UInt16
}

/// Which audio device the sessions of this process use.
open class OTAudioDeviceManager: NSObject {
  /// Takes a device of the app's own; nil takes the machine's microphone and loudspeaker again. Before connecting: what runs already keeps its
  /// device. The device is kept.
  open class func setAudioDevice(_ device: (any OTAudioDevice)?) { AudioHub.shared.setDevice(device) }

  /// The device of the app's own; nil when there is none.
  open class func currentAudioDevice() -> (any OTAudioDevice)? { AudioHub.shared.device }

  /// Who hands the sound over to what manages calls; nil while the app has a device of its own, which does that itself.
  open class func currentAudioSessionManager() -> (any OTAudioSessionManager)? {
    AudioHub.shared.device == nil ? SystemAudioSessionManager() : nil
  }
}

/// Hands the audio over to the manager of calls, such as CallKit on a phone. Linux has no such manager: every program
/// may play and capture at any time. So the methods of ``OTAudioDeviceManager/currentAudioSessionManager()`` have no
/// effect. An audio device of the app's own may conform too.
public protocol OTAudioSessionManager: AnyObject {
  /// Leaves to the system when sound begins and ends.
  func enableCallingServicesMode()
  /// Gets the sound ready before a call is answered.
  func preconfigureAudioSessionForCall(withMode mode: AVAudioSession.Mode?)
  /// The system has given the audio to the app.
  func audioSessionDidActivate(_ session: AVAudioSession)
  /// The system has taken it back.
  func audioSessionDidDeactivate(_ session: AVAudioSession)
}

private final class SystemAudioSessionManager: OTAudioSessionManager {
  func enableCallingServicesMode() {}
  func preconfigureAudioSessionForCall(withMode mode: AVAudioSession.Mode?) {}
  func audioSessionDidActivate(_ session: AVAudioSession) {}
  func audioSessionDidDeactivate(_ session: AVAudioSession) {}
}
