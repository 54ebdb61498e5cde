import Foundation
import Parley

/// The audio of the process: captured audio goes to the publishers, the sessions' audio goes to the device.
///
/// A device of the app's own is reached over its bus; without one it is the machine's microphone and loudspeaker.
/// Without a microphone, silence is published; without a loudspeaker, nothing is heard.
final class AudioHub: Sendable {
  static let shared = AudioHub()

  private struct State {
    var device: (any OTAudioDevice)?
    var bus: AudioDeviceBus?
    var consumers: [ObjectIdentifier: @Sendable (AudioFrame) -> Void] = [:]
    var listeners: Set<ObjectIdentifier> = []
    var microphone: (any AudioSource)?
    var speaker: SpeakerSink?
    var mix = SessionMix()
    /// Why the app's device does not capture.
    var problem: String?
    /// How old what the app's device captures is when it comes, and when it was asked for that.
    var captureDelay = TimeSpan.zero
    var delayAsked: Instant?
    /// The time between giving audio to the app's device and hearing it, and when the device was asked for it.
    var renderDelay = TimeSpan.zero
    var renderDelayAsked: Instant?
  }

  private let state = Guarded(State())
  /// Devices are opened and closed here, one after the other: that may take a while.
  private let queue = DispatchQueue(label: "opentok.audio")

  var device: (any OTAudioDevice)? { state.read { $0.device } }

  func setDevice(_ device: (any OTAudioDevice)?) {
    let old = state.update { state in
      let old = state.device
      state.device = device
      state.bus = device.map { AudioDeviceBus(capture: $0.captureFormat(), render: $0.renderFormat()) }
      state.bus?.onCapture = { [weak self] in self?.capturedByDevice($0) }
      (state.problem, state.captureDelay, state.delayAsked) = (nil, .zero, nil)
      (state.renderDelay, state.renderDelayAsked) = (.zero, nil)
      return old
    }
    let (previous, next) = (Carried(value: old), Carried(value: device))
    let bus = Carried(value: state.read { $0.bus })
    queue.async {
      if let old = previous.value {
        if old.isCapturing() { _ = old.stopCapture() }
        if old.isRendering() { _ = old.stopRendering() }
        _ = old.setAudioBus(nil)
      }
      if let device = next.value { _ = device.setAudioBus(bus.value) }
    }
  }

  // MARK: Captured sound

  func addConsumer(_ owner: AnyObject, _ body: @escaping @Sendable (AudioFrame) -> Void) {
    let id = ObjectIdentifier(owner)
    let isFirst = state.update { state in
      state.consumers[id] = body
      return state.consumers.count == 1
    }
    if isFirst { queue.async { self.startCapture() } }
  }

  func removeConsumer(_ owner: AnyObject) {
    let id = ObjectIdentifier(owner)
    let isLast = state.update { state in
      state.consumers.removeValue(forKey: id) != nil && state.consumers.isEmpty
    }
    if isLast { queue.async { self.stopCapture() } }
  }

  private func captured(_ frame: AudioFrame) {
    for body in state.read({ Array($0.consumers.values) }) { body(frame) }
  }

  /// Handles audio from the app's device, which is as old as the device says.
  private func capturedByDevice(_ frame: AudioFrame) {
    let now = MonotonicClock.now
    let (delay, isDue) = state.update { state in
      let isDue = state.delayAsked.map { now - $0 > .seconds(1) } ?? true
      if isDue { state.delayAsked = now }
      return (state.captureDelay, isDue)
    }
    // Not here: a device that gives sound may hold what it needs to answer.
    if isDue { queue.async { self.askCaptureDelay() } }
    var frame = frame
    frame.time = frame.time - delay
    captured(frame)
  }

  private func askCaptureDelay() {
    guard let device else { return }
    let delay = Self.span(device.estimatedCaptureDelay())
    state.captureDelay = delay
  }

  /// A delay that a device reports, in milliseconds. Seconds are a mistake, and would be heard as one.
  private static func span(_ milliseconds: UInt16) -> TimeSpan { .milliseconds(Int64(min(milliseconds, 1_000))) }

  /// Why the app's device gives no audio although it says that it can, once that is known; nil when it does.
  func captureProblem() async -> String? {
    await withCheckedContinuation { answer in queue.async { answer.resume(returning: self.state.problem) } }
  }

