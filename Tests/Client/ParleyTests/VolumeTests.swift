import Basics
import Media
import Testing

@testable import Parley

/// How loud each participant is in what is played.
@Suite struct VolumeTests {
  @Test("a track's volume scales it in the mix, 0 leaves it out, and values are clamped")
  func volume() {
    let track = RemoteAudioTrack(onListened: { _ in }, onFirstFrame: {})
    let slot = AudioSlot(mid: MID(rawValue: "0"), isMixed: false)
    slot.start(track, participant: "p")
    let frame = AudioFrame(samples: [1_000, -30_000, 0], time: MonotonicClock.now)
    #expect(slot.inMix(frame)?.samples == [1_000, -30_000, 0])
    track.volume = 0.5
    #expect(slot.inMix(frame)?.samples == [500, -15_000, 0])
    track.volume = 9
    #expect(track.volume == 4)
    #expect(slot.inMix(frame)?.samples == [4_000, -32_768, 0])
    track.volume = .nan
    #expect(track.volume == 1)
    track.volume = -1
    #expect(slot.inMix(frame) == nil)
  }
}
