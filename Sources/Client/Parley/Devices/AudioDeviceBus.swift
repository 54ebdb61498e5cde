import Basics
package import Media
import Synchronization

/// The connection of an ``AudioDevice`` to the ``AudioHub``: converts between its formats and 48 kHz, and keeps a
/// little audio for it to fetch.
package final class AudioDeviceBus: Sendable {
  private struct Capture {
    var converter: AudioRateConverter
    var slices: [Int16] = []
  }

  private struct Render {
    var converter: AudioRateConverter
    var waiting: [Int16] = []
  }

  package let captureFormat: AudioDeviceFormat
  package let renderFormat: AudioDeviceFormat
  private let capture: Mutex<Capture>
  private let render: Mutex<Render>
  private let limit: Int
  private let onCapture: @Sendable (AudioFrame) -> Void

  /// - Parameter onCapture: Gets captured audio, 10 ms at a time.
  package init(
    capture: AudioDeviceFormat, render: AudioDeviceFormat, onCapture: @escaping @Sendable (AudioFrame) -> Void
  ) {
    (captureFormat, renderFormat, self.onCapture) = (capture, render, onCapture)
    self.capture = Mutex(
      Capture(
        converter: AudioRateConverter(
          from: capture.sampleRate, to: AudioFrame.sampleRate, channels: capture.channels)))
    self.render = Mutex(
      Render(
        converter: AudioRateConverter(from: AudioFrame.sampleRate, to: render.sampleRate, channels: render.channels)))
    // A device that does not fetch for a while hears the newest 200 ms then.
    limit = render.sampleRate / 5 * render.channels
  }

  /// Gives captured samples in the device's capture format.
  package func write(_ samples: UnsafeBufferPointer<Int16>) {
    let channels = captureFormat.channels
    let size = AudioFrame.samplesPer10Milliseconds * channels
    let values = Array(samples)
    let frames = capture.withLock { state -> [[Int16]] in
      state.slices += state.converter.convert(values)
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
      onCapture(AudioFrame(samples: samples, channels: channels, time: now - before))
    }
  }

  /// Fetches samples in the device's render format; silence fills up missing ones. Returns how many there were.
  package func read(into samples: UnsafeMutableBufferPointer<Int16>) -> Int {
    let wanted = samples.count
    let part = render.withLock { state -> [Int16] in
      let part = Array(state.waiting.prefix(wanted))
      state.waiting.removeFirst(part.count)
      return part
    }
    for index in 0..<wanted { samples[index] = index < part.count ? part[index] : 0 }
    return part.count
  }

  /// Adds 10 ms of what is heard.
  func enqueue(_ frame: AudioFrame) {
    let samples = inRenderChannels(frame)
    let limit = limit
    render.withLock { state in
      state.waiting += state.converter.convert(samples)
      if state.waiting.count > limit { state.waiting.removeFirst(state.waiting.count - limit) }
    }
  }

  /// The samples with the device's number of channels: one becomes two equal ones, two become their mean.
  private func inRenderChannels(_ frame: AudioFrame) -> [Int16] {
    guard frame.channels != renderFormat.channels else { return frame.samples }
    if renderFormat.channels == 2 { return frame.samples.flatMap { [$0, $0] } }
    return stride(from: 0, to: frame.samples.count - 1, by: 2).map {
      Int16((Int32(frame.samples[$0]) + Int32(frame.samples[$0 + 1])) / 2)
    }
  }
}
