#if !canImport(UIKit) || os(Linux)
public import Foundation

/// A source or destination of audio, as apps on a phone choose it. The desktop's settings do that here.
public final class AVAudioSessionPortDescription: Sendable {
  /// The kind of port, such as the loudspeaker.
  public let portType: AVAudioSession.Port
  /// The port's name, as users see it.
  public let portName: String
  /// The port's id, which is its name here.
  public var uid: String { portName }

  init(_ type: AVAudioSession.Port, _ name: String) { (portType, portName) = (type, name) }
}

/// The sources and destinations of audio.
public final class AVAudioSessionRouteDescription: Sendable {
  /// The sources of audio in use.
  public let inputs: [AVAudioSessionPortDescription]
  /// The destinations of audio in use.
  public let outputs: [AVAudioSessionPortDescription]

  init(inputs: [AVAudioSessionPortDescription], outputs: [AVAudioSessionPortDescription]) {
    (self.inputs, self.outputs) = (inputs, outputs)
  }
}

extension AVAudioSession {
  /// A kind of device.
  public struct Port: RawRepresentable, Hashable, Sendable {
    /// The port's name, as Apple's systems have it.
    public let rawValue: String
    /// A kind by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The microphone that is built in.
    public static let builtInMic = Port(rawValue: "MicrophoneBuiltIn")
    /// The loudspeaker that is built in.
    public static let builtInSpeaker = Port(rawValue: "Speaker")
    /// The loudspeaker at the ear of a phone.
    public static let builtInReceiver = Port(rawValue: "Receiver")
    /// Headphones with a wire.
    public static let headphones = Port(rawValue: "Headphones")
    /// A microphone of headphones.
    public static let headsetMic = Port(rawValue: "MicrophoneWired")
    /// Headphones without a wire.
    public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
    /// A hearing aid or other Bluetooth LE device.
    public static let bluetoothLE = Port(rawValue: "BluetoothLE")
    /// A headset without a wire.
    public static let bluetoothHFP = Port(rawValue: "BluetoothHFP")
    /// A device that is plugged in by USB.
    public static let usbAudio = Port(rawValue: "USBAudio")
  }

  /// The sources and destinations of audio: those of the desktop's settings, under one name.
  public var currentRoute: AVAudioSessionRouteDescription {
    AVAudioSessionRouteDescription(
      inputs: [AVAudioSessionPortDescription(.builtInMic, "Microphone")],
      outputs: [AVAudioSessionPortDescription(.builtInSpeaker, "Speaker")])
  }

  /// The inputs that can be chosen: those in use.
  public var availableInputs: [AVAudioSessionPortDescription]? { currentRoute.inputs }
  /// Does nothing: the desktop's settings choose the source of audio.
  public func setPreferredInput(_ inPort: AVAudioSessionPortDescription?) throws {}
  /// Channels that are captured.
  public var inputNumberOfChannels: Int { 1 }
  /// Channels that are played.
  public var outputNumberOfChannels: Int { 2 }
  /// As ``inputNumberOfChannels``.
  public var preferredInputNumberOfChannels: Int { inputNumberOfChannels }
  /// As ``outputNumberOfChannels``.
  public var preferredOutputNumberOfChannels: Int { outputNumberOfChannels }
  /// Does nothing: calls have one.
  public func setPreferredInputNumberOfChannels(_ count: Int) throws {}
  /// Does nothing: the desktop's settings choose.
  public func setPreferredOutputNumberOfChannels(_ count: Int) throws {}
  /// Does nothing: alerts of a desktop interrupt no audio.
  public func setPrefersNoInterruptionsFromSystemAlerts(_ inValue: Bool) throws {}
  /// About how many seconds old captured audio is.
  public var inputLatency: TimeInterval { 0.02 }
  /// About how many seconds pass until audio is heard.
  public var outputLatency: TimeInterval { 0.02 }
  /// How many seconds are handed over at once.
  public var ioBufferDuration: TimeInterval { 0.01 }
}

/// In a change's `userInfo`: the route of audio before it.
public let AVAudioSessionRouteChangePreviousRouteKey = "AVAudioSessionRouteChangePreviousRouteKey"
#endif
