import Basics
import Media
import Testing

@Suite struct AudioFrameTests {
  @Test func tenMillisecondsAreFourHundredAndEightySamplesAChannel() {
    #expect(
      AudioFrame(samples: [Int16](repeating: 0, count: 960), channels: 2, time: .zero).duration == .milliseconds(10))
  }
}
