public import Media

extension Meeting {
  /// Plays everybody's audio, mixed, to `sink`, 10 ms at a time; nil ends it. Kept over a rejoin.
  ///
  /// ```swift
  /// meeting.playSound(to: try SpeakerSink())
  /// ```
  public func playSound(to sink: (any AudioSink)?) {
    soundSink = sink
    connection?.post { session, now in session.setMixSink(sink, now: now) }
  }
}
