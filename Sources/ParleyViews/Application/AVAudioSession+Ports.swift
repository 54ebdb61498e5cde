#if !canImport(UIKit) || os(Linux)
public import Foundation

/// What sound comes from or goes to, as apps on a phone choose it. The desktop's settings do that here.
public final class AVAudioSessionPortDescription: Sendable {
  /// What it is.
  public let portType: AVAudioSession.Port
  /// Its name.
  public let portName: String
  /// Its id.
  public var uid: String { portName }

  init(_ type: AVAudioSession.Port, _ name: String) { (portType, portName) = (type, name) }
}

/// Where sound comes from and goes to.
public final class AVAudioSessionRouteDescription: Sendable {
  /// Where it comes from.
  public let inputs: [AVAudioSessionPortDescription]
  /// Where it goes to.
  public let outputs: [AVAudioSessionPortDescription]

  init(inputs: [AVAudioSessionPortDescription], outputs: [AVAudioSessionPortDescription]) {
    (self.inputs, self.outputs) = (inputs, outputs)
  }
}

extension AVAudioSession {
  /// A kind of device.
  public struct Port: RawRepresentable, Hashable, Sendable {
    /// Its name.
    public let rawValue: String
    /// A kind by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The microphone that is built in.
    public static let builtInMic = Port(rawValue: "MicrophoneBuiltIn")
    /// The loudspeaker that is built in.
    public static let builtInSpeaker = Port(rawValue: "Speaker")
    /// What a phone is held to the ear for.
    public static let builtInReceiver = Port(rawValue: "Receiver")
    /// Headphones with a wire.
    public static let headphones = Port(rawValue: "Headphones")
    /// A microphone of headphones.
    public static let headsetMic = Port(rawValue: "MicrophoneWired")
    /// Headphones without a wire.
    public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
    /// A hearing aid.
    public static let bluetoothLE = Port(rawValue: "BluetoothLE")
    /// A headset without a wire.
    public static let bluetoothHFP = Port(rawValue: "BluetoothHFP")
    /// What is plugged in by USB.
    public static let usbAudio = Port(rawValue: "USBAudio")
  }

  /// Where sound comes from and goes to: what the desktop's settings say, under one name.
  public var currentRoute: AVAudioSessionRouteDescription {
    AVAudioSessionRouteDescription(
      inputs: [AVAudioSessionPortDescription(.builtInMic, "Microphone")],
      outputs: [AVAudioSessionPortDescription(.builtInSpeaker, "Speaker")])
  }

  /// What can be chosen: what is in use.
  public var availableInputs: [AVAudioSessionPortDescription]? { currentRoute.inputs }
  /// Does nothing: the desktop's settings say where sound comes from.
  public func setPreferredInput(_ inPort: AVAudioSessionPortDescription?) throws {}
  /// Channels that are captured.
  public var inputNumberOfChannels: Int { 1 }
  /// Channels that are played.
  public var outputNumberOfChannels: Int { 2 }
  /// Does nothing: calls have one.
  public func setPreferredInputNumberOfChannels(_ count: Int) throws {}
  /// About how many seconds captured sound is old.
  public var inputLatency: TimeInterval { 0.02 }
  /// About how many seconds it takes until sound is heard.
  public var outputLatency: TimeInterval { 0.02 }
  /// How many seconds are handed over at once.
  public var ioBufferDuration: TimeInterval { 0.01 }
}

/// In a change's `userInfo`: where sound went before.
public let AVAudioSessionRouteChangePreviousRouteKey = "AVAudioSessionRouteChangePreviousRouteKey"
#endif
