import Dispatch
import Synchronization

/// A source that is opened on a queue of its own: where opening takes a moment, as with a microphone, nobody waits for
/// it.
///
/// ```swift
/// try await meeting.local.publish(LocalAudioTrack(DeferredAudioSource(MicrophoneSource())))
/// ```
public final class DeferredAudioSource: AudioSource {
  private let input: any AudioSource
  private let slot = SinkSlot<AudioFrame>()
  private let queue = DispatchQueue(label: "parley.deferred-source")
  /// Counts starts and stops; what was begun for an earlier one is not wanted any more.
  private let turn = Mutex(0)

  /// A source of the audio of another.
  ///
  /// ```swift
  /// let microphone = DeferredAudioSource(MicrophoneSource())
  /// ```
  public init(_ input: any AudioSource) { self.input = input }

  deinit { input.stop() }

  /// Begins to open the input and returns at once; the other form's `onEnd` reports a failure.
  ///
  /// ```swift
  /// try DeferredAudioSource(MicrophoneSource()).start { sound in print(sound.time) }
  /// ```
  public func start(_ sink: @escaping @Sendable (AudioFrame) -> Void) throws(MediaError) { try start(sink) { _ in } }

  /// As ``start(_:)``, and reports when the input cannot be opened or has ended.
  ///
  /// ```swift
  /// let microphone = DeferredAudioSource(MicrophoneSource())
  /// try microphone.start { sound in print(sound.time) } onEnd: { error in print(error?.description ?? "Unplugged.") }
  /// ```
  public func start(
    _ sink: @escaping @Sendable (AudioFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    slot.set(sink)
    let mine = nextTurn()
    queue.async { [weak self] in
      guard let self, self.isTurn(mine) else { return }
      do throws(MediaError) {
        try self.input.start(
          { [weak self] frame in self?.slot.deliver(frame) },
          onEnd: { [weak self] in if self?.isTurn(mine) == true { onEnd($0) } })
      } catch {
        if self.isTurn(mine) { onEnd(error) }
      }
    }
  }

  /// Gives the input back.
  ///
  /// ```swift
  /// let microphone = DeferredAudioSource(MicrophoneSource())
  /// try microphone.start { sound in print(sound.time) }
  /// microphone.stop()
  /// ```
  public func stop() {
    slot.set(nil)
    _ = nextTurn()
    queue.async { [input] in input.stop() }
  }

  private func nextTurn() -> Int {
    turn.withLock { turn in
      turn += 1
      return turn
    }
  }

  private func isTurn(_ number: Int) -> Bool { turn.withLock { $0 == number } }
}
