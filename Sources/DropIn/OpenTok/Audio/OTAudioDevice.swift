#if canImport(AVFAudio)
  public import AVFAudio
#endif
public import Foundation
import Parley
public import ParleyViews

/// The rate and channels of an audio device: 16-bit samples.
open class OTAudioFormat: NSObject {
  /// Samples a second of each channel.
  open var sampleRate: UInt16 = 16_000
  /// 1 or 2.
  open var numChannels: UInt8 = 1

  /// 16,000 samples a second of one channel.
  public override init() { super.init() }
}

/// The connection of an audio device to the sessions, in both directions. Any thread.
public protocol OTAudioBus: AnyObject {
  /// Gives captured audio: interleaved 16-bit samples in the device's capture format.
  func writeCaptureData(_ data: UnsafeMutableRawPointer, numberOfSamples count: UInt32)
  /// Fetches audio to be heard, in the device's render format; silence fills up missing samples. Returns how many
  /// samples there were.
  func readRenderData(_ data: UnsafeMutableRawPointer, numberOfSamples count: UInt32) -> UInt32
}

/// A source and destination of audio: a device of the app's own, for every session of the process.
public protocol OTAudioDevice: AnyObject {
  /// Takes the bus; nil takes it away. False when the device cannot be used.
  func setAudioBus(_ audioBus: (any OTAudioBus)?) -> Bool
  /// The format of captured audio.
  func captureFormat() -> OTAudioFormat
  /// The format of played audio.
  func renderFormat() -> OTAudioFormat
  /// Whether it can play.
  func renderingIsAvailable() -> Bool
  /// Gets ready to play.
  func initializeRendering() -> Bool
  /// Whether it is ready to play.
  func renderingIsInitialized() -> Bool
  func startRendering() -> Bool
  func stopRendering() -> Bool
  func isRendering() -> Bool
  /// The time until fetched audio is heard, in milliseconds, up to 1000. Asked about once a second while it plays:
  /// video is shown so much later.
  func estimatedRenderDelay() -> UInt16
  /// Whether it can capture.
  func captureIsAvailable() -> Bool
  /// Gets ready to capture. False fails what is being published.
  func initializeCapture() -> Bool
  /// Whether it is ready to capture.
  func captureIsInitialized() -> Bool
  /// Begins to capture. False fails what is being published.
  func startCapture() -> Bool
  func stopCapture() -> Bool
  func isCapturing() -> Bool
  /// The age of captured audio, in milliseconds, up to 1000. Asked when it begins and once a second.
  func estimatedCaptureDelay() -> UInt16
}

/// Chooses the audio device for the sessions of this process.
open class OTAudioDeviceManager: NSObject {
  /// Takes a device of the app's own; nil takes the machine's microphone and loudspeaker again. Before connecting: what
  /// runs already keeps its device. The device is kept.
  open class func setAudioDevice(_ device: (any OTAudioDevice)?) {
    AudioHub.shared.setDevice(device.map { AudioDeviceAdapter($0) })
  }

  /// The device of the app's own; nil when there is none.
  open class func currentAudioDevice() -> (any OTAudioDevice)? {
    (AudioHub.shared.device as? AudioDeviceAdapter)?.device
  }

  /// Hands audio over to the system's call management; nil while the app has a device of its own, which does that
  /// itself.
  open class func currentAudioSessionManager() -> (any OTAudioSessionManager)? {
    AudioHub.shared.device == nil ? SystemAudioSessionManager() : nil
  }
}

/// Hands the audio over to the manager of calls, such as CallKit on a phone. Linux has no such manager: every program
/// may play and capture at any time. So the methods of ``OTAudioDeviceManager/currentAudioSessionManager()`` have no
/// effect. An audio device of the app's own may conform too.
public protocol OTAudioSessionManager: AnyObject {
  /// Lets the system decide when audio begins and ends.
  func enableCallingServicesMode()
  /// Prepares audio before a call is answered.
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
