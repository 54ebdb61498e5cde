import Foundation
import Parley

/// The bus of a device of the app's own: converts between its formats and 48 kHz, and keeps a little audio for it to
/// fetch.
// unchecked: its state is in `Guarded`; `onCapture` is set before the device has the bus.
final class AudioDeviceBus: OTAudioBus, @unchecked Sendable {
  private struct Capture {
    var converter: AudioRateConverter
    var slices: [Int16] = []
  }

  private struct Render {
    var converter: AudioRateConverter
    var waiting: [Int16] = []
  }

  private let captureChannels: Int
  private let renderChannels: Int
  private let capture: Guarded<Capture>
  private let render: Guarded<Render>
  private let limit: Int
  /// Set once, before the device has the bus.
  var onCapture: (@Sendable (AudioFrame) -> Void)?

  init(capture: OTAudioFormat, render: OTAudioFormat) {
    captureChannels = capture.numChannels == 2 ? 2 : 1
    renderChannels = render.numChannels == 2 ? 2 : 1
    let (captureRate, renderRate) = (Int(max(capture.sampleRate, 8_000)), Int(max(render.sampleRate, 8_000)))
    self.capture = Guarded(
      Capture(converter: AudioRateConverter(from: captureRate, to: AudioFrame.sampleRate, channels: captureChannels)))
    self.render = Guarded(
      Render(converter: AudioRateConverter(from: AudioFrame.sampleRate, to: renderRate, channels: renderChannels)))
    // A device that does not fetch for a while hears the newest 200 ms then.
    limit = renderRate / 5 * renderChannels
  }

  func writeCaptureData(_ data: UnsafeMutableRawPointer, numberOfSamples count: UInt32) {
    // Nobody captures seconds at a time: a count like that is not one of samples.
    guard count > 0, count <= 480_000 else { return }
    let values = UnsafeBufferPointer(
      start: data.assumingMemoryBound(to: Int16.self), count: Int(count) * captureChannels)
    let channels = captureChannels
    let size = AudioFrame.samplesPer10Milliseconds * channels
    let frames = capture.update { state -> [[Int16]] in
      state.slices += state.converter.convert(Array(values))
      var frames: [[Int16]] = []
      while state.slices.count >= size {
        frames.append(Array(state.slices.prefix(size)))
        state.slices.removeFirst(size)
      }
      return frames
    }
    let now = MonotonicClock.now
    for (index, samples) in frames.enumerated() {
      let before = TimeSpan.milliseconds(10) * Int64(frames.count - index)
      onCapture?(AudioFrame(samples: samples, channels: channels, time: now - before))
    }
  }

  func readRenderData(_ data: UnsafeMutableRawPointer, numberOfSamples count: UInt32) -> UInt32 {
    let wanted = Int(min(count, 480_000)) * renderChannels
    let samples = render.update { state -> [Int16] in
      let part = Array(state.waiting.prefix(wanted))
      state.waiting.removeFirst(part.count)
      return part
    }
    let place = data.assumingMemoryBound(to: Int16.self)
    for index in 0..<wanted { place[index] = index < samples.count ? samples[index] : 0 }
    return UInt32(samples.count / renderChannels)
  }

  /// Takes 10 ms of what is heard.
  func hear(_ frame: AudioFrame) {
    let samples = inRenderChannels(frame)
    render.update { state in
      state.waiting += state.converter.convert(samples)
      if state.waiting.count > limit { state.waiting.removeFirst(state.waiting.count - limit) }
    }
  }

  /// The samples with the device's number of channels: one becomes two equal ones, two become their mean.
  private func inRenderChannels(_ frame: AudioFrame) -> [Int16] {
    guard frame.channels != renderChannels else { return frame.samples }
    if renderChannels == 2 { return frame.samples.flatMap { [$0, $0] } }
    return stride(from: 0, to: frame.samples.count - 1, by: 2).map {
      Int16((Int32(frame.samples[$0]) + Int32(frame.samples[$0 + 1])) / 2)
    }
  }
}
