import Basics
import Dispatch
package import Media
import Synchronization

/// The audio of the process: captured audio goes to the publishers, the meetings' audio goes to the device.
///
/// An app's ``AudioDevice`` is reached over its bus; without one it is the machine's microphone and loudspeaker.
/// Without a microphone, silence is published; without a loudspeaker, nothing is heard.
package final class AudioHub: Sendable {
  package static let shared = AudioHub()

  private struct State {
    var device: (any AudioDevice)?
    var bus: AudioDeviceBus?
    var consumers: [ObjectIdentifier: @Sendable (AudioFrame) -> Void] = [:]
    var listeners: Set<ObjectIdentifier> = []
    var microphone: (any AudioSource)?
    var speaker: SpeakerSink?
    var mix = MeetingAudioMix()
    /// Why the app's device does not capture.
    var problem: String?
    /// The age of audio that the app's device gives, and when the device was asked for it.
    var captureDelay = TimeSpan.zero
    var delayAsked: Instant?
    /// The time between giving audio to the app's device and hearing it, and when the device was asked for it.
    var renderDelay = TimeSpan.zero
    var renderDelayAsked: Instant?
  }

  private let state = Mutex(State())
  /// Devices are opened and closed here, one after the other: that may take a while.
  private let queue = DispatchQueue(label: "parley.audio")

  /// The app's device; nil while the machine's are used.
  package var device: (any AudioDevice)? { state.withLock { $0.device } }

  package func setDevice(_ device: (any AudioDevice)?) {
    let bus = device.map { device in
      AudioDeviceBus(capture: device.captureFormat, render: device.renderFormat) { [weak self] in
        self?.capturedByDevice($0)
      }
    }
    let old = state.withLock { state in
      let old = state.device
      (state.device, state.bus) = (device, bus)
      (state.problem, state.captureDelay, state.delayAsked) = (nil, .zero, nil)
      (state.renderDelay, state.renderDelayAsked) = (.zero, nil)
      return old
    }
    queue.async {
      if let old {
        if old.isCapturing { old.stopCapture() }
        if old.isRendering { old.stopRendering() }
        old.connect(to: nil)
      }
      device?.connect(to: bus)
    }
  }

  // MARK: Captured audio

  package func addConsumer(_ owner: AnyObject, _ body: @escaping @Sendable (AudioFrame) -> Void) {
    let id = ObjectIdentifier(owner)
    let isFirst = state.withLock { state in
      state.consumers[id] = body
      return state.consumers.count == 1
    }
    if isFirst { queue.async { self.startCapture() } }
  }

  package func removeConsumer(_ owner: AnyObject) {
    let id = ObjectIdentifier(owner)
    let isLast = state.withLock { state in
      state.consumers.removeValue(forKey: id) != nil && state.consumers.isEmpty
    }
    if isLast { queue.async { self.stopCapture() } }
  }

  private func captured(_ frame: AudioFrame) {
    for body in state.withLock({ Array($0.consumers.values) }) { body(frame) }
  }

  /// Handles audio from the app's device, which is as old as the device says.
  private func capturedByDevice(_ frame: AudioFrame) {
    let now = MonotonicClock.now
    let (delay, isDue) = state.withLock { state in
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
    let delay = Self.limited(device.captureDelay)
    state.withLock { $0.captureDelay = delay }
  }

  /// A delay that a device reports. Seconds are a mistake, and would be heard as one.
  private static func limited(_ delay: TimeSpan) -> TimeSpan { min(delay, .seconds(1)) }

  /// Why the app's device gives no audio although it says that it can, once that is known; nil when it does.
  package func captureProblem() async -> String? {
    await withCheckedContinuation { answer in
      queue.async { answer.resume(returning: self.state.withLock { $0.problem }) }
    }
  }

  private func startCapture() {
    guard state.withLock({ !$0.consumers.isEmpty && $0.microphone == nil }) else { return }
    state.withLock { $0.problem = nil }
    if let device {
      guard device.canCapture, !device.isCapturing else { return }
      askCaptureDelay()
      if let problem = device.startCapture() { state.withLock { $0.problem = problem } }
      return
    }
    let microphone = MicrophoneSource()
    // Without a microphone nothing is captured: the track is silent.
    guard (try? microphone.start({ [weak self] in self?.captured($0) })) != nil else { return }
    state.withLock { $0.microphone = microphone }
  }

  private func stopCapture() {
    let microphone = state.withLock { state -> (any AudioSource)? in
      guard state.consumers.isEmpty else { return nil }
      defer { state.microphone = nil }
      return state.microphone
    }
    microphone?.stop()
    guard let device, device.isCapturing, state.withLock({ $0.consumers.isEmpty }) else { return }
    device.stopCapture()
  }

  // MARK: Audio to be heard

  /// How long it takes until what is given to the app's device is heard.
  fileprivate var renderDelay: TimeSpan {
    let now = MonotonicClock.now
    let (delay, isDue) = state.withLock { state in
      let isDue = state.device != nil && state.renderDelayAsked.map { now - $0 > .seconds(1) } ?? true
      if isDue { state.renderDelayAsked = now }
      return (state.renderDelay, isDue)
    }
    // Not here: whoever asks must not wait.
    if isDue { queue.async { self.askRenderDelay() } }
    return delay
  }

  private func askRenderDelay() {
    guard let device, device.isRendering else { return }
    let delay = Self.limited(device.renderDelay)
    state.withLock { $0.renderDelay = delay }
  }

  /// A meeting is heard from now on, through a ``MeetingSpeaker`` of the same owner.
  package func addListener(_ owner: AnyObject) {
    let id = ObjectIdentifier(owner)
    let isFirst = state.withLock { state in state.listeners.insert(id).inserted && state.listeners.count == 1 }
    if isFirst { queue.async { self.startRendering() } }
  }

  package func removeListener(_ owner: AnyObject) {
    let id = ObjectIdentifier(owner)
    let isLast = state.withLock { state in
      state.mix.remove(id)
      return state.listeners.remove(id) != nil && state.listeners.isEmpty
    }
    if isLast { queue.async { self.stopRendering() } }
  }

  private func startRendering() {
    guard state.withLock({ !$0.listeners.isEmpty && $0.speaker == nil }) else { return }
    if let device {
      guard device.canRender, !device.isRendering else { return }
      device.startRendering()
      return
    }
    guard let speaker = try? SpeakerSink() else { return }
    state.withLock { $0.speaker = speaker }
  }

  private func stopRendering() {
    let speaker = state.withLock { state -> SpeakerSink? in
      guard state.listeners.isEmpty else { return nil }
      defer { state.speaker = nil }
      return state.speaker
    }
    speaker?.close()
    guard let device, device.isRendering, state.withLock({ $0.listeners.isEmpty }) else { return }
    device.stopRendering()
  }

  fileprivate func play(_ frame: AudioFrame, of owner: ObjectIdentifier) {
    let (mixed, bus, speaker) = state.withLock { state in
      // Late audio of a meeting that has ended would hold up the others.
      (state.listeners.contains(owner) ? state.mix.add(frame, of: owner) : nil, state.bus, state.speaker)
    }
    guard let frame = mixed else { return }
    if let bus { bus.enqueue(frame) } else { speaker?.receive(frame) }
  }
}

/// The destination of a meeting's audio in the ``AudioHub``, for `Meeting.playSound(to:)`.
package final class MeetingSpeaker: AudioSink {
  private let owner: ObjectIdentifier

  /// - Parameter owner: The listener that was added to the hub for the meeting.
  package init(of owner: AnyObject) { self.owner = ObjectIdentifier(owner) }

  package func receive(_ frame: AudioFrame) { AudioHub.shared.play(frame, of: owner) }

  package var delay: TimeSpan { AudioHub.shared.renderDelay }
}
