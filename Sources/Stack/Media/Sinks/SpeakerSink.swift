import Synchronization

/// A speaker of this machine, through PulseAudio, PipeWire or ALSA, whichever runs.
///
/// ```swift
/// meeting.playSound(to: try SpeakerSink())
/// ```
public final class SpeakerSink: AudioSink {
  private struct State {
    var output: OutputPipeline?
    var port: OutputPipeline.Port?
    var dropped = 0
  }

  private let state = Mutex(State())
  private let channels: Int

  /// More waiting audio than this many bytes a channel (200 ms) is dropped, or the delay would only grow.
  private static let maximumWaiting = 48 * 200 * 2

  /// Opens a speaker; blocks until it is known to work.
  ///
  /// ```swift
  /// let headphones = try MediaDevices.speakers().first { $0.name.contains("USB") }
  /// let speaker = try SpeakerSink(headphones)
  /// ```
  ///
  /// - Parameters:
  ///   - device: One of ``MediaDevices/speakers()``; nil takes the system's default.
  ///   - channels: 1 or 2; frames are converted.
  /// - Throws: ``MediaError/deviceUnavailable(_:reason:)`` when there is none or it is in use.
  public init(_ device: MediaDevice? = nil, channels: Int = 2) throws(MediaError) {
    self.channels = channels == 1 ? 1 : 2
    try GStreamer.load()
    let candidates =
      device.map { [$0.element] } ?? ["pulsesink", "alsasink"] + (PipeWire.isRunning ? ["pipewiresink"] : [])
    var last = MediaError.missingComponent(
      "A GStreamer element for speakers",
      hint: "Install one with: apt-get install gstreamer1.0-pulseaudio gstreamer1.0-alsa gstreamer1.0-pipewire")
    for element in candidates {
      do throws(MediaError) {
        try GStreamer.require(element, package: "gstreamer1.0-pulseaudio")
        let output = try OutputPipeline(
          "appsrc name=audio is-live=true format=time do-timestamp=true "
            + "caps=audio/x-raw,format=S16LE,layout=interleaved,rate=48000,channels=\(self.channels) "
            + "! audioconvert ! audioresample ! \(element) name=device sync=false",
          name: device?.name ?? "speaker", properties: device.map { [("device", $0.property, $0.value)] } ?? [])
        let port = output.port("audio")
        // A device that is missing or busy only says so when sound arrives.
        let silence = [Int16](repeating: 0, count: 480 * self.channels)
        for _ in 0..<5 { _ = silence.withUnsafeBytes { port?.push($0, time: nil, duration: .milliseconds(10)) } }
        try output.check(for: .seconds(2))
        state.withLock {
          $0.output = output
          $0.port = port
        }
        return
      } catch {
        // The first reason is that of the sound system most machines have.
        if case .deviceUnavailable(let name, let reason) = error, case .missingComponent = last {
          last = .deviceUnavailable(name, reason: "there is no speaker, or no sound system runs: \(reason)")
        }
      }
    }
    throw last
  }

  deinit { close() }

  /// Frames that were dropped because the device did not keep up.
  ///
  /// ```swift
  /// let speaker = try SpeakerSink()
  /// meeting.playSound(to: speaker)
  /// if speaker.droppedFrames > 0 { print("The sound system does not keep up.") }
  /// ```
  public var droppedFrames: Int { state.withLock { $0.dropped } }

  /// Queues 10 ms for the speaker.
  ///
  /// ```swift
  /// let speaker = try SpeakerSink()
  /// for tone in try ToneSource().frames(20, from: MonotonicClock.now) { speaker.receive(tone) }
  /// ```
  public func receive(_ frame: AudioFrame) {
    let samples = frame.converted(channels: channels).samples
    state.withLock { state in
      guard let port = state.port else { return }
      if port.waiting > Self.maximumWaiting * channels {
        state.dropped += 1
        return
      }
      _ = samples.withUnsafeBytes { port.push($0, time: nil, duration: frame.duration) }
    }
  }

  /// Gives the speaker back. Harmless when repeated.
  ///
  /// ```swift
  /// let speaker = try SpeakerSink()
  /// meeting.playSound(to: speaker)
  /// meeting.playSound(to: nil)
  /// speaker.close()
  /// ```
  public func close() {
    let output = state.withLock { state in
      let before = state.output
      state.output = nil
      state.port = nil
      return before
    }
    output?.stop()
  }
}

extension AudioFrame {
  /// The same audio with one or two channels: two become their mean, one becomes two equal ones.
  func converted(channels wanted: Int) -> AudioFrame {
    if channels == wanted { return self }
    var out: [Int16] = []
    if wanted == 1 {
      out.reserveCapacity(samples.count / 2)
      for index in stride(from: 0, to: samples.count - 1, by: 2) {
        out.append(Int16((Int32(samples[index]) + Int32(samples[index + 1])) / 2))
      }
    } else {
      out.reserveCapacity(samples.count * 2)
      for sample in samples {
        out.append(sample)
        out.append(sample)
      }
    }
    return AudioFrame(samples: out, channels: wanted, time: time)
  }
}
