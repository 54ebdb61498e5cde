import Basics

/// A source and destination of audio that an app brings along, in place of the machine's microphone and loudspeaker.
///
/// ``AudioHub`` calls it on a queue of its own, one call at a time. A delay of more than a second counts as a second.
package protocol AudioDevice: AnyObject, Sendable {
  var captureFormat: AudioDeviceFormat { get }
  var renderFormat: AudioDeviceFormat { get }
  /// Connects the device to the hub; nil disconnects it.
  func connect(to bus: AudioDeviceBus?)

  var canCapture: Bool { get }
  var isCapturing: Bool { get }
  /// The age of captured audio when the bus gets it.
  var captureDelay: TimeSpan { get }
  /// Returns why the device gives no audio; nil when it does.
  func startCapture() -> String?
  func stopCapture()

  var canRender: Bool { get }
  var isRendering: Bool { get }
  /// The time until audio from the bus is heard.
  var renderDelay: TimeSpan { get }
  func startRendering()
  func stopRendering()
}

/// The format of an audio device: interleaved 16-bit samples.
package struct AudioDeviceFormat: Hashable, Sendable {
  /// Samples a second of each channel, at least 8,000.
  package let sampleRate: Int
  /// 1 or 2.
  package let channels: Int

  package init(sampleRate: Int, channels: Int) {
    (self.sampleRate, self.channels) = (max(sampleRate, 8_000), channels == 2 ? 2 : 1)
  }
}
