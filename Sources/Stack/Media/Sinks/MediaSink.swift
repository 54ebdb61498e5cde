public import Basics

/// The destination of video frames. Called on a decoder's thread, one call at a time per track; return soon, or frames
/// are dropped.
///
/// ```swift
/// final class Counter: VideoSink {
///   let pictures = NullSink()
///   func receive(_ frame: VideoFrame) { pictures.receive(frame) }
/// }
/// video.add(Counter())
/// ```
public protocol VideoSink: AnyObject, Sendable {
  /// Called with one frame, at the time it is to be shown.
  ///
  /// ```swift
  /// let sink: any VideoSink = ClosureVideoSink { frame in show(frame) }
  /// sink.receive(frame)
  /// ```
  func receive(_ frame: VideoFrame)
}

/// The destination of audio. Called every 10 ms on the playout thread; must not block.
///
/// ```swift
/// final class Splitter: AudioSink {
///   let sinks: [any AudioSink]
///   init(_ sinks: [any AudioSink]) { self.sinks = sinks }
///   func receive(_ frame: AudioFrame) { for sink in sinks { sink.receive(frame) } }
/// }
/// meeting.playSound(to: Splitter([try SpeakerSink(), try FileSink("everybody.wav").audio]))
/// ```
public protocol AudioSink: AnyObject, Sendable {
  /// Called with 10 ms of audio.
  ///
  /// ```swift
  /// let sink: any AudioSink = ClosureAudioSink { sound in print(sound.time) }
  /// sink.receive(sound)
  /// ```
  func receive(_ frame: AudioFrame)

  /// How long after it was received audio is heard: a participant's video is shown so much later, to be in step with
  /// it. None unless a sink says otherwise. Asked about ten times a second on the playout thread; must not block.
  ///
  /// ```swift
  /// final class WirelessHeadphones: AudioSink {
  ///   let speaker: SpeakerSink
  ///   let delay = TimeSpan.milliseconds(180)
  ///   init(_ speaker: SpeakerSink) { self.speaker = speaker }
  ///   func receive(_ frame: AudioFrame) { speaker.receive(frame) }
  /// }
  /// meeting.playSound(to: WirelessHeadphones(try SpeakerSink()))
  /// ```
  var delay: TimeSpan { get }
}

extension AudioSink {
  /// None.
  ///
  /// ```swift
  /// let sink: any AudioSink = ClosureAudioSink { sound in print(sound.time) }
  /// assert(sink.delay == .zero)
  /// ```
  public var delay: TimeSpan { .zero }
}
