package import Media

/// Plays a stream for one receiver: its video in a sink, and its audio into a level meter. The audio itself is heard
/// through the meeting's ``MeetingSpeaker``.
@MainActor package final class StreamReceiver {
  private let sink: any VideoSink
  package let meter = LevelMeter()
  private var video: RemoteVideoTrack?
  private var audio: RemoteAudioTrack?
  /// The capture whose frames are shown, when it is an own stream.
  private var own: LocalCapture?

  package init(sink: any VideoSink) { self.sink = sink }

  package func play(_ new: RemoteVideoTrack?) {
    guard new !== video else { return }
    video?.remove(sink)
    video = new
    new?.add(sink)
  }

  package func play(own new: LocalCapture?) {
    guard new !== own else { return }
    own?.remove(sink)
    own = new
    new?.add(sink)
  }

  package func measure(_ new: RemoteAudioTrack?) {
    guard new !== audio else { return }
    audio?.remove(meter)
    audio = new
    new?.add(meter)
  }

  /// Whether the audio of a remote stream is measured.
  package var isMeasuring: Bool { audio != nil }

  package func stop() {
    play(nil)
    play(own: nil)
    measure(nil)
  }
}
