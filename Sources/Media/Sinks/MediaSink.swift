/// Where pictures go. Called on a decoder's thread, one call at a time per track; return soon, or frames are dropped.
public protocol VideoSink: AnyObject, Sendable {
  /// Takes one picture, at the time it is to be shown.
  func receive(_ frame: VideoFrame)
}

/// Where sound goes. Called every 10 ms on the playout thread; must not block.
public protocol AudioSink: AnyObject, Sendable {
  /// Takes 10 ms of sound.
  func receive(_ frame: AudioFrame)
}