  private func startCapture() {
    guard state.read({ !$0.consumers.isEmpty && $0.microphone == nil }) else { return }
    state.problem = nil
    if let device {
      guard device.captureIsAvailable(), !device.isCapturing() else { return }
      askCaptureDelay()
      let isReady = device.captureIsInitialized() || device.initializeCapture()
      if isReady, device.startCapture() { return }
      let name = isReady ? "startCapture" : "initializeCapture"
      state.problem = "The audio device gives no sound: its \(name) gave false."
      return
    }
    let microphone = MicrophoneSource()
    // Without a microphone nothing is captured: the track is silent.
    guard (try? microphone.start({ [weak self] in self?.captured($0) })) != nil else { return }
    state.update { $0.microphone = microphone }
  }

  private func stopCapture() {
    let microphone = state.update { state -> (any AudioSource)? in
      guard state.consumers.isEmpty else { return nil }
      defer { state.microphone = nil }
      return state.microphone
    }
    microphone?.stop()
    guard let device, device.isCapturing(), state.read({ $0.consumers.isEmpty }) else { return }
    _ = device.stopCapture()
  }

  // MARK: Sound to be heard

  /// How long it takes until what is given to the app's device is heard.
  var renderDelay: TimeSpan {
    let now = MonotonicClock.now
    let (delay, isDue) = state.update { state in
      let isDue = state.device != nil && state.renderDelayAsked.map { now - $0 > .seconds(1) } ?? true
      if isDue { state.renderDelayAsked = now }
      return (state.renderDelay, isDue)
    }
    // Not here: whoever asks must not wait.
    if isDue { queue.async { self.askRenderDelay() } }
    return delay
  }

  private func askRenderDelay() {
    guard let device, device.isRendering() else { return }
    let delay = Self.span(device.estimatedRenderDelay())
    state.renderDelay = delay
  }

  /// A session lets hear from now on; what it gives goes to ``hear(_:)``.
  func addListener(_ owner: AnyObject) {
    let id = ObjectIdentifier(owner)
    let isFirst = state.update { state in state.listeners.insert(id).inserted && state.listeners.count == 1 }
    if isFirst { queue.async { self.startRendering() } }
  }

  func removeListener(_ owner: AnyObject) {
    let id = ObjectIdentifier(owner)
    let isLast = state.update { state in
      state.mix.remove(id)
      return state.listeners.remove(id) != nil && state.listeners.isEmpty
    }
    if isLast { queue.async { self.stopRendering() } }
  }

  private func startRendering() {
    guard state.read({ !$0.listeners.isEmpty && $0.speaker == nil }) else { return }
    if let device {
      guard device.renderingIsAvailable(), !device.isRendering() else { return }
      if !device.renderingIsInitialized() { _ = device.initializeRendering() }
      _ = device.startRendering()
      return
    }
    guard let speaker = try? SpeakerSink() else { return }
    state.update { $0.speaker = speaker }
  }

  private func stopRendering() {
    let speaker = state.update { state -> SpeakerSink? in
      guard state.listeners.isEmpty else { return nil }
      defer { state.speaker = nil }
      return state.speaker
    }
    speaker?.close()
    guard let device, device.isRendering(), state.read({ $0.listeners.isEmpty }) else { return }
    _ = device.stopRendering()
  }

  fileprivate func hear(_ frame: AudioFrame, of session: ObjectIdentifier) {
    let (mixed, bus, speaker) = state.update { state in
      // Late audio of a session that has ended would hold up the others.
      (state.listeners.contains(session) ? state.mix.add(frame, of: session) : nil, state.bus, state.speaker)
    }
    guard let frame = mixed else { return }
    if let bus { bus.hear(frame) } else { speaker?.receive(frame) }
  }
}

/// The destination of a session's audio.
final class SessionSpeaker: AudioSink {
  private let session: ObjectIdentifier

  init(of session: AnyObject) { self.session = ObjectIdentifier(session) }

  func receive(_ frame: AudioFrame) { AudioHub.shared.hear(frame, of: session) }

  var delay: TimeSpan { AudioHub.shared.renderDelay }
}
