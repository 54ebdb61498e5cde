import Foundation
import Parley

/// An app's ``OTAudioDevice`` as Parley's audio hub uses it.
// unchecked: as with OpenTok, the module calls an app's device on any thread.
final class AudioDeviceAdapter: AudioDevice, @unchecked Sendable {
  let device: any OTAudioDevice

  init(_ device: any OTAudioDevice) { self.device = device }

  var captureFormat: AudioDeviceFormat { AudioDeviceFormat(device.captureFormat()) }
  var renderFormat: AudioDeviceFormat { AudioDeviceFormat(device.renderFormat()) }

  func connect(to bus: AudioDeviceBus?) { _ = device.setAudioBus(bus.map { AudioBusAdapter($0) }) }

  // MARK: Capturing

  var canCapture: Bool { device.captureIsAvailable() }
  var isCapturing: Bool { device.isCapturing() }
  var captureDelay: TimeSpan { .milliseconds(Int64(device.estimatedCaptureDelay())) }

  func startCapture() -> String? {
    let isReady = device.captureIsInitialized() || device.initializeCapture()
    if isReady, device.startCapture() { return nil }
    let name = isReady ? "startCapture" : "initializeCapture"
    return "The audio device gives no sound: its \(name) gave false."
  }

  func stopCapture() { _ = device.stopCapture() }

  // MARK: Rendering

  var canRender: Bool { device.renderingIsAvailable() }
  var isRendering: Bool { device.isRendering() }
  var renderDelay: TimeSpan { .milliseconds(Int64(device.estimatedRenderDelay())) }

  func startRendering() {
    if !device.renderingIsInitialized() { _ = device.initializeRendering() }
    _ = device.startRendering()
  }

  func stopRendering() { _ = device.stopRendering() }
}

/// The bus of a device, as the app's device sees it.
private final class AudioBusAdapter: OTAudioBus {
  private let bus: AudioDeviceBus
  /// Nobody hands over seconds at a time: a count like that is not one of samples.
  private static let mostSamples: UInt32 = 480_000

  init(_ bus: AudioDeviceBus) { self.bus = bus }

  func writeCaptureData(_ data: UnsafeMutableRawPointer, numberOfSamples count: UInt32) {
    guard count > 0, count <= Self.mostSamples else { return }
    bus.write(
      UnsafeBufferPointer(
        start: data.assumingMemoryBound(to: Int16.self), count: Int(count) * bus.captureFormat.channels))
  }

  func readRenderData(_ data: UnsafeMutableRawPointer, numberOfSamples count: UInt32) -> UInt32 {
    let channels = bus.renderFormat.channels
    let count = Int(min(count, Self.mostSamples)) * channels
    let samples = UnsafeMutableBufferPointer(start: data.assumingMemoryBound(to: Int16.self), count: count)
    return UInt32(bus.read(into: samples) / channels)
  }
}

extension AudioDeviceFormat {
  fileprivate init(_ format: OTAudioFormat) {
    self.init(sampleRate: Int(format.sampleRate), channels: Int(format.numChannels))
  }
}
