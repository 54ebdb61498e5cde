import Testing

@testable import Parley

/// The events of a received stream, in order.
@Suite struct StreamReceptionTests {
  @Test("a first frame before the audio is reported after the connection")
  func firstFrame() {
    var reception = StreamReception()
    #expect(reception.receiveFirstFrame().isEmpty)
    #expect(reception.update(off: nil, isComplete: false, isSlow: true).isEmpty)
    #expect(reception.update(off: nil, isComplete: true, isSlow: true) == [.connected, .firstFrame, .videoAtRisk])
    #expect(reception.update(off: nil, isComplete: true, isSlow: true).isEmpty)
  }

  @Test("video that stops is reported with its reason, which its return repeats")
  func video() {
    var reception = StreamReception()
    // Muted video is known from the stream.
    #expect(reception.update(off: .muted, isComplete: true, isSlow: nil) == [.connected])
    #expect(reception.update(off: nil, isComplete: true, isSlow: nil) == [.videoResumed(.muted)])
    #expect(reception.update(off: .paused, isComplete: true, isSlow: nil) == [.videoStopped(.paused)])
    #expect(reception.update(off: .unwanted, isComplete: true, isSlow: nil) == [.videoStopped(.unwanted)])
    #expect(reception.update(off: nil, isComplete: true, isSlow: nil) == [.videoResumed(.unwanted)])
    var undecodable = StreamReception()
    #expect(
      undecodable.update(off: .undecodable, isComplete: true, isSlow: nil) == [.connected, .videoStopped(.undecodable)])
  }

  @Test("each loss of video is warned of once, and lifted only if the video stayed")
  func warnings() {
    var reception = StreamReception()
    #expect(reception.warn(isSlow: true).isEmpty && reception.setInterrupted(true).isEmpty)
    #expect(reception.update(off: nil, isComplete: true, isSlow: false) == [.connected])
    #expect(reception.warn(isSlow: nil).isEmpty && reception.warn(isSlow: true) == [.videoAtRisk])
    #expect(reception.warn(isSlow: true).isEmpty && reception.warn(isSlow: false) == [.videoSafe])
    #expect(reception.warn(isSlow: true) == [.videoAtRisk])
    #expect(reception.update(off: .paused, isComplete: true, isSlow: true) == [.videoStopped(.paused)])
    #expect(reception.warn(isSlow: false).isEmpty)
    #expect(reception.update(off: nil, isComplete: true, isSlow: true) == [.videoResumed(.paused), .videoAtRisk])
  }

  @Test("an interruption is reported once, and so is its end")
  func interruptions() {
    var reception = StreamReception()
    _ = reception.update(off: nil, isComplete: true, isSlow: nil)
    #expect(reception.setInterrupted(true) == [.interrupted] && reception.setInterrupted(true).isEmpty)
    #expect(reception.setInterrupted(false) == [.restored] && reception.setInterrupted(false).isEmpty)
  }
}
