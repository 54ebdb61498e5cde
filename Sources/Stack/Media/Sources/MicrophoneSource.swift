import Synchronization

/// A microphone of this machine, through PipeWire, PulseAudio or ALSA, whichever runs.
///
/// ```swift
/// try await meeting.local.publish(LocalAudioTrack(MicrophoneSource()))
/// ```
public final class MicrophoneSource: AudioSource {
  private let device: MediaDevice?
  private let channels: Int
  private let running = Mutex<PipelineAudioSource?>(nil)

  /// A microphone. It is opened when it is started.
  ///
  /// ```swift
  /// let headset = try MediaDevices.microphones().first { $0.name.contains("USB") }
  /// let microphone = MicrophoneSource(headset)
  /// ```
  ///
  /// - Parameters:
  ///   - device: One of ``MediaDevices/microphones()``; nil takes the system's default.
  ///   - channels: 1 or 2.
  public init(_ device: MediaDevice? = nil, channels: Int = 1) {
    self.device = device
    self.channels = channels
  }

  deinit { stop() }

  /// Opens the microphone; blocks until it runs, some seconds at most.
  ///
  /// ```swift
  /// let microphone = MicrophoneSource()
  /// try microphone.start { sound in print(sound.samples.map(\.magnitude).max() ?? 0) }  // a level meter
  /// ```
  ///
  /// - Throws: ``MediaError/deviceUnavailable(_:reason:)`` when there is none or it is in use.
  public func start(_ sink: @escaping @Sendable (AudioFrame) -> Void) throws(MediaError) {
    try start(sink) { _ in }
  }

  /// As ``start(_:)``, and reports the loss of the microphone.
  ///
  /// ```swift
  /// let microphone = MicrophoneSource()
  /// try microphone.start { sound in print(sound.time) } onEnd: { error in print(error?.description ?? "Unplugged.") }
  /// ```
  public func start(
    _ sink: @escaping @Sendable (AudioFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    stop()
    try GStreamer.load()
    if let device {
      try start(
        "\(device.element) name=device", device.name, [("device", device.property, device.value)], sink,
        onEnd)
      return
    }
    var last = MediaError.missingComponent(
      "A GStreamer element for microphones",
      hint: "Install one with: apt-get install gstreamer1.0-pipewire gstreamer1.0-pulseaudio gstreamer1.0-alsa")
    for element in ["pulsesrc", "alsasrc"] + (PipeWire.isRunning ? ["pipewiresrc"] : []) {
      do throws(MediaError) {
        try GStreamer.require(element, package: "gstreamer1.0-pulseaudio")
        try start(element, "microphone", [], sink, onEnd)
        return
      } catch {
        // The first reason is that of the sound system most machines have.
        if case .deviceUnavailable(let name, let reason) = error, case .missingComponent = last {
          last = .deviceUnavailable(name, reason: "there is no microphone, or no sound system runs: \(reason)")
        }
      }
    }
    throw last
  }

  private func start(
    _ description: String, _ name: String, _ properties: [(element: String, property: String, value: String)],
    _ sink: @escaping @Sendable (AudioFrame) -> Void, _ onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    let source = PipelineAudioSource(
      description, name: name, channels: channels, timeout: .seconds(3), properties: properties)
    try source.start(sink, onEnd: onEnd)
    running.exchange(source)?.stop()
  }

  /// Gives the microphone back.
  ///
  /// ```swift
  /// let microphone = MicrophoneSource()
  /// try microphone.start { sound in print(sound.time) }
  /// microphone.stop()
  /// ```
  public func stop() { running.exchange(nil)?.stop() }
}
